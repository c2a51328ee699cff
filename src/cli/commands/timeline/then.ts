/** The cluster as it was at a moment, and two moments beside each other, from the journals of all nodes and the configuration of then. */
import { utcOffsetAt } from '../../../base/index.ts'
import { secretNames } from '../../../cib/index.ts'
import { cibThen, describeHappening, momentIn, stateThen, type Then } from '../../../journal/index.ts'
import { printClusterStatus, statusOfCib } from '../../../status/index.ts'
import { missingNote, type ReadJournals, readJournals } from '../../access/journal.ts'
import { parseAnswer } from '../../access/live-access.ts'
import { type Call, type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { type NodeFacts, nodeFacts, type ResourceFacts, resourceFacts } from '../../facts/status-facts.ts'
import { expectWords } from '../../grammar/words.ts'
import { changesByVersion, factsOf, momentOf, type TimelineEvent, timeOf } from './timeline.ts'

export const timelineShow: Command = {
  path: ['timeline', 'show'],
  usage: '<revision> | <time>',
  summary: 'Show the cluster as it was at a moment: nodes, resources, DC, fencing, and what the DC had decided',
  details:
    'The state is read from the journals of the nodes and the configuration of then. Node attributes and fail counts are not in it. A time is UTC unless it has a zone.',
  examples: ['systole timeline show 4711', 'systole timeline show "2026-11-27 02:14:08"'],
  completes: ['anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'timeline show <revision> | <time>' })
    const journals = await readJournals(call)
    const picture = await pictureAt(call, journals, call.words[0] ?? '')
    const { text, ...facts } = picture
    return done(`${text}${missingNote(journals.missing)}`, { ...facts, missing: journals.missing })
  },
}

export const timelineCompare: Command = {
  path: ['timeline', 'compare'],
  usage: '<moment> <moment>',
  summary: 'Show what was different at two moments: nodes, resources, the DC and the configuration',
  examples: ['systole timeline compare 4711 4790'],
  completes: ['anything', 'anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, atMost: 2, usage: 'timeline compare <moment> <moment>' })
    const [one = '', other = ''] = call.words
    const journals = await readJournals(call)
    const [before, after] = [await pictureAt(call, journals, one), await pictureAt(call, journals, other)]
    const differences = differencesOf(before, after)
    const lines = differences.map(({ name, before: was, after: is }) => `  ${name}: ${was} → ${is}\n`)
    const title = `From ${before.revision} (${momentOf(before.at)}) to ${after.revision} (${momentOf(after.at)}):\n`
    return done(
      `${title}${lines.length === 0 ? '  Nothing is different.\n' : lines.join('')}${missingNote(journals.missing)}`,
      {
        before: { revision: before.revision, at: before.at },
        after: { revision: after.revision, at: after.at },
        differences,
        missing: journals.missing,
      },
    )
  },
}

/** The JSON of `timeline show`, and its text. */
export interface PictureThen {
  readonly revision: number
  readonly at: string
  readonly event: TimelineEvent | null
  readonly dc: string | null
  readonly withoutQuorum: readonly string[]
  readonly version: number | null
  /** The version that the picture is made with: that of then, or the next one that is known. */
  readonly readWith: number
  readonly change: { readonly user: string; readonly node: string; readonly command: string } | null
  readonly decision: string | null
  readonly fencing: readonly string[]
  readonly nodes: readonly NodeFacts[]
  readonly resources: readonly ResourceFacts[]
  readonly text: string
}

async function pictureAt(call: Call, { events }: ReadJournals, word: string): Promise<PictureThen> {
  const until = momentIn(events, word)
  if (until === undefined)
    throw new Refusal(
      `'${word}' is not a moment. Specify a revision of 'systole timeline list' or a time such as 2026-11-27 02:14:08.`,
    )
  const then = stateThen(until)
  if (then === undefined)
    throw new Refusal(`The journals of the nodes begin after ${word}. To see what they have: systole timeline list`)
  const changes = await changesByVersion(call)
  const known = [...changes.keys()].sort((a, b) => a - b)
  const [first = 0] = known
  const readWith =
    then.version === undefined ? first : (known.find((one) => one >= (then.version ?? 0)) ?? known.at(-1) ?? 0)
  const { xml } = await liveCluster(call).getConfigVersion({ version: readWith })
  const cib = cibThen(then, parseAnswer(xml))
  const status = statusOfCib({ cib, now: Math.floor(then.event.at / 1000), utcOffsetAt })
  const change = then.version === undefined ? undefined : changes.get(then.version)
  const facts = {
    ...headOf(then),
    event: factsOf(then.event, changes) ?? null,
    readWith,
    change: change === undefined ? null : { user: change.user, node: change.node, command: change.command },
    nodes: status.nodes.map((node) => nodeFacts(node, undefined, secretNames(cib))),
    resources: resourceFacts(status.resources),
  }
  return { ...facts, text: `${headText(facts)}\n${printClusterStatus(status, {})}` }
}

type Head = Pick<PictureThen, 'revision' | 'at' | 'dc' | 'withoutQuorum' | 'version' | 'decision' | 'fencing'>

const headOf = (then: Then): Head => ({
  revision: then.event.revision,
  at: timeOf(then.event.at),
  dc: then.dc ?? null,
  withoutQuorum: then.withoutQuorum,
  version: then.version ?? null,
  decision: then.decision === undefined ? null : describeHappening(then.decision),
  fencing: then.fencing.map(describeHappening),
})

function headText(facts: Omit<PictureThen, 'text'>): string {
  const { revision, at, dc, withoutQuorum, version, readWith, change, decision, fencing, event } = facts
  const by = change === null ? '' : `, ${change.user}@${change.node}: ${change.command}`
  return [
    `Revision ${revision}, ${momentOf(at)}: DC ${dc ?? 'not known'}, configuration ${version ?? 'not known'}${by}`,
    ...(event === null ? [] : [`  Just now: ${event.text}`]),
    ...(decision === null ? [] : [`  Decided last: ${decision}`]),
    ...fencing.map((line) => `  Under way: ${line}`),
    ...(withoutQuorum.length === 0 ? [] : [`  Without quorum: ${withoutQuorum.join(', ')}`]),
    ...(version === readWith
      ? []
      : [`  The configuration of then is not kept: the picture is made with version ${readWith}.`]),
    '',
  ].join('\n')
}

interface Difference {
  readonly name: string
  readonly before: string
  readonly after: string
}

function differencesOf(before: PictureThen, after: PictureThen): readonly Difference[] {
  const [was, is] = [wordsOf(before), wordsOf(after)]
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((name) => {
    const [one, other] = [was.get(name) ?? 'not there', is.get(name) ?? 'not there']
    return one === other ? [] : [{ name, before: one, after: other }]
  })
}

function wordsOf({ nodes, resources, dc, version }: PictureThen): ReadonlyMap<string, string> {
  return new Map([
    ['DC', dc ?? 'not known'],
    ['configuration', version === null ? 'not known' : `version ${version}`],
    ...nodes.map((node) => [`node ${node.name}`, nodeWord(node)] as const),
    ...resources.map((resource) => [`resource ${resource.id}`, resourceWord(resource)] as const),
  ])
}

function nodeWord({ online, unclean, standby, maintenance }: NodeFacts): string {
  if (unclean) return 'UNCLEAN'
  const more = [...(standby ? ['standby'] : []), ...(maintenance ? ['maintenance'] : [])]
  return [online ? 'online' : 'offline', ...more].join(', ')
}

function resourceWord({ role, nodes, failed }: ResourceFacts): string {
  const where = nodes.length === 0 ? 'Stopped' : `${role} on ${nodes.join(', ')}`
  return failed ? `${where}, failed` : where
}
