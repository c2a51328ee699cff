/**
 * Whether a remote or guest node is online: while its connection runs, and for guests their container (Pacemaker Remote).
 *
 * | connection | container | node |
 * | --- | --- | --- |
 * | running | running or none | online |
 * | running, but to be stopped | | online, shutting down |
 * | | failed | offline, to be reset |
 * | failed | | offline |
 * | stopped | | offline |
 * | | stopped | offline |
 * | | on a node that is unclean and offline | offline, to be reset |
 */
import { parseBoolean } from '../../cib/index.ts'
import { isActiveRole, type NodeDraft, type World } from '../drafts.ts'
import type { RecordedNode } from '../records.ts'
import { addTransientAttributes, isSince } from './nodes.ts'

export function updateRemoteOnline(world: World, node: NodeDraft): void {
  const connection = node.connectionResource
  node.online = false
  if (connection === undefined) return
  const { state, container } = connection
  if (state.role === 'Started') node.online = true
  if (state.role === 'Started' && wantsToStop(state.demandedRole?.role, connection.meta.targetRole))
    node.shutdown = true
  if (container?.state.failed === true) {
    node.online = false
    node.requiresReset = true
  } else if (state.failed) node.online = false
  else if (!isActiveRole(state.role) || (container !== undefined && !isActiveRole(container.state.role))) {
    node.online = false
    node.requiresReset = false
  } else if (container !== undefined && isOnLostHost(world, [...container.state.active.keys()])) {
    node.online = false
    node.requiresReset = true
  }
}

const wantsToStop = (...roles: readonly (string | undefined)[]): boolean => roles.includes('Stopped')

function isOnLostHost(world: World, names: readonly NodeDraft['name'][]): boolean {
  const [only, another] = names
  const host = only === undefined || another !== undefined ? undefined : world.nodes.get(only)
  return host !== undefined && !host.online && host.unclean
}

/** Read with the node's history: its attributes, and what an unmanaged connection means for it. */
export function readRemoteFlags(node: NodeDraft, recorded: RecordedNode): void {
  addTransientAttributes(node, recorded)
  const connection = node.connectionResource
  if (!node.requiresReset) {
    node.unclean = false
    node.unseen = false
  }
  if (Number.parseInt(node.attributes.get('shutdown') ?? '0', 10) > 0) node.shutdown = true
  if (parseBoolean(node.attributes.get('standby')) === true) node.standby = true
  const unmanaged = connection !== undefined && !connection.state.managed
  if (parseBoolean(node.attributes.get('maintenance')) === true || unmanaged) node.maintenance = true
  node.recordedMaintenance = isSince(recorded.attributes.node_in_maintenance)
  if (parseBoolean(node.attributes.get('resource-discovery-enabled')) === false) node.discoveryEnabled = false
  node.unfencedAt = Number.parseInt(node.attributes.get('#node-unfenced') ?? '0', 10) || 0
}
