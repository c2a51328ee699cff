/** What stands where on the line of time. */
import { expect, test } from 'vitest'
import type { TimelineEvent } from '../../src/cli/index.ts'
import { withAges } from '../../src/console/base/time.ts'
import { lanesOf, moved, nearest, ticksOf, viewOf, zoomed } from '../../src/console/then/axis.ts'

const start = Date.parse('2026-11-27T02:14:00.000Z')
const event = (ms: number, more: Partial<TimelineEvent> = {}): TimelineEvent => ({
  revision: ms,
  at: new Date(start + ms).toISOString(),
  by: 'n1',
  kind: 'operation',
  text: `event ${ms}`,
  nodes: [],
  resources: [],
  failed: false,
  ...more,
})

test('each kind has a lane, and events that are near to each other are one mark with their number', () => {
  const events = [event(0), event(10), event(5000), event(9000, { kind: 'fencing' }), event(20_000)]
  const lanes = lanesOf(events, { from: start, to: start + 10_000 }, 1000)
  expect(lanes.map(({ title }) => title)).toEqual([
    'Nodes',
    'Quorum',
    'Decisions',
    'Operations',
    'Fencing',
    'Changes',
    'API calls',
  ])
  const marks = (kind: string) => lanes.find((lane) => lane.kind === kind)?.marks.map(({ x, count }) => [x, count])
  expect(marks('operation')).toEqual([
    [0, 2],
    [500, 1],
  ])
  expect(marks('fencing')).toEqual([[900, 1]])
  expect(marks('quorum')).toEqual([])
})

test('a mark of several picks the one that failed, and says what it is', () => {
  const events = [event(0), event(1, { failed: true, text: 'web failed' }), event(2, { failed: true })]
  const [mark] =
    lanesOf(events, { from: start, to: start + 100_000 }, 500).find(({ kind }) => kind === 'operation')?.marks ?? []
  expect(mark).toMatchObject({ failed: true, index: 1, count: 3 })
  expect(mark?.title).toMatch(/web failed \(and 2 more\)$/)
})

test('the whole view holds all events; zoom keeps what is looked at in the middle, and has an end', () => {
  const events = [event(0), event(60_000)]
  const view = viewOf(events)
  expect(view.from).toBeLessThan(start)
  expect(view.to).toBeGreaterThan(start + 60_000)
  const near = zoomed(view, start + 10_000, 0.5)
  expect((near.from + near.to) / 2).toBe(start + 10_000)
  expect(near.to - near.from).toBe((view.to - view.from) / 2)
  let closest = near
  for (let step = 0; step < 40; step += 1) closest = zoomed(closest, start, 0.5)
  expect(closest.to - closest.from).toBe(200)
  expect(moved({ from: 0, to: 10 }, 1)).toEqual({ from: 5, to: 15 })
  expect(moved({ from: 0, to: 10 }, -1)).toEqual({ from: -5, to: 5 })
})

test('a click beside all marks picks the event that is nearest in time', () => {
  const events = [event(0), event(1000), event(5000)]
  expect([-50, 400, 600, 4000, 99_000].map((ms) => nearest(events, start + ms))).toEqual([0, 0, 1, 2, 2])
})

test('ticks are round times, no more than fit', () => {
  for (const span of [300, 5000, 60_000, 3_600_000, 86_400_000, 30 * 86_400_000, 400 * 86_400_000]) {
    const ticks = ticksOf({ from: start, to: start + span }, 900)
    expect(ticks.length).toBeGreaterThan(0)
    expect(ticks.length).toBeLessThanOrEqual(11)
  }
  expect(ticksOf({ from: start, to: start + 60_000 }, 700).map(({ x }) => Math.round(x))).toEqual([
    0, 117, 233, 350, 467, 583, 700,
  ])
})

test('a sentence says how long ago a moment is now, not when it was written', () => {
  const now = Date.parse('2026-11-28T01:27:45Z')
  const said = (age: string): string => `Failed: front start on n2 at 2026-11-28 00:27:45 UTC (${age} ago): findif (x)`
  expect(withAges(said('2 s'), now)).toBe('Failed: front start on n2 at 00:27:45 (60 min ago): findif (x)')
  expect(withAges(said('1 min'), now + 3 * 3_600_000)).toContain('00:27:45 (4 h ago)')
  expect(withAges('n2 is unclean: it must be fenced.', now)).toBe('n2 is unclean: it must be fenced.')
})
