/** The cluster's witness, by the words that pcs has for a quorum device of the model `net`. */
import type { ClusterStateWitness } from '../../../rpc/index.ts'
import { type Command, done, Refusal } from '../../command.ts'
import { liveCluster } from '../../live.ts'
import { alignColumns } from '../../table.ts'
import { expectWords, splitSections } from '../../words.ts'
import {
  addUsage,
  hostOf,
  readOptions,
  refuseHeuristics,
  removeTimeoutMs,
  setupLine,
  witnessOf,
} from './witness-words.ts'

export const quorumDeviceAdd: Command = {
  path: ['quorum', 'device', 'add'],
  usage: 'model net host=<host> [addr=<address>] [algorithm=ffsplit]',
  summary: 'Let a host outside of the cluster vote, and print the command to run there',
  details:
    'The witness runs a member of the store and no resources. It votes while the number of voting nodes is even: two nodes and it are three votes, four are five. With algorithm=ffsplit, the only one, half of the nodes go on with its vote, and the other half does not.',
  examples: ['systole quorum device add model net host=w1 algorithm=ffsplit'],
  run: async (call) => {
    const { host: name, addr } = readDevice(call.words)
    const host = await hostOf(call, name, addr)
    const live = liveCluster(call)
    return setupLine(host, await live.getState({}), await live.addWitness(host))
  },
}

function readDevice(words: readonly string[]): { readonly host: string; readonly addr?: string } {
  const [generic, model, ...more] = splitSections(words, ['model', 'heuristics'])
  if (model?.keyword !== 'model') throw new Refusal(`Something is missing: systole ${addUsage}.`)
  refuseHeuristics(more)
  const [kind, ...options] = model.words
  if (kind !== 'net') throw new Refusal(`There is no quorum device of the model '${kind ?? ''}': write model net.`)
  const { host, addr } = readOptions(generic?.words ?? [], options)
  if (host === undefined) throw new Refusal(`The witness's host is missing: systole ${addUsage}.`)
  return { host, ...(addr === undefined ? {} : { addr }) }
}

export const quorumDeviceRemove: Command = {
  path: ['quorum', 'device', 'remove'],
  aliases: [['quorum', 'device', 'delete']],
  usage: '',
  summary: 'Take the witness out of the cluster: its vote first',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'quorum device remove' })
    const live = liveCluster(call)
    const { name, address } = witnessOf(await live.getState({}))
    call.terminal.progress(`Removing the witness ${name}: the nodes agree to go on without its vote …`)
    await live.removeWitness({ name, address }, { timeoutMs: removeTimeoutMs })
    return done(`${name} is no longer the witness of the cluster.\n`, { host: name, removed: true })
  },
}

export const quorumDeviceStatus: Command = {
  path: ['quorum', 'device', 'status'],
  usage: '[--full]',
  summary: 'Show whether the witness is heard, and whether it votes',
  flags: [
    {
      name: 'full',
      summary: 'Without effect, for pcs’s sake: everything is shown without it',
      withoutEffect: 'everything is shown without it.',
    },
  ],
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
