/**
 * Incidents: what went wrong, from the first sign to the moment when everything was back. One begins with a node that is lost, an operation that fails, a fencing or a lost quorum, takes in what
 * follows, and ends when no service is away, no fencing is under way, and nothing more has happened for half a minute.
 * Where it only waits for a service, as for one that cannot start until somebody mends it, what befalls something else after such a pause does not come of it: trouble is another incident, and
 * what an administrator does meanwhile, such as to drain a node, is none of it.
 * A change of the configuration ends what follows from the last sign: services that stop after it were stopped by an administrator, and are not counted as away.
 */
import { type Happening, isActiveAfter, isDegraded, type JournalEvent } from './event.ts'

export interface Away {
  readonly resource: string
  readonly ms: number
  /** It has not come back. */
  readonly still: boolean
}

export interface Incident {
  /** `i` and the revision of its first event: the same on every node. */
  readonly id: string
  readonly began: number
  /** Of its last event. */
  readonly ended: number
  readonly ongoing: boolean
  /** The first sign. */
  readonly cause: JournalEvent
  /** The configuration's version that had been made just before, if any. */
  readonly after?: number
  readonly away: readonly Away[]
  readonly events: readonly JournalEvent[]
}

const quietMs = 30_000
/** A change of the configuration so long before the first sign may be why. */
export const justBeforeMs = 10_000

interface Open {
  readonly events: JournalEvent[]
  /** What came of a change that was made when all was back: part of the incident only if another sign follows. */
  readonly aside: JournalEvent[]
  readonly after: number | undefined
  readonly since: Map<string, number>
  readonly back: { readonly resource: string; readonly ms: number }[]
  readonly fencing: Set<string>
  /** The configuration was changed after the last sign. */
  isChanged: boolean
}

/** `isWanted`: whether a resource is to run by the configuration of now. One that an administrator has deleted or disabled since does not come back. */
export function incidentsIn(
  events: readonly JournalEvent[],
  now: number,
  isWanted: (resource: string) => boolean = () => true,
): readonly Incident[] {
  const scan = new Scan(isWanted)
  for (const event of events) scan.take(event)
  return scan.end(now)
}

class Scan {
  readonly #isWanted: (resource: string) => boolean
  readonly #active = new Map<string, Set<string>>()
  readonly #done: Incident[] = []
  #open: Open | undefined
  /** Each waits for services that are away, and another has begun since. */
  #waiting: readonly Open[] = []
  /** A node was a member before: a quorum that is lost sooner is that of a cluster which forms. */
  #hasFormed = false
  #changed: JournalEvent | undefined

  constructor(isWanted: (resource: string) => boolean) {
    this.#isWanted = isWanted
  }

  take(event: JournalEvent): void {
    const { what, at } = event
    if (what.kind === 'transition') return
    for (const open of this.#all()) if (this.#isOver(open, at)) this.#close(open, at)
    if (this.#open && isAnother(this.#open, event)) {
      this.#waiting = [...this.#waiting, this.#open]
      this.#open = undefined
    }
    if (what.kind === 'begun') {
      this.#begin(what.active)
      this.#hasFormed ||= what.nodes.length > 0
      return
    }
    const forms = what.kind === 'quorum' && !this.#hasFormed
    const waiting = this.#waiting.find((open) => isAbout(open, what))
    if (this.#open === undefined && waiting === undefined && isTrouble(what) && !forms) this.#open = this.#opened(event)
    if (what.kind === 'node') this.#hasFormed ||= what.became === 'member'
    const concerned = waiting ?? this.#open
    if (concerned && isOf(concerned, event)) noteIn(concerned, event)
    if (what.kind === 'configuration') {
      this.#changed = event
      this.#giveUp(at)
    }
    if (what.kind === 'node' && what.became !== 'member') this.#nodeGone(what.node, at)
    if (what.kind === 'operation' && what.device !== true) this.#operated(what, at)
    if (what.kind === 'fencing' && this.#open) {
      if (what.outcome === 'pending') this.#open.fencing.add(what.id)
      else this.#open.fencing.delete(what.id)
    }
  }

  end(now: number): readonly Incident[] {
    for (const open of this.#all()) this.#close(open, now)
    return this.#done.toSorted((one, other) => one.began - other.began)
  }

  #all(): readonly Open[] {
    return this.#open === undefined ? this.#waiting : [...this.#waiting, this.#open]
  }

  /** A node began to write: what it has seen since is counted from what was there then. */
  #begin(active: Readonly<Record<string, readonly string[]>>): void {
    this.#active.clear()
    for (const [resource, nodes] of Object.entries(active)) this.#active.set(resource, new Set(nodes))
  }

  #opened(event: JournalEvent): Open {
    const { what } = this.#changed ?? {}
    const isNear = this.#changed !== undefined && event.at - this.#changed.at <= justBeforeMs
    const after = isNear && what?.kind === 'configuration' ? what.version : undefined
    return { events: [], aside: [], after, since: new Map(), back: [], fencing: new Set(), isChanged: false }
  }

  #isOver(open: Open, at: number): boolean {
    return isQuiet(open, at) && isSettled(open)
  }

  #close(open: Open, now: number): void {
    if (open === this.#open) this.#open = undefined
    this.#waiting = this.#waiting.filter((one) => one !== open)
    const [cause] = open.events
    const last = lastOf(open)
    if (cause === undefined || last === undefined) return
    const away = [
      ...open.back.map((one) => ({ ...one, still: false })),
      ...[...open.since].map(([resource, since]) => ({ resource, ms: now - since, still: true })),
    ]
    this.#done.push({
      id: `i${cause.revision}`,
      began: cause.at,
      ended: last.at,
      ongoing: !isSettled(open) || now - last.at <= quietMs,
      cause,
      ...(open.after !== undefined && { after: open.after }),
      away,
      events: open.events,
    })
  }

  #nodeGone(node: string, at: number): void {
    for (const [resource, nodes] of this.#active) if (nodes.delete(node) && nodes.size === 0) this.#goes(resource, at)
  }

  #operated(what: Extract<Happening, { kind: 'operation' }>, at: number): void {
    const { resource, node, operation, rc, status } = what
    const nodes = this.#active.get(resource) ?? new Set<string>()
    this.#active.set(resource, nodes)
    const hasFailed = isFailure(what)
    const isThere = status === 0 && (!hasFailed || isDegraded(rc)) && isActiveAfter(operation, rc)
    if (isThere) nodes.add(node)
    else if (hasFailed || operation === 'stop' || operation === 'monitor') nodes.delete(node)
    if (nodes.size > 0) this.#comes(resource, at)
    else this.#goes(resource, at)
  }

  /** Which change it was is not known; the first after it went is taken for it. */
  #giveUp(at: number): void {
    for (const resource of this.#all().flatMap(({ since }) => [...since.keys()]))
      if (!this.#isWanted(resource)) this.#comes(resource, at)
  }

  #goes(resource: string, at: number): void {
    if (this.#all().some(({ since }) => since.has(resource))) return
    if (this.#open && !this.#open.isChanged && !isQuiet(this.#open, at)) this.#open.since.set(resource, at)
  }

  #comes(resource: string, at: number): void {
    for (const { since, back } of this.#all()) {
      const gone = since.get(resource)
      if (gone === undefined) continue
      since.delete(resource)
      back.push({ resource, ms: at - gone })
    }
  }
}

/** It waits for services alone, and has for a while. A change of the configuration is no part of what happens by itself. */
function isQuiet({ events, fencing }: Open, at: number): boolean {
  const last = events.findLast(({ what }) => what.kind !== 'call' && what.kind !== 'configuration')
  return last !== undefined && at - last.at > quietMs && fencing.size === 0
}

/** Something befalls another thing than what it waits for. */
const isAnother = (open: Open, { what, at }: JournalEvent): boolean =>
  isQuiet(open, at) && isTrouble(what) && !isAbout(open, what)

const isOf = (open: Open, { what, at }: JournalEvent): boolean =>
  !isQuiet(open, at) || what.kind === 'configuration' || what.kind === 'call' || isAbout(open, what)

/** What it waits for, or the nodes that it has lost. */
function isAbout({ since, events }: Open, what: Happening): boolean {
  const isLost = (node: string): boolean =>
    events.some((event) => event.what.kind === 'node' && event.what.node === node && event.what.became === 'lost')
  switch (what.kind) {
    case 'operation':
      return since.has(what.resource)
    case 'node':
      return isLost(what.node)
    case 'fencing':
      return (
        isLost(what.target) ||
        events.some((event) => event.what.kind === 'fencing' && event.what.target === what.target)
      )
    case 'quorum':
      return events.some(
        (event) => event.what.kind === 'quorum' || (event.what.kind === 'node' && event.what.became === 'lost'),
      )
    default:
      return false
  }
}

/** What people call meanwhile is seen with it, and does not keep it open. */
const lastOf = ({ events }: Open): JournalEvent | undefined => events.findLast(({ what }) => what.kind !== 'call')

const isSettled = ({ since, fencing }: Open): boolean => since.size === 0 && fencing.size === 0

function noteIn(open: Open, event: JournalEvent): void {
  if (isSign(event.what)) open.isChanged = false
  else if (event.what.kind === 'configuration') open.isChanged = true
  if (open.isChanged && isSettled(open)) open.aside.push(event)
  else open.events.push(...open.aside.splice(0), event)
}

/** What the cluster reacts to by itself: trouble, a fencing that goes on, a node or a quorum that comes or goes. */
const isSign = (what: Happening): boolean => what.kind === 'node' || what.kind === 'quorum' || isTrouble(what)

export function isTrouble(what: Happening): boolean {
  switch (what.kind) {
    case 'node':
      return what.became === 'lost'
    case 'fencing':
      return true
    case 'quorum':
      return !what.quorate
    case 'operation':
      return isFailure(what)
    default:
      return false
  }
}

/** A probe only tells what there is. */
export const isFailure = ({
  operation,
  intervalMs,
  rc,
  expected,
  status,
}: Extract<Happening, { kind: 'operation' }>): boolean =>
  !(operation === 'monitor' && intervalMs === 0) && (status !== 0 || rc !== expected)
