/**
 * The "Node List": nodes whose state needs a word have a line of their own, in the order of their names; the others are
 * collected by kind.
 */
import type { ClusterStatus, NodeStatus } from '../cluster-status.ts'

export function printNodes(status: ClusterStatus): readonly string[] {
  const busy = nodesWithResources(status)
  const lines: string[] = []
  const lists = {
    online: [] as string[],
    offline: [] as string[],
    remoteOnline: [] as string[],
    remoteOffline: [] as string[],
    guestOnline: [] as string[],
  }
  for (const node of status.nodes) {
    const state = stateOf(node, busy)
    // A guest node whose container is stopped is no news.
    if (node.kind === 'guest' && state === 'OFFLINE') continue
    if (state !== 'online' && state !== 'OFFLINE') lines.push(`* ${nodeKind(node)} ${node.name}: ${state}`)
    else if (state === 'online') listOnline(node, lists).push(node.name)
    else listOffline(node, lists).push(node.name)
  }
  return [
    ...lines,
    ...list('Online', lists.online),
    ...list('OFFLINE', lists.offline),
    ...list('RemoteOnline', lists.remoteOnline),
    ...list('RemoteOFFLINE', lists.remoteOffline),
    ...list('GuestOnline', lists.guestOnline),
  ]
}

interface Lists {
  readonly online: string[]
  readonly offline: string[]
  readonly remoteOnline: string[]
  readonly remoteOffline: string[]
  readonly guestOnline: string[]
}

function listOnline({ kind }: NodeStatus, lists: Lists): string[] {
  return kind === 'member' ? lists.online : kind === 'remote' ? lists.remoteOnline : lists.guestOnline
}

function listOffline({ kind }: NodeStatus, lists: Lists): string[] {
  return kind === 'member' ? lists.offline : lists.remoteOffline
}

const list = (title: string, names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [`* ${title}: [ ${names.join(' ')} ]`]

export const nodeKind = ({ kind }: NodeStatus): string =>
  kind === 'member' ? 'Node' : kind === 'remote' ? 'RemoteNode' : 'GuestNode'

function nodesWithResources({ primitivesById }: ClusterStatus): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { state } of primitivesById.values()) for (const { node } of state.active) names.add(node)
  return names
}

/** `standby (with active resources)`: what a node's line says of it. */
export function nodeState(status: ClusterStatus, node: NodeStatus): string {
  return stateOf(node, nodesWithResources(status))
}

function stateOf(node: NodeStatus, busy: ReadonlySet<string>): string {
  const state = baseState(node, busy)
  if (node.health === 'green') return state
  return `${state} (health is ${node.health.toUpperCase()})`
}

/** The first that applies, from what matters most. */
function baseState(node: NodeStatus, busy: ReadonlySet<string>): string {
  if (node.unclean) return `UNCLEAN (${node.online ? 'online' : node.pending ? 'pending' : 'offline'})`
  if (node.pending) return 'pending'
  if (node.standbyOnFail && node.online) return 'standby (on-fail)'
  if (node.standby) {
    if (!node.online) return 'OFFLINE (standby)'
    return busy.has(node.name) ? 'standby (with active resources)' : 'standby'
  }
  if (node.maintenance) return node.online ? 'maintenance' : 'OFFLINE (maintenance)'
  return node.online ? 'online' : 'OFFLINE'
}
