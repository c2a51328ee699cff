/**
 * `cluster node add` and `cluster node remove`. A node that is added is told of in the store before it exists, as one that is
 * known to be off; once it has joined, the DC gives it a vote where the rule wants one (vote-keeper.ts). A node that is removed
 * gives its vote back first, while its own member can still help to agree on that; then it leaves, its resources first; then
 * it is forgotten.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { NodeName } from '../../base/index.ts'
import {
  addNode as addCibNode,
  describeEditReport,
  type EditResult,
  type NodeStateRecord,
  printXml,
  removeNode as removeCibNode,
  type XmlElement,
} from '../../cib/index.ts'
import { refuse } from '../../rpc/index.ts'
import { saveConfiguration } from '../configuration/configuration-edit.ts'
import type { Daemon } from '../daemon.ts'
import { forgetRecords } from '../records/forget-node.ts'
import { toBytes } from '../records/json-value.ts'
import { keys } from '../records/keys.ts'
import { type ClusterFile, type ClusterNodeEntry, defaultPorts, printClusterFile, storeHosts } from './cluster-file.ts'
import { addressesOf, linksOf, withLinks } from './node-links.ts'
import { changeNodeList, type NodeList, ofNodes, revoking } from './node-list.ts'
import { plainAddress } from './plain-address.ts'

const attempts = 5
const stopTimeoutMs = 30 * 60_000
const voteTimeoutMs = 60_000
const leftTimeoutMs = 30_000
const shareTimeoutMs = 15_000

export async function addNode(
  daemon: Daemon,
  asked: { readonly name: NodeName; readonly addresses: readonly string[] },
): Promise<void> {
  const added = { name: asked.name, addresses: asked.addresses.map(plainAddress) }
  const { file } = quorateNode(daemon)
  if (storeHosts(file).some(({ name }) => name === added.name))
    throw refuse('node-exists', `The cluster has a node or a witness '${added.name}' already.`)
  const inUse = added.addresses.flatMap((address) =>
    storeHosts(file)
      .filter((host) => addressesOf(host).includes(address))
      .map((host) => `The address ${address} is that of ${host.name}.`),
  )
  if (inUse.length > 0) throw refuse('address-in-use', ...inUse)
  // In the order of their numbers, as `cluster setup` has them.
  const links = linksOf(file.nodes[0] ?? { address: '' })
  if (links.length !== added.addresses.length)
    throw refuse(
      'links-differ',
      `The cluster has ${links.length} ${links.length === 1 ? 'link' : 'links'} and ${added.name} gets ${added.addresses.length} of its addresses: write one addr=<address> for each link.`,
    )
  if (file.store.kind === 'embedded') await moveToEtcd(daemon)
  await tellOfNode(daemon, added)
}

/** The embedded store is one node's. */
async function moveToEtcd(daemon: Daemon): Promise<void> {
  await daemon.moveToEtcd()
  const rules = (): boolean => daemon.node.quorate && daemon.node.view.dc?.node === daemon.name
  if (await until(() => rules() && daemon.node.view.configuration !== undefined, leftTimeoutMs)) return
  throw refuse('no-quorum', 'The state of the cluster has moved to etcd, which does not answer yet: try again.')
}

async function tellOfNode(
  daemon: Daemon,
  added: { readonly name: NodeName; readonly addresses: readonly string[] },
): Promise<void> {
  const { file, store, view } = quorateNode(daemon)
  const id = String(Math.max(...file.nodes.map((node) => Number(node.id) || 0)) + 1)
  // A node that is listed and was never seen would be fenced at once: it might be running anything.
  const off: NodeStateRecord = {
    node: added.name,
    id,
    inCcm: false,
    crmd: 'offline',
    join: 'down',
    expected: 'down',
    reason: 'added, has not joined yet',
    ...(view.dc === undefined ? {} : { term: view.dc.term }),
  }
  await store.transaction({
    compare: [{ kind: 'absent', key: keys.nodeState(added.name) }],
    writes: [{ kind: 'put', key: keys.nodeState(added.name), value: toBytes(off) }],
  })
  await editCib(daemon, `cluster node add ${added.name}`, (cib) => addCibNode(cib, { id, name: added.name }))
  const { name, addresses } = added
  const links = linksOf(file.nodes[0] ?? { address: '' })
  const host: ClusterNodeEntry = {
    name,
    id,
    address: addresses[0] ?? name,
    ports: defaultPorts,
    votes: false,
    // Nobody is it before it has joined.
    keys: [],
  }
  const entry = withLinks(
    host,
    links.map((link, index) => ({ ...link, address: addresses[index] ?? host.address })),
  )
  const others = (nodes: readonly ClusterNodeEntry[]) => nodes.filter(({ name }) => name !== added.name)
  tellIdleNodes(
    daemon,
    await changeNodeList(
      store,
      file,
      ofNodes((nodes) => [...others(nodes), entry]),
    ),
  )
}

export async function removeNode(daemon: Daemon, removed: NodeName): Promise<void> {
  const { store, file } = quorateNode(daemon)
  refuseRemoval(daemon, removed)
  const peer = daemon.peer(removed)
  const isIt = ({ name }: ClusterNodeEntry): boolean => name === removed
  const leaving = ofNodes((nodes) => nodes.map((node) => (isIt(node) ? { ...node, leaving: true } : node)))
  const marked = await changeNodeList(store, file, leaving)
  try {
    await voteGiven(daemon, removed, marked.nodesVersion)
    await shareGiven(daemon, removed)
    if (daemon.node.view.members.has(removed)) await peer.stopCluster({}, { timeoutMs: stopTimeoutMs })
    await left(daemon, removed)
  } catch (error) {
    await changeNodeList(
      store,
      daemon.node.file,
      ofNodes((nodes) => nodes.map(staying(removed))),
    )
    throw error
  }
  await editCib(daemon, `cluster node remove ${removed}`, (cib) => removeCibNode(cib, { name: removed }))
  await forgetRecords(store, removed)
  await daemon.tokens.withdraw(({ node }) => node === removed)
  // One that is off finds that the list does not name it any more when it is back.
  await peer.forget({}).catch((error: unknown) => daemon.log.info('the removed node was not told', { removed, error }))
  const kept = (list: NodeList): NodeList =>
    revoking({ ...list, nodes: list.nodes.filter((node) => !isIt(node)) }, list.nodes.filter(isIt))
  tellIdleNodes(daemon, await changeNodeList(store, daemon.node.file, kept))
}

/** Daemons that take no part do not follow the store. Nobody waits for them: they read it when they start. */
export function tellIdleNodes(daemon: Daemon, file: ClusterFile): void {
  const { view } = daemon.node
  const json = printClusterFile(file)
  for (const { name } of file.nodes.filter((node) => node.name !== daemon.name && !view.members.has(node.name)))
    Promise.resolve()
      .then(async () => await daemon.peer(name).updateClusterFile({ json }))
      .catch((error: unknown) => daemon.log.info('an idle node was not told of the new list', { node: name, error }))
}

const staying =
  (node: NodeName) =>
  (entry: ClusterNodeEntry): ClusterNodeEntry => {
    if (entry.name !== node) return entry
    const { leaving: _not, ...rest } = entry
    return rest
  }

/** Where the list of nodes may be changed. */
export function quorateNode(daemon: Daemon): Daemon['node'] {
  if (daemon.node.quorate) return daemon.node
  throw refuse('no-quorum', 'This node has no quorum: the list of nodes cannot be changed here.')
}

function refuseRemoval(daemon: Daemon, removed: NodeName): void {
  const { file, view, isUp } = daemon.node
  const entry = file.nodes.find(({ name }) => name === removed)
  if (!entry) throw refuse('not-in-list', `${removed} is no node of the cluster's list: a remote node is a resource.`)
  if (removed === daemon.name)
    throw refuse(
      'own-node',
      'A node cannot remove itself: run this on another node, or `systole cluster destroy` here.',
    )
  const expected = view.nodeStates.get(removed)?.expected === 'member'
  if (!isUp(removed) && (expected || view.members.has(removed)))
    throw refuse(
      'node-lost',
      `${removed} is lost and what runs on it is not known: fence it, or confirm with \`systole stonith confirm ${removed}\` that it is off.`,
    )
  const loss = lostVotes(file, removed, (host) => isUp(host) || daemon.node.hearsWitness(host))
  if (loss !== undefined) throw refuse('would-lose-quorum', loss)
}

/** `isUp`: of the witness, too. The others must be a majority among themselves, or nothing more could be decided, not even this. */
export function lostVotes(file: ClusterFile, removed: NodeName, isUp: (node: NodeName) => boolean): string | undefined {
  if (file.store.kind !== 'etcd') return undefined
  const others = storeHosts(file).filter(({ name, votes }) => votes && name !== removed)
  const missing = others.filter(({ name }) => !isUp(name)).map(({ name }) => name)
  if (others.length - missing.length > others.length / 2) return undefined
  const [are, start] = missing.length === 1 ? ['is', 'it'] : ['are', 'them']
  return `Without ${removed} the cluster would lose its quorum, because ${missing.join(', ')} ${are} not there: start ${start} first.`
}

/** By the list in which it is leaving, or a newer one: an older one may not yet tell of a vote that it was given. */
async function voteGiven(daemon: Daemon, removed: NodeName, sinceVersion: number): Promise<void> {
  if (daemon.node.file.store.kind !== 'etcd') return
  const voteless = ({ nodes, nodesVersion }: ClusterFile): boolean =>
    nodesVersion >= sinceVersion && !nodes.some(({ name, votes }) => name === removed && votes)
  if (await until(() => voteless(daemon.node.file), voteTimeoutMs)) return
  throw refuse('vote-kept', `The other voters did not agree to go on without ${removed}: it stays a node.`)
}

/**
 * While the node that leaves is there, its share of the authority's key still counts: the others have a new generation first. Where one alone is
 * left, it could sign nothing any more without that; otherwise it is done later as well.
 */
async function shareGiven(daemon: Daemon, removed: NodeName): Promise<void> {
  const { node } = daemon
  const hasShare = (): boolean => node.authority.record?.holders.some(({ name }) => name === removed) === true
  if (!node.isUp(removed) || (await until(() => !hasShare(), shareTimeoutMs))) return
  if (node.file.nodes.length > 2) return
  throw refuse(
    'share-kept',
    `The share that ${removed} has of the authority’s key could not be replaced: it stays a node.`,
  )
}

/** Out of the membership and recorded so by the DC: what is deleted before would be written again. */
async function left(daemon: Daemon, removed: NodeName): Promise<void> {
  const gone = (): boolean => {
    const { view } = daemon.node
    const state = view.nodeStates.get(removed)
    return !view.members.has(removed) && (state === undefined || (state.expected === 'down' && state.join === 'down'))
  }
  if (await until(gone, leftTimeoutMs)) return
  throw refuse('has-not-left', `${removed} has not left the cluster: it stays a node.`)
}

export async function until(holds: () => boolean, timeoutMs: number): Promise<boolean> {
  const end = performance.now() + timeoutMs
  while (!holds()) {
    if (performance.now() > end) return false
    await delay(50)
  }
  return true
}

async function editCib(daemon: Daemon, command: string, edit: (cib: XmlElement) => EditResult): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { configuration } = daemon.node.view
    if (!configuration) throw refuse('no-configuration', 'The configuration is not known yet.')
    const edited = edit(configuration.cib)
    if (!edited.ok) {
      // Done before, by a removal that was interrupted.
      if (edited.reports.every(({ code }) => code === 'node-not-found')) return
      throw refuse('not-possible', ...edited.reports.map(describeEditReport))
    }
    const xml = printXml(edited.value.cib)
    const pushed = { xml, expectedVersion: configuration.version, user: 'root', command }
    if ((await saveConfiguration(daemon.node, pushed)).kind === 'saved') return
    await delay(100)
  }
  throw refuse('conflict', 'The configuration was changed by somebody else several times in a row: try again.')
}
