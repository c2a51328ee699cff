/** The networks over which the nodes talk, by pcs's words: each link has a number and one address of every node. */
import type { ClusterNode, LinkAnswer } from '../../../rpc/index.ts'
import { type Call, type Command, done, type Outcome, Refusal } from '../../command.ts'
import { onlyKnown } from '../../constraint-words.ts'
import { liveCluster } from '../../live.ts'
import { expectWords, parsePairs, splitSections } from '../../words.ts'
import { withAddresses } from './setup.ts'

const addUsage = '<node>=<address>... [options [linknumber=<number>] [link_priority=<priority>]]'
const updateUsage = '<number> [<node>=<address>...] [options link_priority=<priority>]'

const force = {
  name: 'force',
  summary: 'Without effect, for pcs’s sake: nothing here is refused that could be forced',
  withoutEffect: 'nothing here is refused that could be forced.',
} as const
const skipOffline = { name: 'skip-offline', summary: 'Refused: every node must be there to follow the change' } as const

export const clusterLinkAdd: Command = {
  path: ['cluster', 'link', 'add'],
  usage: addUsage,
  summary: 'Let the nodes talk over one more network',
  details:
    'One address of every node, on a network of its own. The cluster goes on while a link is added: heartbeats begin on it at once, and each node’s member of the store is started anew with it, one after the other. ' +
    'As long as one link between two nodes is up they do not miss each other. Of several that are up, that with the highest link_priority carries the daemons’ messages, or that with the lowest number.',
  examples: [
    'systole cluster link add n1=10.1.0.1 n2=10.1.0.2 n3=10.1.0.3',
    'systole cluster link add n1=10.1.0.1 n2=10.1.0.2 options linknumber=1 link_priority=2',
  ],
  flags: [force, skipOffline],
  run: async (call) => {
    const { nodes, options } = await readLink(call, call.words, ['linknumber', 'link_priority'])
    if (nodes.length === 0) throw new Refusal(`Something is missing: systole cluster link add ${addUsage}.`)
    const number = wholeNumber(options, 'linknumber')
    const priority = wholeNumber(options, 'link_priority')
    const live = liveCluster(call)
    call.terminal.progress('Every node is asked, and follows …')
    const answer = await live.addLink({
      nodes,
      ...(number === undefined ? {} : { number }),
      ...(priority === undefined ? {} : { priority }),
    })
    return changed(answer, `Link ${answer.number} is added`, 'every node is heard on it')
  },
}

export const clusterLinkUpdate: Command = {
  path: ['cluster', 'link', 'update'],
  usage: updateUsage,
  summary: 'Change addresses of a link, or its priority',
  details: 'Nodes that are not named keep their address. The cluster goes on meanwhile, over the other links.',
  examples: ['systole cluster link update 1 n2=10.1.0.12', 'systole cluster link update 1 options link_priority=2'],
  flags: [force, skipOffline],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, usage: `cluster link update ${updateUsage}` })
    const [written = '', ...rest] = call.words
    const number = linkNumber(written)
    const { nodes, options } = await readLink(call, rest, ['link_priority'])
    const priority = wholeNumber(options, 'link_priority')
    if (nodes.length === 0 && priority === undefined)
      throw new Refusal(`Nothing is to be changed: systole cluster link update ${updateUsage}.`)
    const live = liveCluster(call)
    call.terminal.progress('Every node is asked, and follows …')
    const answer = await live.updateLink({
      number,
      nodes,
      ...(priority === undefined ? {} : { priority }),
    })
    return changed(answer, `Link ${number} is changed`, 'every node is heard on it')
  },
}

export const clusterLinkRemove: Command = {
  path: ['cluster', 'link', 'remove'],
  aliases: [['cluster', 'link', 'delete']],
  usage: '<number>...',
  summary: 'Let the nodes talk over a network no longer',
  details: 'The last link stays, and so does one without which a node would not be heard.',
  flags: [force, skipOffline],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, usage: 'cluster link remove <number>...' })
    refuseSkipOffline(call)
    const numbers = [...new Set(call.words.map(linkNumber))]
    const live = liveCluster(call)
    call.terminal.progress('Every node is asked, and follows …')
    const answer = await live.removeLinks({ numbers })
    const what = numbers.length === 1 ? `Link ${numbers[0]} is` : `The links ${numbers.join(', ')} are`
    return changed(answer, `${what} removed`, 'every node is heard on the others')
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
      `${idle.join(', ')}: how heartbeats travel and when they are missed is the cluster's (\`cluster config update totem token=\`), not a link's: leave ${idle.length === 1 ? 'it' : 'them'} out.`,
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
    throw new Refusal('--skip-offline: every node must be there to follow a change of links: start the missing one.')
}

function linkNumber(word: string): number {
  if (/^\d+$/.test(word)) return Number(word)
  throw new Refusal(`'${word}' is no number of a link: \`systole cluster config\` shows them.`)
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
