/** Since when a resource is where it is, where it was before, and what happened then. */
import { type Happening, isActiveAfter, type JournalEvent } from './event.ts'
import { type Incident, isFailure, justBeforeMs } from './incidents.ts'

type Operation = Extract<Happening, { kind: 'operation' }>

export interface Place {
  /** The name that histories have; of an instance with or without its number. */
  readonly resource: string
  readonly node: string
  readonly isPromoted: boolean
  /** Where else it is now, as a clone is: it did not come from there. */
  readonly alsoOn: readonly string[]
}

export interface Arrival extends Place {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Where it ran last before that; the same node: it was started there again. */
  readonly from?: string
  /** The incident in which it came. */
  readonly incident?: Incident
  /** Outside of incidents: the version of the configuration that had been made just before. */
  readonly after?: number
}

/** `events`: merged. Undefined where the journals begin later. */
export function arrivalOf(
  place: Place,
  events: readonly JournalEvent[],
  incidents: readonly Incident[],
): Arrival | undefined {
  const isOwn = (what: Happening): what is Operation =>
    what.kind === 'operation' && (what.resource === place.resource || withoutNumber(what.resource) === place.resource)
  const brings = place.isPromoted ? promotions : starts
  const index = events.findLastIndex(
    ({ what }) => isOwn(what) && what.node === place.node && brings.has(what.operation) && !isFailure(what),
  )
  const event = events[index]
  if (event === undefined) return undefined
  const before = events.slice(0, index)
  const last = placeBefore(before, place, isOwn)
  const from = last === undefined || place.alsoOn.includes(last) ? undefined : last
  const incident = incidents.find((one) => one.events.includes(event))
  const change = incident === undefined ? lastChange(before, leftAt(before, from, isOwn) ?? event.at) : undefined
  return {
    ...place,
    at: event.at,
    ...(from !== undefined && { from }),
    ...(incident !== undefined && { incident }),
    ...(change !== undefined && { after: change }),
  }
}

const starts: ReadonlySet<string> = new Set(['start', 'migrate_from'])
const promotions: ReadonlySet<string> = new Set(['promote'])

const withoutNumber = (name: string): string => name.replace(/:\d+$/, '')

/** The node on which it was active, or promoted, last. */
function placeBefore(
  before: readonly JournalEvent[],
  { resource, isPromoted }: Place,
  isOwn: (what: Happening) => what is Operation,
): string | undefined {
  const brings = isPromoted ? promotions : activeOperations
  for (const { what } of before.toReversed()) {
    if (isOwn(what) && brings.has(what.operation) && what.status === 0 && isActiveAfter(what.operation, what.rc))
      return what.node
    if (what.kind !== 'begun' || isPromoted) continue
    const [there] = what.active[resource] ?? []
    if (there !== undefined) return there
  }
  return undefined
}

const activeOperations: ReadonlySet<string> = new Set([...starts, 'promote', 'demote', 'monitor'])

function leftAt(
  before: readonly JournalEvent[],
  from: string | undefined,
  isOwn: (what: Happening) => what is Operation,
): number | undefined {
  const leaves: ReadonlySet<string> = new Set(['stop', 'demote', 'migrate_to'])
  return before.findLast(({ what }) => isOwn(what) && what.node === from && leaves.has(what.operation))?.at
}

function lastChange(before: readonly JournalEvent[], at: number): number | undefined {
  const change = before.findLast((event) => event.what.kind === 'configuration' && event.at <= at)
  return change?.what.kind === 'configuration' && at - change.at <= justBeforeMs ? change.what.version : undefined
}
