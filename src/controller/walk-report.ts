/**
 * Where the time of a transition went, by the DC's clock and the graph that it walked: the critical path is the chain of actions of which each
 * waited for the one before it, back from the one that ended last. The slack of an action is how much longer it might have taken, everything else being
 * equal, before the transition had ended later. An action waits besides for a place (`batch-limit`, `node-action-limit`, `migration-limit`): that
 * time counts as its own.
 */
import type { ActionId, GraphAction } from '../transition/index.ts'
import { describeAction } from './describe-action.ts'
import type { PlaceLimit, Walk } from './walk.ts'

export interface WalkedStep {
  /** `web start on n1`, or `fence n2`. */
  readonly what: string
  /** From the beginning of the transition until it was sent, and from then until its result was known. */
  readonly startMs: number
  readonly tookMs: number
  /** It was ready for this long before it was sent. */
  readonly waitedMs: number
  /** The limit that kept it back last, and how many places there were. */
  readonly waitedFor?: PlaceLimit
  readonly slackMs: number
  readonly critical: boolean
  readonly failed?: true
}

export interface WalkReport {
  readonly transition: number
  readonly tookMs: number
  /** Those that were sent, and those that were not because of a failure or of news. */
  readonly done: number
  readonly failed: number
  readonly notDone: number
  /** News made it end early: why. */
  readonly aborted?: string
  /** A resource was started or promoted. */
  readonly starts: boolean
  /** In the order in which they were sent: the critical path, and those with the least slack. */
  readonly steps: readonly WalkedStep[]
}

/** A journal has a bounded size, and who reads it no more patience. */
const mostSteps = 40

/** Undefined where nothing was sent. */
export function reportOf(walk: Walk, now: number): WalkReport | undefined {
  if (walk.timed.length === 0) return undefined
  const times = timesOf(walk)
  const last = walk.timed.reduce((latest, one) => (one.endedAt > latest.endedAt ? one : latest))
  const path = pathTo(last.id, walk, times)
  const finishes = latestFinishes(walk, times, last.endedAt)
  const steps = walk.timed.map(({ id, sentAt, endedAt }): WalkedStep & { readonly id: ActionId } => ({
    id,
    what: textOf(walk.byId.get(id)),
    startMs: round(sentAt - walk.beganAt),
    tookMs: round(endedAt - sentAt),
    waitedMs: round(sentAt - (times.get(id)?.readyAt ?? sentAt)),
    slackMs: round((finishes.get(id) ?? endedAt) - endedAt),
    critical: path.has(id),
    ...waitedFor(walk.keptBack.get(id)),
    ...(walk.failed.has(id) ? { failed: true as const } : {}),
  }))
  const chosen = steps
    .toSorted(
      (a, b) =>
        Number(b.critical) - Number(a.critical) ||
        b.tookMs * Number(b.critical) - a.tookMs * Number(a.critical) ||
        a.slackMs - b.slackMs,
    )
    .slice(0, mostSteps)
    .toSorted((a, b) => a.startMs - b.startMs || a.id - b.id)
  const real = walk.graph.actions.filter(({ kind }) => kind !== 'pseudo')
  return {
    transition: walk.number,
    tookMs: round(now - walk.beganAt),
    done: walk.timed.length,
    failed: walk.failed.size,
    notDone: real.filter(({ id }) => !times.has(id)).length,
    ...(walk.aborted === undefined ? {} : { aborted: walk.aborted.slice(0, 500) }),
    starts: walk.timed.some(({ id }) => isStart(walk.byId.get(id))),
    steps: chosen.map(({ id: _id, ...step }) => step),
  }
}

interface Times {
  /** When the last of its inputs had ended. */
  readonly readyAt: number
  readonly endedAt: number
}

const round = (ms: number): number => Math.max(0, Math.round(ms))

const isStart = (action: GraphAction | undefined): boolean =>
  action?.kind === 'resource' && (action.operation === 'start' || action.operation === 'promote')

const waitedFor = (limit: PlaceLimit | undefined): Pick<WalkedStep, 'waitedFor'> =>
  limit === undefined ? {} : { waitedFor: limit }

const textOf = (action: GraphAction | undefined): string => (action === undefined ? '' : describeAction(action))

/** Of what was sent and of the points between; a point has passed when its last input had ended. Without recursion: chains are long. */
function timesOf(walk: Walk): ReadonlyMap<ActionId, Times> {
  const ends = new Map(walk.timed.map(({ id, endedAt }) => [id, endedAt]))
  const times = new Map<ActionId, Times>()
  for (const id of inOrder(walk)) {
    const action = walk.byId.get(id)
    if (action === undefined) continue
    const readyAt = Math.max(walk.beganAt, ...action.inputs.flatMap((input) => times.get(input)?.endedAt ?? []))
    const endedAt = ends.get(id) ?? (action.kind === 'pseudo' && walk.succeeded.has(id) ? readyAt : undefined)
    if (endedAt !== undefined) times.set(id, { readyAt, endedAt })
  }
  return times
}

/** Each after those that it waits for. */
function inOrder(walk: Walk): readonly ActionId[] {
  const missing = new Map<ActionId, number>()
  const ready: ActionId[] = []
  for (const { id, inputs } of walk.graph.actions) {
    const count = new Set(inputs.filter((input) => walk.byId.has(input))).size
    missing.set(id, count)
    if (count === 0) ready.push(id)
  }
  // It grows while it is read.
  for (const id of ready)
    for (const after of walk.dependents.get(id) ?? []) {
      const left = (missing.get(after) ?? 1) - 1
      missing.set(after, left)
      if (left === 0) ready.push(after)
    }
  return ready
}

function pathTo(last: ActionId, walk: Walk, times: ReadonlyMap<ActionId, Times>): ReadonlySet<ActionId> {
  const path = new Set<ActionId>()
  let at: ActionId | undefined = last
  while (at !== undefined && !path.has(at)) {
    path.add(at)
    const before: readonly ActionId[] = walk.byId.get(at)?.inputs.filter((input) => times.has(input)) ?? []
    at = before.reduce<ActionId | undefined>(
      (latest, one) =>
        latest === undefined || (times.get(one)?.endedAt ?? 0) > (times.get(latest)?.endedAt ?? 0) ? one : latest,
      undefined,
    )
  }
  return path
}

/** When each must have ended at the latest so that the whole ends as it did; what comes after it takes as long as it took. */
function latestFinishes(walk: Walk, times: ReadonlyMap<ActionId, Times>, end: number): ReadonlyMap<ActionId, number> {
  const finishes = new Map<ActionId, number>()
  for (const id of inOrder(walk).toReversed()) {
    if (!times.has(id)) continue
    const after = (walk.dependents.get(id) ?? []).flatMap((next) => {
      const time = times.get(next)
      const finish = finishes.get(next)
      return time === undefined || finish === undefined ? [] : [finish - (time.endedAt - time.readyAt)]
    })
    finishes.set(id, Math.min(end, ...after))
  }
  return finishes
}
