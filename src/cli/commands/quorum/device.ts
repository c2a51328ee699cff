/** The cluster's witness, by the words that pcs has for a quorum device of the model `net`. */
import type { ClusterState, ClusterStateWitness } from '../../../rpc/index.ts'
import { type Command, done, Refusal } from '../../command.ts'
import { liveCluster } from '../../live.ts'
import { alignColumns } from '../../table.ts'
import { expectWords, parsePairs, splitSections } from '../../words.ts'
import { readNodes, withAddresses } from '../cluster/setup.ts'

const addUsage = 'quorum device add model net host=<host> [addr=<address>] [algorithm=ffsplit]'

export const quorumDeviceAdd: Command = {
  path: ['quorum', 'device', 'add'],
  usage: 'model net host=<host> [addr=<address>] [algorithm=ffsplit]',
  summary: 'Let a host outside of the cluster vote, and print the command to run there',
  details:
    'The witness runs a member of the store and no resources. It votes while the number of voting nodes is even: two nodes and it are three votes, four are five. With algorithm=ffsplit, the only one, half of the nodes go on with its vote, and the other half does not.',
  examples: ['systole quorum device add model net host=w1 algorithm=ffsplit'],
  run: async (call) => {
    const [written] = readNodes(readDevice(call.words))
    if (!written) throw new Refusal(`The witness's host is missing: systole ${addUsage}.`)
    const live = liveCluster(call)
    const [host = written] = await withAddresses(call, [written])
    const { localNode, members } = await live.getState({})
    const { token, validUntil } = await live.addWitness(host)
    const address = members.find((member) => member.node === localNode)?.address ?? localNode
    const setup = `systole qdevice setup model net --join=${address} --token=${token} --enable --start`
    return done(`Run this on ${host.name} (valid until ${validUntil}):\n  ${setup}\n`, {
      host: host.name,
      address: host.address,
      joinToken: token,
      joinTokenValidUntil: validUntil,
      setupCommand: setup,
    })
  },
}

/** What pcs takes is read whole, and what cannot be so here is refused. The words of `host=` and `addr=` as those of a node. */
function readDevice(words: readonly string[]): readonly string[] {
  const [generic, model, ...more] = splitSections(words, ['model', 'heuristics'])
  if (model?.keyword !== 'model') throw new Refusal(`Something is missing: systole ${addUsage}.`)
  if (more.length > 0)
    throw new Refusal('A witness has no heuristics: which half goes on is decided by whose votes are a majority.')
  const [kind, ...options] = model.words
  if (kind !== 'net') throw new Refusal(`There is no quorum device of the model '${kind ?? ''}': write model net.`)
  const {
    host,
    addr,
    algorithm = 'ffsplit',
    tls = 'on',
    ...unknown
  } = Object.fromEntries(parsePairs(options, 'options'))
  if (host === undefined) throw new Refusal(`The witness's host is missing: systole ${addUsage}.`)
  if (algorithm !== 'ffsplit')
    throw new Refusal(
      `A witness votes for the half that reaches it, which is algorithm=ffsplit: algorithm=${algorithm} would give nodes without a majority the right to act.`,
    )
  if (tls === 'off') throw new Refusal('A witness speaks TLS only: leave out tls=off.')
  const surplus = [...(generic?.words ?? []), ...Object.entries(unknown).map(([name, value]) => `${name}=${value}`)]
  if (surplus.length > 0)
    throw new Refusal(
      ...surplus.map(
        (word) => `'${word}' is no option of a witness: it has host, addr and algorithm, and the times of the cluster.`,
      ),
    )
  return [host, ...(addr === undefined ? [] : [`addr=${addr}`])]
}

export const quorumDeviceRemove: Command = {
  path: ['quorum', 'device', 'remove'],
  aliases: [['quorum', 'device', 'delete']],
  usage: '',
  summary: 'Take the witness out of the cluster: its vote first',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'quorum device remove' })
    const live = liveCluster(call)
    const { name } = witnessOf(await live.getState({}))
    call.terminal.progress(`Removing the witness ${name}: the nodes agree to go on without its vote …`)
    await live.removeWitness({}, { timeoutMs: removeTimeoutMs })
    return done(`${name} is no longer the witness of the cluster.\n`, { host: name, removed: true })
  },
}

const removeTimeoutMs = 120_000

export const quorumDeviceStatus: Command = {
  path: ['quorum', 'device', 'status'],
  usage: '[--full]',
  summary: 'Show whether the witness is heard, and whether it votes',
  flags: [{ name: 'full', summary: 'Accepted for pcs’s sake' }],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'quorum device status' })
    const state = await liveCluster(call).getState({ askStore: true })
    const witness = witnessOf(state)
    const members = state.members.filter((member) => member.state === 'member').map(({ node }) => node)
    const general = alignColumns([
      ['Model:', 'Net'],
      ['Configured node list:', state.members.map(({ node }) => node).join(', ')],
      ['Membership node list:', members.join(', ')],
      ['Vote:', describeVote(witness)],
    ])
    const net = alignColumns([
      ['Cluster name:', state.clusterName],
      ['QNetd host:', `${witness.name} (${witness.address})`],
      ['Algorithm:', 'Fifty-Fifty split'],
      ['State:', states[witness.state]],
    ])
    return done(
      `Qdevice information\n-------------------\n${general}\nQdevice-net information\n-----------------------\n${net}`,
      witnessFacts(witness),
    )
  },
}

const states = { up: 'Connected', stopped: 'Stopped', silent: 'Disconnected' } as const

/** Of a cluster that has one. */
function witnessOf({ witness }: ClusterState): ClusterStateWitness {
  if (witness) return witness
  throw new Refusal(`The cluster has no witness: systole ${addUsage} adds one.`)
}

/** Whether and why not. */
export function describeVote({ votes, joiningVote, state }: ClusterStateWitness): string {
  if (joiningVote === true) return state === 'up' ? 'joining' : 'waits for its host'
  if (votes) return state === 'up' ? 'votes' : 'counted on, and not there'
  return state === 'up' ? 'none: it votes while an even number of nodes does' : 'none: it is not there'
}

export const witnessFacts = ({ joiningVote = false, ...witness }: ClusterStateWitness) => ({
  ...witness,
  votes: witness.votes && !joiningVote,
  joiningVote,
  model: 'net',
  algorithm: 'ffsplit',
})
