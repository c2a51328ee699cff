/** The cluster's witness, by the words that pcs has for a quorum device of the model `net`. */
import type { ClusterStateWitness } from '../../../rpc/index.ts'
import { type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { alignColumns } from '../../call/table.ts'
import { expectWords, splitSections } from '../../grammar/words.ts'
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
  summary: 'Add a witness: a host outside the cluster that votes. Prints the command to run there',
  details:
    "The witness runs a store member and no resources. It votes while the number of voting nodes is even: two nodes and a witness have three votes, four nodes and a witness have five. If the nodes split in two halves, the half with the witness's vote keeps quorum (algorithm=ffsplit, the only one).",
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
  if (model?.keyword !== 'model') throw new Refusal(`Arguments are missing. Usage: systole ${addUsage}.`)
  refuseHeuristics(more)
  const [kind, ...options] = model.words
  if (kind !== 'net') throw new Refusal(`There is no quorum device model '${kind ?? ''}'. Specify model net.`)
  const { host, addr } = readOptions(generic?.words ?? [], options)
  if (host === undefined) throw new Refusal(`The witness's host is missing: systole ${addUsage}.`)
  return { host, ...(addr === undefined ? {} : { addr }) }
}

export const quorumDeviceRemove: Command = {
  path: ['quorum', 'device', 'remove'],
  aliases: [['quorum', 'device', 'delete']],
  usage: '',
  summary: 'Remove the witness from the cluster',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'quorum device remove' })
    const live = liveCluster(call)
    const { name, address } = witnessOf(await live.getState({}))
    call.terminal.progress(`Removing the vote of the witness ${name} …`)
    await live.removeWitness({ name, address }, { timeoutMs: removeTimeoutMs })
    return done(`Removed the witness ${name} from the cluster.\n`, { host: name, removed: true })
  },
}

export const quorumDeviceStatus: Command = {
  path: ['quorum', 'device', 'status'],
  usage: '[--full]',
  summary: 'Show whether the witness is reachable and votes',
  flags: [
    {
      name: 'full',
      summary: 'Without effect, accepted for compatibility with pcs: the output is always complete',
      withoutEffect: 'the output is always complete.',
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
  if (joiningVote === true) return state === 'up' ? 'joining' : 'waiting for its host to join'
  if (votes) return state === 'up' ? 'votes' : 'expected, but unreachable'
  return state === 'up'
    ? 'none: it votes only while the number of voting nodes is even'
    : 'none: the witness is unreachable'
}

export const witnessFacts = ({ joiningVote = false, ...witness }: ClusterStateWitness) => ({
  ...witness,
  votes: witness.votes && !joiningVote,
  joiningVote,
  model: 'net',
  algorithm: 'ffsplit',
})
