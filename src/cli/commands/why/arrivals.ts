/** Since when what is explained is where it is, from where it came, and in which incident or after which change: from the journals of all nodes. */
import { momentSeen } from '../../../base/index.ts'
import { type Arrival, arrivalOf, describeIncident, type Place } from '../../../journal/index.ts'
import type { ResourceExplanation } from '../../../scheduler/index.ts'
import { incidentsOf, readJournals } from '../../access/journal.ts'
import type { Call } from '../../call/command.ts'
import { secondsOf } from '../../host/host-time.ts'
import { changesByVersion } from '../timeline/timeline.ts'

export interface ArrivalFacts {
  readonly resources: readonly string[]
  readonly node: string
  readonly promoted: boolean
  /** ISO 8601. */
  readonly since: string
  readonly from: string | null
  readonly incident: { readonly id: string; readonly summary: string } | null
  readonly change: {
    readonly version: number
    readonly user: string
    readonly node: string
    readonly command: string
  } | null
}

const mostShown = 5

/** The newest first. */
export async function arrivals(call: Call, explanation: ResourceExplanation): Promise<readonly ArrivalFacts[]> {
  const places = placesOf(explanation)
  if (call.cluster.live === undefined || places.length === 0) return []
  try {
    const { events } = await readJournals(call)
    const incidents = await incidentsOf(call, events, call.terminal.now().getTime())
    const found = places.flatMap((place) => arrivalOf(place, events, incidents) ?? []).sort((a, b) => b.at - a.at)
    const together = new Map<string, Arrival[]>()
    for (const one of found) {
      const { node, from, isPromoted, incident, after } = one
      const key = JSON.stringify([node, from, isPromoted, incident?.id, after])
      together.set(key, [...(together.get(key) ?? []), one])
    }
    const versions = found.some(({ after }) => after !== undefined) ? await changesByVersion(call) : undefined
    return [...together.values()].slice(0, mostShown).map((several) => factsOf(several, versions))
  } catch {
    // The reasons count; whoever may not read the journals, or asks a daemon of an older version, gets those.
    return []
  }
}

interface Placed {
  readonly id: string
  readonly now: readonly { readonly node: string }[]
}

/** Each below the first line of the first instance that is meant. */
export function withArrivals(
  { text, instances }: { readonly text: string; readonly instances: readonly Placed[] },
  found: readonly ArrivalFacts[],
  now: Date,
): string {
  const told = new Set<ArrivalFacts>()
  const blocks = text.split('\n\n')
  return blocks
    .map((block, at) => {
      const instance = blocks.length === instances.length ? instances[at] : undefined
      const meant = found.filter((one) => !told.has(one) && (instance === undefined || isOf(one, instance)))
      for (const one of meant) told.add(one)
      const [title = '', ...rest] = block.split('\n')
      return [title, ...describeArrivals(meant, now), ...rest].join('\n')
    })
    .join('\n\n')
}

const isOf = ({ resources, node }: ArrivalFacts, { id, now }: Placed): boolean =>
  resources.includes(withoutNumber(id)) && now.some((one) => one.node === node)

/** Of several that came together with their names. */
const describeArrivals = (found: readonly ArrivalFacts[], now: Date): readonly string[] =>
  found.map(({ resources, node, promoted, since, from, incident, change }) => {
    const who = resources.length === 1 ? '' : `${resources.join(', ')}: `
    const where = `${promoted ? 'promoted on' : 'on'} ${node} since ${momentSeen(secondsOf(new Date(since)), secondsOf(now))}`
    const whence = from === null ? '' : from === node ? ', started there again' : `, from ${from}`
    const sentence = `${who}${resources.length === 1 ? capital(where) : where}${whence}.`
    if (incident !== null) return `  ${sentence} Incident ${incident.id}: ${incident.summary}.`
    if (change === null) return `  ${sentence}`
    return `  ${sentence} Just before, ${change.user}@${change.node}: ${change.command} (version ${change.version}).`
  })

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

function placesOf({ instances }: ResourceExplanation): readonly Place[] {
  const all = instances.flatMap(({ id, now }) =>
    now.map(({ node, role }) => ({
      resource: withoutNumber(String(id)),
      node: String(node),
      isPromoted: role === 'Promoted',
    })),
  )
  return all.map((one) => ({
    ...one,
    alsoOn: all.flatMap(({ resource, node }) => (resource === one.resource && node !== one.node ? [node] : [])),
  }))
}

/** A clone's instance has a number, which its history may lack. */
const withoutNumber = (name: string): string => name.replace(/:\d+$/, '')

function factsOf(
  several: readonly Arrival[],
  versions: Awaited<ReturnType<typeof changesByVersion>> | undefined,
): ArrivalFacts {
  const [first] = several as readonly [Arrival, ...Arrival[]]
  const change = first.after === undefined ? undefined : versions?.get(first.after)
  return {
    resources: several.map(({ resource }) => resource),
    node: first.node,
    promoted: first.isPromoted,
    since: new Date(first.at).toISOString(),
    from: first.from ?? null,
    incident:
      first.incident === undefined ? null : { id: first.incident.id, summary: describeIncident(first.incident) },
    change:
      change === undefined
        ? null
        : { version: change.version, user: change.user, node: change.node, command: change.command },
  }
}
