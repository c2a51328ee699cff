/**
 * The state of one instance on one node, from what is recorded there: the results of the resource's operations, and of the service's own
 * check where it has one, which the node writes as the transient node attribute `service-<name>`.
 */
import type { NodeName } from '../base/index.ts'
import type { GroupResource, HistoryEntry, NodeStatus, PrimitiveResource } from '../status/index.ts'
import { describeExitCode, primitivesIn, type Verification, verificationsOn } from '../status/index.ts'
import type { ServiceDefinition } from './definition.ts'

export type ServiceState =
  /** The resource is to run, and nothing has been done for it yet. */
  | 'declared'
  | 'starting'
  | 'healthy'
  | 'failing'
  /** It was stopped, or is being stopped: nobody is sent there any more. */
  | 'stopped'

export interface Verified {
  readonly by: 'monitor' | 'start' | 'check'
  /** It is looked at so often; a recorded result stands until another one is recorded. Absent: it is not looked at again. */
  readonly everyMs?: number
  /** Seconds since the epoch: since when the result has been the same. */
  readonly since?: number
}

export interface InstanceHealth {
  readonly state: ServiceState
  /** Of one that is not healthy. */
  readonly reason?: string
  readonly verified?: Verified
}

/** A node that runs the resource in another role than the service asks for provides nothing. */
export interface Unpromoted {
  readonly state: 'unpromoted'
}

export const checkAttribute = (service: string): string => `service-${service}`
/** What checks have recorded is in a set of its own: an attribute of the same name in another one is an administrator's. */
export const checkSet = 'systole-services'
export const passedCheck = 'healthy'
export const failedCheck = (reason: string): string => `failing: ${reason}`

/** Of a resource that runs nowhere. */
export const healthNowhere = (resource: PrimitiveResource | GroupResource): InstanceHealth =>
  inactive(resource, primitivesIn(resource))

/** `there`: what is known of the node. */
export function healthOn(
  resource: PrimitiveResource | GroupResource,
  definition: ServiceDefinition,
  { node, there }: { readonly node: NodeName; readonly there: NodeStatus | undefined },
): InstanceHealth | Unpromoted {
  const members = primitivesIn(resource)
  if (there === undefined || !there.online || there.unclean)
    return { state: 'failing', reason: `${node} is not online` }
  const failing = members.find(({ state }) => state.failed && failedOn(state, node))
  if (failing !== undefined) return { state: 'failing', reason: whyFailing(failing, node) }
  const pending = members.flatMap(({ state }) => (state.pending?.node === node ? [state.pending.operation] : []))
  if (pending.some((operation) => goesDown.has(operation))) return { state: 'stopped', reason: 'it is being stopped' }
  const roles = members.map(({ state }) => state.active.find((active) => active.node === node)?.role)
  if (pending.some((operation) => comesUp.has(operation)) || roles.includes(undefined))
    return { state: 'starting', reason: 'not everything of it has started' }
  if (definition.role !== undefined && !roles.includes(definition.role)) return { state: 'unpromoted' }
  return checked(definition, there.attributes, verifiedBy(members, node))
}

const goesDown: ReadonlySet<string> = new Set(['stop', 'demote', 'migrate_to'])
const comesUp: ReadonlySet<string> = new Set(['start', 'promote', 'migrate_from', 'reload', 'reload-agent'])

function inactive({ meta }: PrimitiveResource | GroupResource, members: readonly PrimitiveResource[]): InstanceHealth {
  if (meta.targetRole === 'Stopped') return { state: 'stopped', reason: 'it is disabled' }
  const failed = members.find(({ state }) => state.failed || state.blocked)
  if (failed !== undefined) return { state: 'failing', reason: whyFailing(failed, undefined) }
  const ran = members.some(({ state }) =>
    [...state.history.values()].flat().some(({ operation }) => operation === 'stop'),
  )
  return ran
    ? { state: 'stopped', reason: 'it runs on no node' }
    : { state: 'declared', reason: 'it runs on no node yet' }
}

function failedOn({ onFail, active }: PrimitiveResource['state'], node: NodeName): boolean {
  return onFail === undefined || onFail.node === node || active.length <= 1
}

function whyFailing({ id, state }: PrimitiveResource, node: NodeName | undefined): string {
  const entries = node === undefined ? [...state.history.values()].flat() : (state.history.get(node) ?? [])
  const failure = entries.findLast(isFailure)
  if (failure === undefined) return `${id} has failed`
  const reason = failure.exitReason === '' ? describeExitCode(failure.exitCode) : failure.exitReason
  return `${failure.operation} of ${id} has failed: ${reason}`
}

const pendingStatus = -1

/** Probes find what they find, and what is under way has found nothing yet, whether it has a call id or not. */
const isFailure = ({ operation, intervalMs, exitCode, callId, status }: HistoryEntry): boolean =>
  callId !== -1 &&
  status !== pendingStatus &&
  exitCode !== 0 &&
  exitCode !== 8 &&
  !(operation === 'monitor' && intervalMs === 0 && exitCode === 7)

/** By the member that is looked at least often. */
function verifiedBy(members: readonly PrimitiveResource[], node: NodeName): Verified {
  const each = members.map((member) => verifiedOne(verificationsOn(member, node)[0]))
  const rare = (verified: Verified): number => verified.everyMs ?? Number.POSITIVE_INFINITY
  return each.reduce((worst, one) => (rare(one) > rare(worst) ? one : worst), each[0] ?? { by: 'start' })
}

function verifiedOne(often: Verification | undefined): Verified {
  const { everyMs, since } = often ?? {}
  return {
    by: everyMs === undefined ? 'start' : 'monitor',
    ...(everyMs === undefined ? {} : { everyMs }),
    ...(since === undefined ? {} : { since }),
  }
}

function checked(
  { name, check }: ServiceDefinition,
  attributes: ReadonlyMap<string, string>,
  verified: Verified,
): InstanceHealth {
  if (check.kind === 'monitor') return { state: 'healthy', verified }
  const result = attributes.get(checkAttribute(name))
  if (result === undefined) return { state: 'starting', reason: 'its check has not passed yet' }
  const byCheck: Verified = { by: 'check', everyMs: check.intervalMs }
  if (result === passedCheck) return { state: 'healthy', verified: byCheck }
  const failed = /^failing: (.*)$/s.exec(result)
  if (failed === null)
    return {
      state: 'failing',
      reason: `the node attribute ${checkAttribute(name)} has the value '${result}', which no check has recorded: delete the attribute, or rename the service`,
    }
  return { state: 'failing', reason: `its check fails: ${failed[1]}`, verified: byCheck }
}
