/** What stands where on the line of time: pure. */
import type { TimelineEvent, TimelineKind } from '../../cli/index.ts'
import { clock, dayOf, timeOf } from '../base/time.ts'

export interface View {
  readonly from: number
  readonly to: number
}

export interface Mark {
  readonly x: number
  readonly count: number
  readonly failed: boolean
  /** Of the event that a click on it picks: the first that failed, else the first. */
  readonly index: number
  readonly title: string
}

export interface Lane {
  readonly kind: TimelineKind
  readonly title: string
  readonly marks: readonly Mark[]
}

const lanes: readonly (readonly [kind: TimelineKind, title: string])[] = [
  ['membership', 'Nodes'],
  ['quorum', 'Quorum'],
  ['decision', 'Decisions'],
  ['operation', 'Operations'],
  ['fencing', 'Fencing'],
  ['configuration', 'Changes'],
  ['call', 'API calls'],
]

/** Marks nearer to each other than this are one. */
const leastGap = 11

export function lanesOf(events: readonly TimelineEvent[], view: View, width: number): readonly Lane[] {
  return lanes.map(([kind, title]) => ({ kind, title, marks: marksOf(events, kind, view, width) }))
}

function marksOf(events: readonly TimelineEvent[], kind: TimelineKind, view: View, width: number): readonly Mark[] {
  const marks: Mark[] = []
  const placed = events
    .map((event, index) => ({ event, index, at: timeOf(event) }))
    .filter(({ event, at }) => event.kind === kind && at >= view.from && at <= view.to)
    // Clocks of nodes differ: the order of the store is not always that of the times.
    .sort((a, b) => a.at - b.at)
  for (const { event, index, at } of placed) {
    const x = placeOf(at, view, width)
    const last = marks.at(-1)
    if (last === undefined || x - last.x >= leastGap)
      marks.push({ x, count: 1, failed: event.failed, index, title: titleOf(event) })
    else marks[marks.length - 1] = joined(last, event, index)
  }
  return marks
}

function joined(mark: Mark, event: TimelineEvent, index: number): Mark {
  const count = mark.count + 1
  const isFirstFailure = event.failed && !mark.failed
  const title = (isFirstFailure ? titleOf(event) : mark.title).replace(/ \(and \d+ more\)$/, '')
  return {
    x: mark.x,
    count,
    failed: mark.failed || event.failed,
    index: isFirstFailure ? index : mark.index,
    title: `${title} (and ${count - 1} more)`,
  }
}

const titleOf = (event: TimelineEvent): string => `${clock(timeOf(event))} ${event.text}`

export const placeOf = (at: number, { from, to }: View, width: number): number =>
  to === from ? width / 2 : ((at - from) / (to - from)) * width

/** The event that is nearest to a place. */
export function nearest(events: readonly TimelineEvent[], at: number): number {
  let best = 0
  for (const [index, event] of events.entries())
    if (Math.abs(timeOf(event) - at) < Math.abs(timeOf(events[best] ?? event) - at)) best = index
  return best
}

/** All of them, with a little room at both ends. */
export function viewOf(events: readonly TimelineEvent[]): View {
  const times = events.map(timeOf)
  const [from, to] = [Math.min(...times), Math.max(...times)]
  const room = Math.max(1000, (to - from) / 50)
  return times.length === 0 ? { from: 0, to: 1 } : { from: from - room, to: to + room }
}

const shortestMs = 200

/** `factor` below 1 looks closer. What is looked at stays in the middle. */
export function zoomed({ from, to }: View, middle: number, factor: number): View {
  const half = Math.max(shortestMs, (to - from) * factor) / 2
  return { from: middle - half, to: middle + half }
}

/** Half a window earlier (-1) or later (1). */
export function moved({ from, to }: View, direction: -1 | 1): View {
  const by = ((to - from) / 2) * direction
  return { from: from + by, to: to + by }
}

export const holds = ({ from, to }: View, at: number): boolean => at >= from && at <= to

const steps = [
  100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000, 7_200_000,
  21_600_000, 43_200_000, 86_400_000, 604_800_000,
]
const leastTickGap = 90

/** Round times that fit below it. */
export function ticksOf(view: View, width: number): readonly { readonly x: number; readonly text: string }[] {
  const most = Math.max(1, Math.floor(width / leastTickGap))
  const step = steps.find((one) => (view.to - view.from) / one <= most) ?? (view.to - view.from) / most
  const ticks = []
  for (let at = Math.ceil(view.from / step) * step; at <= view.to && ticks.length <= most; at += step)
    ticks.push({ x: placeOf(at, view, width), text: step >= 86_400_000 ? dayOf(at) : clock(at, step < 1000) })
  return ticks
}
