/** Where the time of a transition went: the critical path, waits for a place, and slack. */
import { expect, test } from 'vitest'
import { type NodeName, nodeName, resourceId } from '../../src/base/index.ts'
import {
  abortWalk,
  chooseActions,
  markEnded,
  markSent,
  noteKeptBack,
  startWalk,
  type Walk,
  withTimes,
} from '../../src/controller/walk.ts'
import { reportOf } from '../../src/controller/walk-report.ts'
import type { GraphAction } from '../../src/transition/index.ts'

const alpha: NodeName = nodeName('alpha')

const start = (id: number, inputs: readonly number[] = [], operation = 'start'): GraphAction => ({
  kind: 'resource',
  id,
  inputs,
  attributes: {},
  priority: 0,
  resource: resourceId(`r${id}`),
  operation,
  intervalMs: 0,
  key: `r${id}_${operation}_0`,
  agent: { class: 'ocf', type: 'Dummy' },
  node: alpha,
  nodeId: '1',
  downed: [],
})
const point = (id: number, inputs: readonly number[]): GraphAction => ({
  kind: 'pseudo',
  id,
  inputs,
  attributes: {},
  priority: 0,
  operation: 'running',
  key: `p${id}`,
  downed: [],
})

const began = 5000
const walkOf = (...actions: readonly GraphAction[]): Walk =>
  startWalk(
    { actions, attributes: {} },
    { number: 7, beganAt: began, plannedFrom: 1, deletions: [], clearsFailures: false, lastFailure: () => undefined },
  )

/** Each runs from one moment to another after the beginning; those that end first are told first. */
function walked(walk: Walk, runs: Readonly<Record<number, readonly [sent: number, ended: number]>>): Walk {
  const moments = [...new Set(Object.values(runs).flat())].sort((a, b) => a - b)
  let next = walk
  for (const moment of moments) {
    for (const [id, [, ended]] of Object.entries(runs))
      if (ended === moment) next = withTimes(markEnded(next, Number(id), 'succeeded'), began + moment)
    for (const [id, [at]] of Object.entries(runs))
      if (at === moment) next = markSent(next, Number(id), { sentAt: began + at, deadline: 1e9 })
  }
  return next
}

test('the chain that ended last is the critical path, also through points of the order; others have slack', () => {
  // 1 (0 to 100) and 2 (0 to 300) before 3, by a point; 4 stands alone.
  const walk = walked(walkOf(start(1), start(2), point(9, [1, 2]), start(3, [9]), start(4)), {
    1: [0, 100],
    2: [0, 300],
    3: [300, 700],
    4: [0, 250],
  })
  expect(reportOf(walk, began + 700)).toEqual({
    transition: 7,
    tookMs: 700,
    done: 4,
    failed: 0,
    notDone: 0,
    starts: true,
    steps: [
      { what: 'r1 start on alpha', startMs: 0, tookMs: 100, waitedMs: 0, slackMs: 200, critical: false },
      { what: 'r2 start on alpha', startMs: 0, tookMs: 300, waitedMs: 0, slackMs: 0, critical: true },
      { what: 'r4 start on alpha', startMs: 0, tookMs: 250, waitedMs: 0, slackMs: 450, critical: false },
      { what: 'r3 start on alpha', startMs: 300, tookMs: 400, waitedMs: 0, slackMs: 0, critical: true },
    ],
  })
})

test('what was ready and had no place says how long it waited', () => {
  const walk = walked(walkOf(start(1), start(2)), { 1: [0, 200], 2: [200, 500] })
  expect(reportOf(walk, began + 500)?.steps).toMatchObject([
    { what: 'r1 start on alpha', critical: false, slackMs: 300 },
    { what: 'r2 start on alpha', critical: true, startMs: 200, waitedMs: 200, tookMs: 300, slackMs: 0 },
  ])
})

test('and which limit kept it back last, with the number of places', () => {
  const limits = { batch: 0, migrations: -1, beside: [], held: () => false }
  const begun = walkOf(start(1), start(2))
  const full = chooseActions(begun, { ...limits, onNode: () => 1 })
  expect(full.next.map(({ id }) => id)).toEqual([1])
  const first = noteKeptBack(begun, full.keptBack)
  expect(noteKeptBack(first, full.keptBack)).toBe(first)
  const slowed = chooseActions(first, { ...limits, onNode: () => 0, isSlowed: () => true })
  const walk = walked(noteKeptBack(first, slowed.keptBack), { 1: [0, 200], 2: [200, 500] })
  expect(reportOf(walk, began + 500)?.steps).toMatchObject([
    { what: 'r1 start on alpha', waitedMs: 0 },
    { what: 'r2 start on alpha', waitedMs: 200, waitedFor: { limit: 'load-threshold', places: 0 } },
  ])
  const early = walked(first, { 1: [0, 200], 2: [200, 500] })
  expect(reportOf(early, began + 500)?.steps).toMatchObject([
    {},
    { waitedFor: { limit: 'node-action-limit', places: 1 } },
  ])
  expect(reportOf(early, began + 500)?.steps[0]).not.toHaveProperty('waitedFor')
})

test('a failure and what it kept from beginning; news that ended it early', () => {
  let walk = markSent(walkOf(start(1), start(2, [1])), 1, { sentAt: began, deadline: 1e9 })
  walk = withTimes(markEnded(abortWalk(walk, 'the configuration changed'), 1, 'failed'), began + 40)
  expect(reportOf(walk, began + 40)).toMatchObject({
    done: 1,
    failed: 1,
    notDone: 1,
    aborted: 'the configuration changed',
    steps: [{ failed: true, critical: true, tookMs: 40 }],
  })
})

test('a transition without a start is none that starts, and one in which nothing was sent is not reported', () => {
  const stop = walked(walkOf(start(1, [], 'stop')), { 1: [0, 10] })
  expect(reportOf(stop, began + 10)?.starts).toBe(false)
  expect(reportOf(walked(walkOf(start(1, [], 'promote')), { 1: [0, 10] }), began + 10)?.starts).toBe(true)
  expect(reportOf(walkOf(point(1, [])), began)).toBeUndefined()
})

test('of many the critical path is kept whole, and those with the least slack, in the order in which they began', () => {
  const others = Array.from({ length: 200 }, (_, index) => start(index + 10))
  const chain = [start(1), start(2, [1]), start(3, [2])]
  const runs = Object.fromEntries(others.map(({ id }) => [id, [0, id] as const]))
  const walk = walked(walkOf(...chain, ...others), { ...runs, 1: [0, 300], 2: [300, 600], 3: [600, 900] })
  const { steps = [] } = reportOf(walk, began + 900) ?? {}
  expect(steps).toHaveLength(40)
  expect(steps.filter(({ critical }) => critical).map(({ what }) => what)).toEqual([
    'r1 start on alpha',
    'r2 start on alpha',
    'r3 start on alpha',
  ])
  const least = Math.max(...steps.filter(({ critical }) => !critical).map(({ slackMs }) => slackMs))
  expect(least).toBe(900 - (209 - 36))
  expect(steps.map(({ startMs }) => startMs)).toEqual(steps.map(({ startMs }) => startMs).toSorted((a, b) => a - b))
})

test('a long chain needs no deep stack', () => {
  const length = 20_000
  const actions = Array.from({ length }, (_, index) => point(index + 2, [index + 1]))
  const walk = walked(walkOf(start(1), ...actions.slice(0, 200), start(999_999, [201])), { 1: [0, 1], 999999: [1, 2] })
  expect(reportOf(walk, began + 2)?.steps).toMatchObject([{ critical: true }, { critical: true }])
})
