/** What is done on the host that is the cluster's witness, or is to become it, by pcs's words for the host of a quorum device. */
import type { LocalClient, WitnessHost, WitnessHostChange } from '../../../rpc/index.ts'
import { readJoinToken, tokenFlags } from '../../access/join-token.ts'
import { type Call, type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { alignColumns } from '../../call/table.ts'
import { expectWords } from '../../grammar/words.ts'

const addLine = 'systole quorum device add model net host='
const netOnly = { words: ['net'] }

export const qdeviceSetup: Command = {
  path: ['qdevice', 'setup'],
  usage: 'model net [--join=<address> (--token=- | --token-file=<file>)] [--enable] [--start]',
  summary: "Make this host the witness of a cluster, with the command that 'quorum device add' printed",
  details:
    'The daemon must be running and etcd installed. Without --join, the command checks whether this host can be a witness and shows the next step.',
  flags: [
    { name: 'join', value: 'address', summary: 'The address of a cluster node' },
    ...tokenFlags,
    { name: 'start', summary: 'Also start the witness' },
    { name: 'enable', summary: 'Start it when this host boots (the default)' },
    { name: 'force', summary: 'Leave the cluster whose witness this host is' },
  ],
  completes: [{ words: ['model'] }, netOnly],
  run: async (call) => {
    const [keyword, ...rest] = call.words
    if (keyword !== 'model') throw new Refusal('Arguments are missing. Usage: systole qdevice setup model net.')
    expectNet(call, rest, 'qdevice setup model net')
    const live = liveCluster(call)
    const before = await live.getWitnessHost({})
    if (before.problem !== undefined && before.clusterName === '') throw new Refusal(before.problem)
    const address = call.flags.get('join')
    if (address === undefined && (call.flags.has('token') || call.flags.has('token-file')))
      throw new Refusal("--join and --token require each other. Copy the command that 'quorum device add' printed.")
    if (typeof address !== 'string') {
      if (before.clusterName === '') return canBeWitness(before)
    } else {
      const token = await readJoinToken(call)
      await live.joinAsWitness({ address, token, force: call.flags.has('force') })
    }
    if (call.flags.has('enable')) await live.changeWitnessHost({ kind: 'enable' })
    if (call.flags.has('start')) await live.changeWitnessHost({ kind: 'start' })
    const { clusterName, name, started } = await live.getWitnessHost({})
    const how = started ? 'started' : 'not started; start it with: systole qdevice start net'
    return done(`This host is the witness ${name} of the cluster ${clusterName} (${how}).\n`, {
      clusterName,
      name,
      started,
    })
  },
}

function canBeWitness({ name }: WitnessHost) {
  return done(
    `This host can be a witness. Run this command on a cluster node, then run the command that it prints here:\n  ${addLine}${name} algorithm=ffsplit\n`,
    { clusterName: null, name, started: false },
  )
}

export const qdeviceStatus: Command = {
  path: ['qdevice', 'status'],
  aliases: [['status', 'qdevice']],
  usage: 'net [--full] [<cluster>]',
  summary: 'Show the cluster whose witness this host is, and whether it votes',
  flags: [
    {
      name: 'full',
      summary: 'Without effect, accepted for compatibility with pcs: the output is always complete',
      withoutEffect: 'the output is always complete.',
    },
  ],
  completes: [netOnly, 'anything'],
  run: async (call) => {
    const [model, cluster, ...more] = call.words
    expectNet(call, [...(model === undefined ? [] : [model]), ...more], 'qdevice status net [<cluster>]')
    const host = await witnessHere(liveCluster(call))
    if (cluster !== undefined && cluster !== host.clusterName)
      throw new Refusal(`This host is the witness of the cluster ${host.clusterName}, not of ${cluster}.`)
    const { name, address, clusterName, started, enabled, nodes, problem } = host
    const text = alignColumns([
      ['Cluster:', clusterName],
      ['Witness:', `${name} (${address})`],
      ['Started:', started ? 'yes' : 'no'],
      ['At boot:', enabled ? 'enabled' : 'disabled'],
      ['Vote:', voteOf(host)],
      ['Nodes:', nodes.map((node) => `${node.name} (${node.address})`).join(', ')],
      ...(problem === undefined ? [] : [['Problem:', problem]]),
    ])
    return done(text, host)
  },
}

function voteOf({ started, votes, counts, problem }: WitnessHost): string {
  if (!started) return 'none: the witness is not started'
  if (!votes && problem !== undefined) return 'none'
  if (!votes) return 'none: it votes only while the number of voting nodes is even'
  return counts ? 'votes' : 'joining, or no node is reachable'
}

export const qdeviceStart = changing('start', 'Start the witness, so that it votes again', 'is started')
export const qdeviceStop = changing('stop', 'Stop the witness; its vote is missing until it starts again', 'is stopped')
export const qdeviceEnable = changing(
  'enable',
  'Start the witness when this host boots (the default)',
  'starts when this host boots',
)
export const qdeviceDisable = changing(
  'disable',
  'Do not start the witness when this host boots',
  'waits for qdevice start when this host boots',
)
export const qdeviceDestroy = changing(
  'destroy',
  'Leave the cluster: delete the certificate, the node list and the copy of the store',
  'is no longer a witness',
)

/** What the cluster would miss is asked for with --force, as pcs does while clusters use the device. */
function changing(kind: WitnessHostChange['kind'], summary: string, what: string): Command {
  const costsVote = kind === 'stop' || kind === 'destroy'
  return {
    path: ['qdevice', kind],
    usage: costsVote ? 'net [--force]' : 'net',
    summary,
    flags: costsVote ? [{ name: 'force', summary: 'Even if the cluster counts on its vote' }] : [],
    completes: [netOnly],
    run: async (call) => {
      expectNet(call, call.words, `qdevice ${kind} net`)
      const live = liveCluster(call)
      const { clusterName, name, started, votes } = await witnessHere(live)
      if (costsVote && started && votes && !call.flags.has('force'))
        throw new Refusal(
          `The cluster ${clusterName} counts on the vote of this host. Run \`systole quorum device remove\` on one of its nodes, or add --force.`,
        )
      await live.changeWitnessHost({ kind })
      return done(`The witness ${name} of the cluster ${clusterName} ${what}.\n`, { clusterName, name, done: kind })
    },
  }
}

async function witnessHere(live: LocalClient): Promise<WitnessHost> {
  const host = await live.getWitnessHost({})
  if (host.clusterName !== '') return host
  throw new Refusal(`This host is not a witness. Run on a cluster node: ${addLine}${host.name}.`)
}

function expectNet({ command }: Call, words: readonly string[], usage: string): void {
  expectWords(words, { atLeast: 1, atMost: 1, usage })
  if (words[0] !== 'net')
    throw new Refusal(`There is no quorum device model '${words[0]}'. Usage: systole ${command.path.join(' ')} … net.`)
}
