/** The networks over which the nodes talk, by pcs's words: each link has a number and one address of every node. */
import type { ClusterNode, LinkAnswer } from '../../../rpc/index.ts'
import { type Call, type Command, done, type Outcome, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { onlyKnown } from '../../grammar/constraint-words.ts'
import { expectWords, parsePairs, splitSections } from '../../grammar/words.ts'
import { withAddresses } from './setup.ts'

const addUsage = '<node>=<address>... [options [linknumber=<number>] [link_priority=<priority>]]'
const updateUsage = '<number> [<node>=<address>...] [options link_priority=<priority>]'

const force = {
  name: 'force',
  summary: 'Without effect, accepted for compatibility with pcs: this command has no check that could be overridden',
  withoutEffect: 'this command has no check that could be overridden.',
} as const
const skipOffline = { name: 'skip-offline', summary: 'Refused: every node must be online to apply the change' } as const

export const clusterLinkAdd: Command = {
  path: ['cluster', 'link', 'add'],
  usage: addUsage,
  summary: 'Add a link: a further network between the nodes',
  details:
    'Specify one address for every node, on a separate network. The cluster keeps running: heartbeats start on the link at once, and the nodes restart their store members one after another. ' +
    'Two nodes stay connected as long as one link between them is up. Of the links that are up, the one with the highest link_priority, then the lowest number, carries the daemons’ messages.',
  examples: [
    'systole cluster link add n1=10.1.0.1 n2=10.1.0.2 n3=10.1.0.3',
    'systole cluster link add n1=10.1.0.1 n2=10.1.0.2 options linknumber=1 link_priority=2',
  ],
  flags: [force, skipOffline],
  run: async (call) => {
    const { nodes, options } = await readLink(call, call.words, ['linknumber', 'link_priority'])
    if (nodes.length === 0) throw new Refusal(`Arguments are missing. Usage: systole cluster link add ${addUsage}.`)
    const number = wholeNumber(options, 'linknumber')
    const priority = wholeNumber(options, 'link_priority')
    const live = liveCluster(call)
    call.terminal.progress('Changing the links on every node …')
    const answer = await live.addLink({
      nodes,
      ...(number === undefined ? {} : { number }),
      ...(priority === undefined ? {} : { priority }),
    })
    return changed(answer, `Added link ${answer.number}`, 'every node is reachable over it')
  },
}

export const clusterLinkUpdate: Command = {
  path: ['cluster', 'link', 'update'],
  usage: updateUsage,
  summary: 'Change the addresses or the priority of a link',
  details: 'Nodes that are not named keep their address. Meanwhile the cluster uses the other links.',
  examples: ['systole cluster link update 1 n2=10.1.0.12', 'systole cluster link update 1 options link_priority=2'],
  flags: [force, skipOffline],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, usage: `cluster link update ${updateUsage}` })
    const [written = '', ...rest] = call.words
    const number = linkNumber(written)
    const { nodes, options } = await readLink(call, rest, ['link_priority'])
    const priority = wholeNumber(options, 'link_priority')
    if (nodes.length === 0 && priority === undefined)
      throw new Refusal(`No change is given. Usage: systole cluster link update ${updateUsage}.`)
    const live = liveCluster(call)
    call.terminal.progress('Changing the links on every node …')
    const answer = await live.updateLink({
      number,
      nodes,
      ...(priority === undefined ? {} : { priority }),
    })
    return changed(answer, `Changed link ${number}`, 'every node is reachable over it')
  },
}

export const clusterLinkRemove: Command = {
  path: ['cluster', 'link', 'remove'],
  aliases: [['cluster', 'link', 'delete']],
  usage: '<number>...',
  summary: 'Remove links',
  details: 'The command refuses to remove the last link, and a link without which a node would be unreachable.',
  flags: [force, skipOffline],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, usage: 'cluster link remove <number>...' })
    refuseSkipOffline(call)
    const numbers = [...new Set(call.words.map(linkNumber))]
    const live = liveCluster(call)
    call.terminal.progress('Changing the links on every node …')
    const answer = await live.removeLinks({ numbers })
    const what = numbers.length === 1 ? `Link ${numbers[0]} is` : `The links ${numbers.join(', ')} are`
    return changed(answer, `${what} removed`, 'every node is reachable over the others')
  },
}

/** `n1=10.1.0.1 n2=10.1.0.2 options link_priority=2`. */
async function readLink(
  call: Call,
  words: readonly string[],
  known: readonly string[],
): Promise<{ readonly nodes: readonly ClusterNode[]; readonly options: ReadonlyMap<string, string> }> {
  refuseSkipOffline(call)
  const [named, ...sections] = splitSections(words, ['options'])
  const options = parsePairs(
    sections.flatMap((section) => section.words),
    'link options',
  )
  const idle = [...options.keys()].filter((name) => knetOnly.includes(name))
  if (idle.length > 0)
    throw new Refusal(
      `${idle.join(', ')}: heartbeat transport and timeout are options of the cluster (\`cluster config update totem token=\`), not of a link. Omit ${idle.length === 1 ? 'it' : 'them'}.`,
    )
  onlyKnown(options, known, 'link')
  const written = [...parsePairs(named?.words ?? [], 'addresses')].map(([name, address]) => ({ name, address }))
  const empty = written.filter(({ address }) => address === '')
  if (empty.length > 0) throw new Refusal(...empty.map(({ name }) => `The address of ${name} is empty.`))
  return { nodes: await withAddresses(call, written), options }
}

/** Corosync's, of its own transport. */
const knetOnly = ['mcastport', 'ping_interval', 'ping_precision', 'ping_timeout', 'pong_count', 'transport']

function refuseSkipOffline(call: Call): void {
  if (call.flags.has('skip-offline'))
    throw new Refusal('--skip-offline is refused: every node must be online to change links. Start the missing node.')
}

function linkNumber(word: string): number {
  if (/^\d+$/.test(word)) return Number(word)
  throw new Refusal(`'${word}' is not a link number. \`systole cluster config\` shows the links.`)
}

function wholeNumber(options: ReadonlyMap<string, string>, name: string): number | undefined {
  const text = options.get(name)
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return Number(text)
  throw new Refusal(`'${name}=${text}': write a whole number.`)
}

/** What was changed stays so; the exit code tells a script whether it took effect everywhere. */
function changed({ number, pending }: LinkAnswer, what: string, settled: string): Outcome {
  const text =
    pending.length === 0 ? `${what}, and ${settled}.\n` : `${what}.\n${pending.map((line) => `${line}\n`).join('')}`
  return done(text, { link: number, pending }, pending.length === 0 ? 0 : 1)
}
