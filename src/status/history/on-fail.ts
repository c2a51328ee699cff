/**
 * An operation has failed, such as a monitor: what now (Pacemaker Explained, "Handling Resource Failure" and "Operation Properties").
 *
 * | question | answer | file |
 * | --- | --- | --- |
 * | does it still count? | not once `failure-timeout` has passed since the last failure, nor after the parameters have changed | `expiry.ts`, `outdated-failure.ts` |
 * | what is done about it? | the `on-fail` of the operation, or its default below; of several failures on a node the most drastic one | here |
 * | `ignore` | nothing: it is taken for the success that was expected, but listed | `failure.ts` |
 * | `recover` (`restart`) | stopped and started, where its scores are best now | `conclude.ts` |
 * | `demote` | demoted; promoted again where it may be | `conclude.ts` |
 * | `block` | left alone, until an administrator clears the failure | `conclude.ts` |
 * | `stop` | stopped, and started nowhere | `conclude.ts`, `failure.ts` |
 * | `standby` | all resources leave the node | `conclude.ts` |
 * | `fence` | the node is fenced, and what it ran recovers elsewhere | `conclude.ts` |
 * | `restart-container`, `reset-remote` | its container or its node's connection is recovered | `conclude.ts` |
 * | may it run there again? | while its fail count is below `migration-threshold`; from then on the score there is -INFINITY | `fail-count.ts`, `scheduler/scores/fail-counts.ts` |
 * | and where a start has failed? | the fail count is INFINITY at once with `start-failure-is-fatal` | `controller/results.ts` |
 * | when is it forgotten? | `failure-timeout` after the last failure, unless one with `block` is on record; or by `resource cleanup` | `fail-count.ts`, `expiry.ts` |
 *
 * The defaults:
 *
 * | nothing written, and the operation is | default |
 * | --- | --- |
 * | of a guest node's connection | restart-container |
 * | of a remote node's connection, but a probe or start | reset-remote; stop where the connection is unmanaged |
 * | a stop | fence; block where fencing is disabled |
 * | a demote | what the promoted monitor says |
 * | any other | recover (which is `restart`) |
 *
 * `fence` becomes `stop` where fencing is disabled, `restart-container` becomes `recover` outside of containers, `demote` is
 * for promotions and promoted monitors only.
 */
import { parseRole, type Role } from '../../cib/index.ts'
import type { OnFail } from '../cluster-status.ts'
import type { PrimitiveDraft } from '../drafts.ts'
import { isEnabled } from './operation-meta.ts'
import { isProbe } from './outcome.ts'

export interface FailedKind {
  readonly operation: string
  readonly intervalMs: number
}

/** From the mildest to the most drastic: of several failures the most drastic response counts. */
const severity: readonly OnFail[] = [
  'ignore',
  'demote',
  'recover',
  'reset-remote',
  'restart-container',
  'block',
  'stop',
  'standby',
  'fence',
]

export const isMoreSevere = (a: OnFail, b: OnFail): boolean => severity.indexOf(a) > severity.indexOf(b)

export function resolveOnFail(
  resource: PrimitiveDraft,
  failed: FailedKind,
  meta: ReadonlyMap<string, string>,
  fencingEnabled: boolean,
): OnFail {
  const written = writtenOnFail(resource, failed, meta)
  if (written === 'fence' && !fencingEnabled) return 'stop'
  if (written === 'restart-container' && resource.container === undefined) return 'recover'
  if (resource.container !== undefined && written === undefined) return 'restart-container'
  if (resource.connectionOf !== undefined && resource.container === undefined) {
    const endsConnection = !isProbe(failed) && failed.operation !== 'start'
    if (endsConnection && !resource.state.managed) return 'stop'
    if (endsConnection && written === undefined) return 'reset-remote'
  }
  if (written !== undefined) return written
  if (failed.operation === 'stop') return fencingEnabled ? 'fence' : 'block'
  return 'recover'
}

/** The response that is configured and makes sense for the operation. */
function writtenOnFail(
  resource: PrimitiveDraft,
  failed: FailedKind,
  meta: ReadonlyMap<string, string>,
): OnFail | undefined {
  const own = parseOnFail(meta.get('on-fail'))
  if (failed.operation === 'stop' && own === 'standby') return undefined
  if (failed.operation === 'demote' && own === undefined) return promotedMonitorOnFail(resource)
  if (own !== 'demote') return own
  const promotedMonitor =
    failed.operation === 'monitor' && failed.intervalMs > 0 && parseRole(meta.get('role')) === 'Promoted'
  return failed.operation === 'promote' || promotedMonitor ? own : undefined
}

/** A demote that fails is as grave as what it was to repair. */
function promotedMonitorOnFail({ operations }: PrimitiveDraft): OnFail | undefined {
  for (const operation of operations) {
    const { attributes, name, intervalMs } = operation
    if (name !== 'monitor' || intervalMs === 0 || !isEnabled(operation)) continue
    if (parseRole(attributes.role) !== 'Promoted') continue
    const onFail = parseOnFail(attributes['on-fail'])
    if (onFail !== undefined && onFail !== 'demote') return onFail
  }
  return undefined
}

const words: Readonly<Record<string, OnFail>> = {
  ignore: 'ignore',
  nothing: 'ignore',
  block: 'block',
  demote: 'demote',
  restart: 'recover',
  recover: 'recover',
  standby: 'standby',
  fence: 'fence',
  stop: 'stop',
  'restart-container': 'restart-container',
}

function parseOnFail(text: string | undefined): OnFail | undefined {
  const word = text?.trim().toLowerCase()
  return word !== undefined && Object.hasOwn(words, word) ? words[word] : undefined
}

/** The role that a failure leaves to be reached next, or undefined for whatever is wanted. */
export function roleAfterFailure(
  resource: PrimitiveDraft,
  failed: FailedKind,
  meta: ReadonlyMap<string, string>,
  onFail: OnFail,
): Role | undefined {
  if (onFail === 'stop') return 'Stopped'
  if (onFail === 'reset-remote' && resource.reconnectIntervalMs !== undefined) return 'Stopped'
  const written = parseRole(meta.get('role_after_failure'))
  if (written !== undefined) return written === 'Started' ? undefined : written
  return failed.operation === 'promote' ? 'Unpromoted' : undefined
}
