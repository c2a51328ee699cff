/**
 * `quorum device add`, `remove` and `update` to another host. A witness that is added is in the list first, without a vote; the DC gives it one
 * when its host has joined and the nodes' votes are even in number (vote-keeper.ts). One that is removed gives its vote back first, while
 * the nodes are a majority among themselves.
 */
import type { NodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { connectWitness, refuse } from '../../rpc/index.ts'
import type { Daemon } from '../lifecycle/daemon.ts'
import { type ClusterFile, defaultPorts, type WitnessEntry } from '../node-list/cluster-file.ts'
import { lostVotes } from '../node-list/node-changes.ts'
import { addressesOf } from '../node-list/node-links.ts'
import { changeNodeList, isSameWitness, ofWitness, succeededBy } from '../node-list/node-list.ts'
import { readIdentity } from '../pki/identity.ts'
import { quorateNode, tellIdleNodes, until } from './add-remove-node.ts'

const voteTimeoutMs = 60_000

export async function addWitness(
  daemon: Daemon,
  added: { readonly name: NodeName; readonly address: string },
): Promise<void> {
  const { store, file, hearsWitness } = await quorateNode(daemon)
  const { witness } = file
  // Asked once more for one that has not come yet: another token.
  if (witness && isSameWitness(witness, added) && !hearsWitness(witness.name)) return
  if (witness) throw witnessExists(witness, added)
  refuseWitness(daemon, added)
  const listed = await changeNodeList(store, file, (list) => {
    const { witness: other } = list
    if (other && !isSameWitness(other, added)) throw witnessExists(other, added)
    return { ...list, witness: other ?? newWitness(added) }
  })
  tellIdleNodes(daemon, listed)
}

const witnessExists = (witness: WitnessEntry, added: { readonly name: NodeName }): Error =>
  refuse(
    'witness-exists',
    `The cluster already has the witness ${witness.name}. Remove it first (\`systole quorum device remove\`), or replace it (\`systole quorum device update model host=${added.name}\`).`,
  )

/** The old one is out and the new one in with one change of the list, so that it names one of them at any time. */
export async function replaceWitness(
  daemon: Daemon,
  added: { readonly name: NodeName; readonly address: string },
): Promise<void> {
  const { witness } = (await quorateNode(daemon)).file
  if (!witness) throw noWitness()
  if (isSameWitness(witness, added)) throw refuse('is-witness', `${added.name} is already the witness.`)
  refuseWitness(daemon, added)
  await takeOut(daemon, witness, newWitness(added))
}

const newWitness = (added: { readonly name: NodeName; readonly address: string }): WitnessEntry => ({
  ...added,
  ports: defaultPorts,
  votes: false,
  keys: [],
})

const noWitness = (): Error => refuse('no-witness', 'The cluster has no witness.')

function refuseWitness(daemon: Daemon, { name, address }: { readonly name: NodeName; readonly address: string }): void {
  const { file, view } = daemon.node
  if (file.store.kind === 'external')
    throw refuse(
      'external-store',
      `This cluster uses the etcd at ${file.store.endpoints.join(', ')}, whose members vote. Add a third etcd member to break ties instead of a witness.`,
    )
  if (file.store.kind !== 'etcd' || file.nodes.length < 2)
    throw refuse('one-node', 'A cluster of one node needs no witness. Add a node first (`systole cluster node add`).')
  const known = [...file.nodes.map((node) => node.name), ...view.nodeStates.keys()]
  if (known.includes(name))
    throw refuse('is-node', `${name} is a node of the cluster. A witness must be a separate host.`)
  const sameAddress = file.nodes.find((node) => addressesOf(node).includes(address))
  if (sameAddress)
    throw refuse(
      'address-in-use',
      `The address ${address} is that of the node ${sameAddress.name}. A witness must be a separate host.`,
    )
  const unready = nodesWithoutWitness(file, view.members)
  if (unready.length > 0) throw refuse('not-upgraded', ...unready)
}

/** A sentence for each node whose daemon could not read a list with a witness, or might not: it would end at once, and be fenced. */
export function nodesWithoutWitness(
  { nodes }: Pick<ClusterFile, 'nodes'>,
  members: ClusterView['members'],
): readonly string[] {
  return nodes.flatMap(({ name }) => {
    const record = members.get(name)
    if (record?.knowsWitness === true) return []
    return record === undefined
      ? [`${name} is offline, and its version of Systole may not support a witness. Start it first.`]
      : [
          `The version of Systole on ${name} (${record.daemonVersion || 'unknown'}) does not support a witness. Upgrade it first.`,
        ]
  })
}

/** `meant`: the witness that the administrator knows of; whoever took its place meanwhile stays. */
export async function removeWitness(
  daemon: Daemon,
  meant: { readonly name: string; readonly address: string },
): Promise<void> {
  const { witness } = (await quorateNode(daemon)).file
  if (!witness) throw noWitness()
  if (meant.name !== '' && (meant.name !== witness.name || meant.address !== witness.address))
    throw refuse(
      'another-witness',
      `The witness is now ${witness.name} (${witness.address}), not ${meant.name} (${meant.address}). Nothing was changed. Check 'systole quorum device status' and try again.`,
    )
  await takeOut(daemon, witness)
}

async function takeOut(daemon: Daemon, witness: WitnessEntry, successor?: WitnessEntry): Promise<void> {
  const { store, file, isUp } = await quorateNode(daemon)
  const loss = witness.votes ? lostVotes(file, witness.name, isUp) : undefined
  if (loss !== undefined) throw refuse('would-lose-quorum', loss)
  let listed = await changeNodeList(store, file, ofWitness(witness, marked('leaving')))
  while (listed.witness && isSameWitness(listed.witness, witness)) {
    const { nodesVersion } = listed
    const voteless = (): boolean =>
      daemon.node.file.nodesVersion >= nodesVersion && daemon.node.file.witness?.votes !== true
    if (!(await until(voteless, voteTimeoutMs))) {
      await changeNodeList(store, daemon.node.file, ofWitness(witness, marked('staying')))
      throw refuse('vote-kept', `The nodes could not remove the vote of ${witness.name}, which remains the witness.`)
    }
    // While it can read in the store that it is leaving: afterwards its certificate opens nothing.
    await tellWitness(daemon, witness)
    listed = await changeNodeList(store, daemon.node.file, ofWitness(witness, succeededBy(successor)))
  }
  tellIdleNodes(daemon, listed)
}

const marked =
  (as: 'leaving' | 'staying') =>
  ({ leaving: _before, ...entry }: WitnessEntry): WitnessEntry =>
    as === 'leaving' ? { ...entry, leaving: true } : entry

/** One that is off learns nothing, and does nothing: its member was taken out. */
async function tellWitness(daemon: Daemon, { name: node, address: host, ports }: WitnessEntry): Promise<void> {
  const client = connectWitness({ node, host, port: ports.peer }, readIdentity(daemon.paths.pki))
  try {
    await client.forget({}, { timeoutMs: 4000 })
  } catch (error) {
    daemon.log.info('the removed witness did not receive the removal', { witness: node, error })
  } finally {
    client.close()
  }
}
