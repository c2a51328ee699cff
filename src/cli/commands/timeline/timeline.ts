/** What happened in the cluster, in order, from the journals of all nodes. */
import { isoTime } from '../../../base/index.ts'
import { isSecretName, textWithoutSecrets } from '../../../cib/index.ts'
import {
  aboutOf,
  describeHappening,
  describeIncident,
  type JournalEvent,
  type TimelineKind,
  timelineKinds,
} from '../../../journal/index.ts'
import type { ConfigVersion } from '../../../rpc/index.ts'
import { earliestOf, incidentsOf, missingNote, readJournals, sinceFlag } from '../../access/journal.ts'
import { type Call, type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { alignColumns } from '../../call/table.ts'
import { withoutInstance } from '../../change/wait.ts'
import { configuredIdsInside } from '../../facts/inside.ts'
import { statusOf } from '../../facts/status-view.ts'
import { expectWords } from '../../grammar/words.ts'

const usual = 1000
const most = 20_000

export const timelineList: Command = {
  path: ['timeline', 'list'],
  bare: [['timeline']],
  usage: '[--since=<time>] [--about=<node or resource>] [--kind=<kind>] [--most=<number>]',
  summary: 'Show what happened: members, quorum, decisions, operations, fencing, changes and API calls',
  details:
    'The nodes’ journals are merged in the order of the store, not by their clocks. The number in front is the revision of the store: ' +
    "'systole timeline show <revision>' shows the cluster as it was then. Each node keeps its last 2 MiB.",
  examples: ['systole timeline list --since=1h', 'systole timeline list --about=web --kind=operation'],
  flags: [
    sinceFlag('Only what happened within this time (for example 24h, P7D)'),
    { name: 'about', value: 'name', summary: 'Only events of this node or resource, or of what is in it' },
    { name: 'kind', value: 'kind', summary: `Only events of this kind: ${timelineKinds.join(', ')}` },
    {
      name: 'most',
      value: 'number',
      summary: `Show at most this many of the last events (default ${usual}, at most ${most})`,
    },
  ],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'timeline list' })
    const now = call.terminal.now().getTime()
    const [earliest, limit, kind] = [earliestOf(call, now), mostOf(call), kindOf(call)]
    const isMeant = await meantBy(call)
    const { events, missing } = await readJournals(call)
    const incidents = await incidentsOf(call, events, now)
    const incidentOf = new Map(incidents.flatMap((one) => one.events.map((event) => [event, one.id] as const)))
    const changes = await changesByVersion(call)
    const told = events.flatMap((event) => {
      const found = event.at < earliest ? undefined : factsOf(event, changes)
      if (found === undefined || (kind !== undefined && found.kind !== kind)) return []
      if (isMeant && ![...found.nodes, ...found.resources].some(isMeant)) return []
      const incident = incidentOf.get(event)
      return [incident === undefined ? found : { ...found, incident }]
    })
    const shown = told.slice(-limit)
    const rows = shown.map((one) => [String(one.revision), momentOf(one.at), one.by, one.text])
    const text = rows.length === 0 ? 'Nothing happened.\n' : alignColumns([['At', 'When', 'Seen by', 'What'], ...rows])
    const omitted = told.length - shown.length
    const note =
      omitted === 0 ? '' : `${omitted} earlier events are not shown: --most=${Math.min(most, told.length)}.\n`
    return done(`${note}${text}${missingNote(missing)}`, {
      events: shown,
      omitted,
      incidents: incidents
        .filter(({ ended, ongoing }) => ongoing || ended >= earliest)
        .map((one) => ({
          id: one.id,
          began: timeOf(one.began),
          ended: timeOf(one.ended),
          ongoing: one.ongoing,
          revision: one.cause.revision,
          summary: describeIncident(one),
        })),
      missing,
    })
  },
}

/** Of a group, clone or bundle, what happened is recorded of what is in it; of a clone with or without the number of the instance. */
async function meantBy(call: Call): Promise<((name: string) => boolean) | undefined> {
  const about = call.flags.get('about')
  if (about === undefined) return undefined
  const { resources } = statusOf(call, (await call.cluster.readCib()).cib)
  const meant = new Set([String(about), ...configuredIdsInside(resources, String(about))])
  return (name) => meant.has(name) || meant.has(withoutInstance(name))
}

export interface TimelineEvent {
  /** Of the store: the moment right after it. */
  readonly revision: number
  /** ISO 8601, by the clock of the node that wrote it down. */
  readonly at: string
  readonly by: string
  readonly kind: TimelineKind
  readonly text: string
  readonly nodes: readonly string[]
  readonly resources: readonly string[]
  readonly failed: boolean
  /** The id of the incident that it belongs to. */
  readonly incident?: string
}

export function factsOf(
  { revision, at, by, what }: JournalEvent,
  changes: ReadonlyMap<number, ConfigVersion>,
): TimelineEvent | undefined {
  const about = aboutOf(what)
  if (about === undefined) return undefined
  const change = what.kind === 'configuration' ? changes.get(what.version) : undefined
  const whose = change === undefined ? '' : `, ${change.user}@${change.node}: ${change.command}`
  return { revision, at: timeOf(at), by, ...about, text: `${describeHappening(what)}${whose}`, failed: isBad(what) }
}

function isBad(what: JournalEvent['what']): boolean {
  switch (what.kind) {
    case 'node':
      return what.became === 'lost'
    case 'quorum':
      return !what.quorate
    case 'fencing':
      return what.outcome !== 'succeeded' && what.outcome !== 'pending'
    case 'operation':
      return (
        what.status !== 0 || (what.rc !== what.expected && !(what.operation === 'monitor' && what.intervalMs === 0))
      )
    case 'decision':
      return what.blocked !== undefined
    default:
      return false
  }
}

/** Who made which version, as far as the history has it. A command of a former version may have secrets in it. */
export async function changesByVersion(call: Call): Promise<ReadonlyMap<number, ConfigVersion>> {
  const { versions } = await liveCluster(call).listConfigVersions({})
  return new Map(
    versions.map((one) => [one.version, { ...one, command: textWithoutSecrets(one.command, isSecretName) }]),
  )
}

function mostOf(call: Call): number {
  const word = call.flags.get('most')
  if (word === undefined) return usual
  const number = Number(word)
  if (!Number.isInteger(number) || number < 1 || number > most)
    throw new Refusal(`--most=${String(word)}: specify a number from 1 to ${most}.`)
  return number
}

function kindOf(call: Call): TimelineKind | undefined {
  const word = call.flags.get('kind')
  const found = timelineKinds.find((kind) => kind === word)
  if (word !== undefined && found === undefined)
    throw new Refusal(`--kind=${String(word)}: specify one of ${timelineKinds.join(', ')}.`)
  return found
}

export const timeOf = (ms: number): string => new Date(ms).toISOString()
export const momentOf = (at: string): string => isoTime(Math.floor(Date.parse(at) / 1000))
