/** The line of a primitive: `web	(ocf:heartbeat:nginx):	 Started alpha (disabled)`. */
import type { NodeName } from '../../base/index.ts'
import { type Agent, roleRank } from '../../cib/index.ts'
import type { PrimitiveResource } from '../cluster-status.ts'
import { failedProbe } from './failed-probe.ts'
import { describedAs, type PrintedStatus } from './printed-status.ts'
import { isDisabled, managementFlag } from './resource-state.ts'

export function printPrimitive(status: PrintedStatus, resource: PrimitiveResource): string {
  const [only, another] = resource.state.active
  const node = another === undefined ? (only?.node ?? lockedOrAskedOn(resource)) : undefined
  return printPrimitiveAs(status, resource, { name: displayName(resource), node })
}

/** Under another name or on another node than its own: a bundle's member is shown where its container runs. */
export function printPrimitiveAs(
  status: PrintedStatus,
  resource: PrimitiveResource,
  shown: { readonly name: string; readonly node: NodeName | undefined },
): string {
  const { name } = shown
  const node = status.hidesNodes === true ? undefined : shown.node
  const nodes = status.hidesNodes === true ? [] : resource.state.active.map((place) => place.node)
  const parts = [
    `${name}\t(${describeAgent(resource.agent)}):\t`,
    ...(resource.orphan ? ['ORPHANED'] : []),
    describeState(status, resource),
    ...(node === undefined || nodes.length > 1 ? [] : [node]),
    ...failedProbe(status, resource, node),
    ...describeFlags(status, resource, node),
    ...(nodes.length > 1 ? [`[ ${nodes.join(' ')} ]`] : []),
  ]
  return parts.join(' ') + describedAs(status, resource.configuredId)
}

const lockedOrAskedOn = ({ state }: PrimitiveResource): NodeName | undefined =>
  state.shutdownLock?.node ?? state.askedOn

/** Instances of anonymous clones are shown without their number. */
function displayName({ id, configuredId, instance }: PrimitiveResource): string {
  return instance !== undefined && !instance.unique ? configuredId : id
}

export function describeAgent({ class: agentClass, provider, type }: Agent): string {
  return provider === undefined ? `${agentClass}:${type}` : `${agentClass}:${provider}:${type}`
}

const pendingStates: Readonly<Record<string, string>> = {
  start: 'Starting',
  stop: 'Stopping',
  migrate_to: 'Migrating',
  migrate_from: 'Migrating',
  promote: 'Promoting',
  demote: 'Demoting',
}

function describeState({ tellsPending }: PrintedStatus, resource: PrimitiveResource): string {
  const role = shownRole(resource)
  if (resource.state.failed) return roleRank(role) > roleRank('Unpromoted') ? `FAILED ${role}` : 'FAILED'
  return tellsPending ? roleOrChange(resource) : role
}

/**
 * For programs: the role, or `Starting`, `Promoting` … while an operation that changes it is under way. Agents wait for a
 * `Promoted` instance to be there, and one that is being promoted is not there yet.
 */
export function roleOrChange(resource: PrimitiveResource): string {
  const { pending } = resource.state
  return (pending === undefined ? undefined : pendingStates[pending.operation]) ?? shownRole(resource)
}

/** Started in a promotable clone is unpromoted: what is not promoted yet has no other role there. */
function shownRole({ state, instance }: PrimitiveResource): string & PrimitiveResource['state']['role'] {
  return state.role === 'Started' && instance?.promotable === true ? 'Unpromoted' : state.role
}

function describeFlags(
  status: PrintedStatus,
  resource: PrimitiveResource,
  nodeName: NodeName | undefined,
): readonly string[] {
  const { state, meta, instance } = resource
  const node = nodeName === undefined ? undefined : status.nodesByName.get(nodeName)
  const promotable = instance?.promotable ?? false
  const flags = [
    ...(node !== undefined && !node.online && node.unclean ? ['UNCLEAN'] : []),
    ...(nodeName !== undefined && state.shutdownLock?.node === nodeName && state.active.length === 0 ? ['LOCKED'] : []),
    ...(status.tellsPending && state.pending?.operation === 'monitor' ? ['Monitoring'] : []),
    ...(isDisabled(meta, promotable)
      ? [meta.targetRole === 'Stopped' ? 'disabled' : `target-role:${meta.targetRole}`]
      : []),
    ...managementFlag(resource, status.options.maintenanceMode),
    ...(state.failureIgnored ? ['failure ignored'] : []),
  ]
  return flags.length === 0 ? [] : [`(${flags.join(', ')})`]
}
