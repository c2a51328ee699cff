/**
 * What adding, removing and keeping a node make of the list of nodes and of the records, and when each is refused. No I/O: the commands write it
 * (add-remove-node.ts), the DC does (removal-work.ts), and the simulation.
 */
import type { NodeName } from '../../base/index.ts'
import type { NodeStateRecord } from '../../cib/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { type RefusedError, refuse } from '../../rpc/index.ts'
import { type ClusterFile, type ClusterNodeEntry, defaultPorts, storeHosts } from './cluster-file.ts'
import { linksOf, withLinks } from './node-links.ts'
import { type NodeList, ofNodes, revoking } from './node-list.ts'

export interface AddedNode {
  readonly name: NodeName
  readonly addresses: readonly string[]
}

/** What could not be added leaves nothing behind; whoever has joined by it meanwhile stays. */
export const withdrawn = ({ name, id }: Pick<ClusterNodeEntry, 'name' | 'id'>): ((list: NodeList) => NodeList) =>
  ofNodes((nodes) => nodes.filter((node) => node.name !== name || node.id !== id || node.keys?.length !== 0))

/** With an id that nobody else gets: two who add nodes at once both end well. */
export const withNewNode = (added: AddedNode): ((list: NodeList) => NodeList) =>
  ofNodes((nodes) => {
    if (nodes.some(({ name }) => name === added.name))
      throw refuse('node-exists', `Another user has just added ${added.name}.`)
    return [...nodes, newEntry(nodes, added)]
  })

/** `keys`: nobody is it before it has joined. */
function newEntry(nodes: readonly ClusterNodeEntry[], { name, addresses }: AddedNode): ClusterNodeEntry {
  const id = String(Math.max(0, ...nodes.map((node) => Number(node.id) || 0)) + 1)
  const address = addresses[0] ?? name
  const host: ClusterNodeEntry = { name, id, address, ports: defaultPorts, votes: false, keys: [] }
  const links = linksOf(nodes[0] ?? { address: '' })
  return withLinks(
    host,
    links.map((link, index) => ({ ...link, address: addresses[index] ?? address })),
  )
}

/** A node that is listed and was never seen would be fenced at once: it might be running anything. */
export const offState = (
  { name, id }: Pick<ClusterNodeEntry, 'name' | 'id'>,
  reason: string,
  term: number | undefined,
): NodeStateRecord => ({
  node: name,
  id,
  inCcm: false,
  crmd: 'offline',
  join: 'down',
  expected: 'down',
  reason,
  ...(term === undefined ? {} : { term }),
})

/** Of a node of that name that was removed. One that is lost may run something: that stays known. */
export const isOutdatedState = (state: NodeStateRecord | undefined, added: Pick<ClusterNodeEntry, 'keys'>): boolean =>
  state?.expected === 'down' && state.join === 'down' && added.keys?.length === 0

/** Refuses where nobody would stay: two users may remove nodes at once, and the last one could never give its vote to anybody. */
export const marked = (node: NodeName): ((list: NodeList) => NodeList) =>
  ofNodes((nodes) => {
    if (!nodes.some(({ name, leaving }) => name !== node && leaving !== true))
      throw refuse(
        'last-node',
        `All other nodes are being removed, so ${node} has to stay. To keep another one: \`systole cluster node remove --cancel <node>\``,
      )
    return nodes.map((entry) => (entry.name === node ? { ...entry, leaving: true } : entry))
  })

/** It is not removed after all. */
export const staying = (kept: NodeName): ((list: NodeList) => NodeList) =>
  ofNodes((nodes) =>
    nodes.map((entry) => {
      const { leaving: _not, ...rest } = entry
      return entry.name === kept ? rest : entry
    }),
  )

/** Where it is still leaving: its certificates open nothing any more. */
export const withoutNode =
  (removed: NodeName) =>
  (list: NodeList): NodeList => {
    const isIt = ({ name, leaving }: ClusterNodeEntry): boolean => name === removed && leaving === true
    return revoking({ ...list, nodes: list.nodes.filter((entry) => !isIt(entry)) }, list.nodes.filter(isIt))
  }

/** Undefined: its removal may begin. */
export function whyNotRemoved(
  removed: NodeName,
  by: {
    readonly self: NodeName
    readonly file: ClusterFile
    readonly view: Pick<ClusterView, 'members' | 'nodeStates'>
    /** Of a node. */
    readonly isUp: (node: NodeName) => boolean
    readonly hearsWitness: (host: NodeName) => boolean
  },
): RefusedError | undefined {
  const { self, file, view, isUp, hearsWitness } = by
  if (!file.nodes.some(({ name }) => name === removed))
    return refuse('not-in-list', `${removed} is not in the cluster's node list: a remote node is a resource.`)
  if (removed === self)
    return refuse(
      'own-node',
      'A node cannot remove itself. Run the command on another node, or `systole cluster destroy` here.',
    )
  const expected = view.nodeStates.get(removed)?.expected === 'member'
  if (!isUp(removed) && (expected || view.members.has(removed)))
    return refuse(
      'node-lost',
      `${removed} is lost and its resources are unknown. Fence it, or confirm with \`systole stonith confirm ${removed}\` that it is off.`,
    )
  const loss = lostVotes(file, removed, (host) => isUp(host) || hearsWitness(host))
  return loss === undefined ? undefined : refuse('would-lose-quorum', loss)
}

/** `isUp`: of the witness, too. The others must be a majority among themselves, or nothing more could be decided, not even this. */
export function lostVotes(file: ClusterFile, removed: NodeName, isUp: (node: NodeName) => boolean): string | undefined {
  if (file.store.kind !== 'etcd') return undefined
  const others = storeHosts(file).filter(({ name, votes }) => votes && name !== removed)
  const missing = others.filter(({ name }) => !isUp(name)).map(({ name }) => name)
  if (others.length - missing.length > others.length / 2) return undefined
  const [are, start] = missing.length === 1 ? ['is', 'it'] : ['are', 'them']
  return `Without ${removed} the cluster would lose quorum, because ${missing.join(', ')} ${are} offline. Start ${start} first.`
}
