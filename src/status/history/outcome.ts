/**
 * What a recorded result means, by the exit code and what was expected (Pacemaker Explained, "How OCF Return Codes are
 * Interpreted"; Resource Agents, "exit codes").
 *
 * | exit code | result is |
 * | --- | --- |
 * | the expected one | done, unless the code is a failure in itself (below) |
 * | 0 of a probe | done: it is running |
 * | 7 not running | done for probes, where it was expected, and for unmanaged resources; else an error |
 * | 8 promoted | done for probes; else an error if not expected; it is promoted either way |
 * | 9 promoted, failed | an error: it is promoted |
 * | 2, 4, 5 | hard: not on this node again; of a stop that cannot be fenced: nothing can be done any more |
 * | 3 unimplemented | of a recurring operation: not supported; else as 2, 4, 5 |
 * | 6 not configured | fatal: on no node |
 * | any other | an error |
 * | 2 or 5 of a probe | it is not running, and cannot be: not on this node |
 * | 190, 191 | degraded: like 0 and 8 |
 *
 * An executor's own verdict (pending, cancelled, timeout, not installed …) stands as it is; without a fence device or its secrets
 * it is a hard error.
 */
import type { HistoryEntry } from '../cluster-status.ts'

export const exitCodes = {
  ok: 0,
  genericError: 1,
  invalidParameter: 2,
  unimplemented: 3,
  insufficientPrivileges: 4,
  notInstalled: 5,
  notConfigured: 6,
  notRunning: 7,
  promoted: 8,
  failedPromoted: 9,
  degraded: 190,
  degradedPromoted: 191,
} as const

export const operationStatus = {
  pending: -1,
  done: 0,
  cancelled: 1,
  timeout: 2,
  notSupported: 3,
  error: 4,
  hardError: 5,
  fatalError: 6,
  notInstalled: 7,
  notConnected: 8,
  invalid: 9,
  noFenceDevice: 10,
  noSecrets: 11,
} as const

export type OutcomeKind =
  | 'pending'
  | 'cancelled'
  | 'done'
  | 'error'
  | 'hard-error'
  | 'fatal-error'
  | 'not-installed'
  | 'not-connected'

export interface Outcome {
  readonly kind: OutcomeKind
  /** With degraded results as their healthy equals. */
  readonly exitCode: number
  readonly expected: number | undefined
  /** What the exit code alone says of the role. */
  readonly role: 'Stopped' | 'Promoted' | undefined
  /** "Not running" where that is no failure, so that it also ends any failure before. */
  readonly clearsFailures: boolean
  /** It could not be stopped, never will be, and the node cannot be fenced. */
  readonly isDeadEnd: boolean
}

export const isProbe = (entry: Pick<HistoryEntry, 'operation' | 'intervalMs'>): boolean =>
  entry.operation === 'monitor' && entry.intervalMs === 0

/** A probe that shows that the agent cannot even run there is as good as "not running". */
export function isProbeWithoutAgent(entry: HistoryEntry): boolean {
  const { exitCode } = entry
  return isProbe(entry) && (exitCode === exitCodes.notInstalled || exitCode === exitCodes.invalidParameter)
}

export interface OutcomeContext {
  readonly managed: boolean
  readonly canFence: () => boolean
  /** The failure is older than failure-timeout. */
  readonly expired: boolean
}

export function outcomeOf(entry: HistoryEntry, context: OutcomeContext): Outcome {
  const exitCode = healthyEqual(entry.exitCode)
  const expected = entry.expectedExitCode
  const verdict = executorVerdict(entry.status)
  if (verdict !== undefined) return outcome({ kind: verdict, exitCode, expected })
  // Without a transition key nobody knows what was expected, and nothing is as expected.
  const kind: OutcomeKind = exitCode === expected ? 'done' : 'error'
  const isDeadEnd = entry.operation === 'stop' && !context.canFence()
  switch (exitCode) {
    case exitCodes.ok:
      return outcome({ kind: isProbe(entry) && expected === exitCodes.notRunning ? 'done' : kind, exitCode, expected })
    case exitCodes.notRunning:
      return isProbe(entry) || expected === exitCodes.notRunning || !context.managed
        ? outcome({ kind: 'done', exitCode, expected, role: 'Stopped', clearsFailures: true })
        : outcome({ kind, exitCode, expected })
    case exitCodes.promoted:
      return outcome({ kind: isProbe(entry) ? 'done' : kind, exitCode, expected, role: 'Promoted' })
    case exitCodes.failedPromoted:
      return outcome({ kind: context.expired ? kind : 'error', exitCode, expected, role: 'Promoted' })
    case exitCodes.notConfigured:
      return outcome({ kind: 'fatal-error', exitCode, expected })
    case exitCodes.unimplemented:
      return outcome({ kind: entry.intervalMs > 0 ? 'error' : 'hard-error', exitCode, expected, isDeadEnd })
    case exitCodes.invalidParameter:
    case exitCodes.insufficientPrivileges:
    case exitCodes.notInstalled:
      return outcome({ kind: 'hard-error', exitCode, expected, isDeadEnd })
    default:
      return outcome({ kind: 'error', exitCode, expected })
  }
}

/** All of one shape: a history may hold a hundred thousand. */
function outcome({ kind, exitCode, expected, role, clearsFailures, isDeadEnd }: OutcomeParts): Outcome {
  return { kind, exitCode, expected, role, clearsFailures: clearsFailures ?? false, isDeadEnd: isDeadEnd ?? false }
}

type OutcomeParts = Pick<Outcome, 'kind' | 'exitCode' | 'expected'> & Partial<Outcome>

/** Statuses that say more than the exit code does; done and error leave the word to the exit code. */
function executorVerdict(status: number): OutcomeKind | undefined {
  switch (status) {
    case operationStatus.pending:
      return 'pending'
    case operationStatus.cancelled:
      return 'cancelled'
    case operationStatus.done:
    case operationStatus.error:
      return undefined
    case operationStatus.hardError:
    case operationStatus.noFenceDevice:
    case operationStatus.noSecrets:
      return 'hard-error'
    case operationStatus.fatalError:
      return 'fatal-error'
    case operationStatus.notInstalled:
      return 'not-installed'
    case operationStatus.notConnected:
      return 'not-connected'
    default:
      return 'error'
  }
}

function healthyEqual(exitCode: number): number {
  if (exitCode === exitCodes.degraded) return exitCodes.ok
  return exitCode === exitCodes.degradedPromoted ? exitCodes.promoted : exitCode
}
