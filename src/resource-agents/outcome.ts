/** What became of a run of an agent, and what its exit code means (OCF Resource Agent API 1.1, "Exit status codes"). */
import type { OperationStatus } from '../cib/index.ts'

export const ocfExitCodes = {
  ok: 0,
  error: 1,
  badArguments: 2,
  unimplemented: 3,
  insufficientPrivileges: 4,
  notInstalled: 5,
  notConfigured: 6,
  notRunning: 7,
  runningPromoted: 8,
  failedPromoted: 9,
  degraded: 190,
  degradedPromoted: 191,
  /** Pacemaker's own: the result is not there yet. */
  unknown: 193,
} as const

export function isOcfExitCode(code: number): boolean {
  return code !== ocfExitCodes.unknown && Object.values<number>(ocfExitCodes).includes(code)
}

export interface AgentOutcome {
  /** `timeout` means that the result is not known: what was asked for may have happened, now or soon. */
  readonly status: OperationStatus
  readonly exitCode: number
  /** The agent's last `ocf-exit-reason:`, or why it could not be run or did not end well. */
  readonly exitReason?: string
  /** The end of what it printed, for the log. */
  readonly output: string
  readonly execTimeMs: number
  /** It never ran: the kernel takes no parameters as long as these. */
  readonly tooLong?: true
}

/** An agent that never ran. */
export function notRun(
  status: 'not-installed' | 'not-supported' | 'error' | 'hard-error',
  exitReason: string,
): AgentOutcome {
  const exitCode = {
    'not-installed': ocfExitCodes.notInstalled,
    'not-supported': ocfExitCodes.unimplemented,
    'hard-error': ocfExitCodes.notConfigured,
    error: ocfExitCodes.error,
  }[status]
  return { status, exitCode, exitReason, output: '', execTimeMs: 0 }
}

/**
 * `status` of an LSB script as OCF's `monitor` (Linux Standard Base, "Init Script Actions"): 1 to 3 are kinds of not
 * running, 4 is unknown. The other actions use OCF's codes.
 */
export function lsbStatusAsMonitor(exitCode: number): number {
  if (exitCode === 0) return ocfExitCodes.ok
  return exitCode >= 1 && exitCode <= 3 ? ocfExitCodes.notRunning : ocfExitCodes.error
}
