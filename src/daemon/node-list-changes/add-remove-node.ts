/**
 * `cluster node add` and `cluster node remove`. A node that is added is told of in the store before it exists, as one that is
 * known to be off; once it has joined, the DC gives it a vote where the rule wants one (vote-keeper.ts). A node that is removed
 * gives its vote back first, while its own member can still help to agree on that; then it leaves, its resources first; then
 * it is forgotten.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { NodeName } from '../../base/index.ts'
import { addNode as addCibNode } from '../../cib/index.ts'
import { refuse } from '../../rpc/index.ts'
import { plainAddress } from '../host/plain-address.ts'
import type { Daemon } from '../lifecycle/daemon.ts'
import { type ClusterFile, type ClusterNodeEntry, printClusterFile, storeHosts } from '../node-list/cluster-file.ts'
import { type AddedNode, marked, whyNotRemoved, withdrawn, withNewNode } from '../node-list/node-changes.ts'
import { addressesOf, linksOf } from '../node-list/node-links.ts'
import { changeNodeList } from '../node-list/node-list.ts'
import { alikeHosts } from '../node-list/node-names.ts'
import { forgetRecords } from '../removal/forget-node.ts'
import { type RemovalStep, removalStep, wayOut, whyNotYet } from '../removal/removal-core.ts'
import { cancelRemoval, editCib, recordAdded } from '../removal/removal-work.ts'
import { quorumSoon } from '../shared-state/quorum-soon.ts'

const leftTimeoutMs = 30_000

export async function addNode(daemon: Daemon, asked: AddedNode): Promise<void> {
  const added = { name: asked.name, addresses: asked.addresses.map(plainAddress) }
  const { file } = await quorateNode(daemon)
  if (storeHosts(file).some(({ name }) => name === added.name))
    throw refuse(
      'node-exists',
      `The cluster already has a node or witness '${added.name}'. For another token, if it has not joined: systole cluster token --node=${added.name}`,
    )
  const host = { name: added.name, address: added.addresses[0] ?? added.name }
  const alike = storeHosts(file).flatMap((other) => alikeHosts([other, host]))
  if (alike.length > 0) throw refuse('names-alike', ...alike)
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
      `The cluster has ${links.length} ${links.length === 1 ? 'link' : 'links'}, but ${added.name} gets ${added.addresses.length} of its addresses. Specify one addr=<address> for each link.`,
    )
  if (file.store.kind === 'embedded') await moveToEtcd(daemon)
  await tellOfNode(daemon, added)
}

/** The embedded store is one node's. */
async function moveToEtcd(daemon: Daemon): Promise<void> {
  await daemon.moveToEtcd()
  const rules = (): boolean => daemon.node.quorate && daemon.node.view.dc?.node === daemon.name
  if (await until(() => rules() && daemon.node.view.configuration !== undefined, leftTimeoutMs)) return
  throw refuse('no-quorum', 'The state of the cluster has moved to etcd, which does not answer yet. Try again.')
}

/** Its place in the list first, then its state, and only then the configuration. */
async function tellOfNode(daemon: Daemon, added: AddedNode): Promise<void> {
  const { file, store } = await quorateNode(daemon)
  const listed = await changeNodeList(store, file, withNewNode(added))
  const entry = listed.nodes.find(({ name }) => name === added.name)
  if (!entry) throw refuse('conflict', `Another user has removed ${added.name} again. Try again.`)
  try {
    await recordAdded(daemon.node, entry)
    await editCib(daemon.node, `cluster node add ${added.name}`, (cib) => addCibNode(cib, entry))
  } catch (error) {
    await withdrawEntry(daemon, entry)
    throw error
  }
  tellIdleNodes(daemon, listed)
}

/** Its records last: where somebody has joined by it meanwhile, they are needed. */
async function withdrawEntry(daemon: Daemon, entry: ClusterNodeEntry): Promise<void> {
  const { store, file } = daemon.node
  try {
    const { nodes } = await changeNodeList(store, file, withdrawn(entry))
    if (!nodes.some(({ name }) => name === entry.name)) await forgetRecords(store, entry.name)
  } catch (error) {
    daemon.log.warn('a node that could not be added is still in the list', { node: entry.name, error })
  }
}

/** Begins it, and waits until the DC has done it (removal-work.ts). Whatever becomes of this command, the DC carries on. */
export async function removeNode(daemon: Daemon, removed: NodeName): Promise<void> {
  const { name: self, store, file, view, isUp, hearsWitness } = await quorateNode(daemon)
  const why = whyNotRemoved(removed, { self, file, view, isUp, hearsWitness })
  if (why !== undefined) throw why
  daemon.list.take(await changeNodeList(store, file, marked(removed)), 'store')
  daemon.node.beginRemoval(removed)
  const entry = (): ClusterNodeEntry | undefined => daemon.node.file.nodes.find(({ name }) => name === removed)
  let waitsSince = performance.now()
  let last: string | undefined
  for (;;) {
    const now = entry()
    if (now === undefined) return
    if (now.leaving !== true) throw refuse('cancelled', `The removal of ${removed} was cancelled. It remains a node.`)
    const seen = daemon.node.removals
    const step = removalStep(seen, now)
    if (step !== last) waitsSince = performance.now()
    last = step
    if (performance.now() - waitsSince > patienceMs[step])
      throw refuse('not-yet', `${removed} is still being removed: ${whyNotYet(seen, now)}. ${wayOut(removed)}`)
    await delay(pollMs)
  }
}

const pollMs = 50
/** Resources are given their own time limits to stop. */
const patienceMs: Readonly<Record<RemovalStep, number>> = {
  vote: 60_000,
  share: 60_000,
  stop: 30 * 60_000,
  leave: 30_000,
  forget: 30_000,
}

export async function keepNode(daemon: Daemon, kept: NodeName): Promise<void> {
  tellIdleNodes(daemon, await cancelRemoval(await quorateNode(daemon), kept))
}

/** Daemons that take no part do not follow the store. Nobody waits for them: they read it when they start. */
export function tellIdleNodes(daemon: Daemon, file: ClusterFile): void {
  const { view } = daemon.node
  const json = printClusterFile(file)
  for (const { name } of file.nodes.filter((node) => node.name !== daemon.name && !view.members.has(node.name)))
    Promise.resolve()
      .then(async () => await daemon.peer(name).updateClusterFile({ json }))
      .catch((error: unknown) =>
        daemon.log.info('an idle node did not receive the new node list', { node: name, error }),
      )
}

/** Where the list of nodes may be changed. */
export async function quorateNode(daemon: Daemon): Promise<Daemon['node']> {
  if (await quorumSoon(daemon.node)) return daemon.node
  throw refuse('no-quorum', 'This node has no quorum and cannot change the node list.')
}

export async function until(holds: () => boolean, timeoutMs: number): Promise<boolean> {
  const end = performance.now() + timeoutMs
  while (!holds()) {
    if (performance.now() > end) return false
    await delay(50)
  }
  return true
}
