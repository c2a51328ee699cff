import { describe, expect, test } from 'vitest'
import { type NodeName, nodeName, resourceId } from '../../src/base/index.ts'
import { INFINITY_SCORE } from '../../src/cib/index.ts'
import { localStopStages } from '../../src/controller/index.ts'
import {
  abortWalk,
  chooseActions,
  isOver,
  markEnded,
  markSent,
  nextActions,
  startWalk,
  type Walk,
  type WalkLimits,
} from '../../src/controller/walk.ts'
import type { GraphAction, ResourceAction } from '../../src/transition/index.ts'

const [alpha, beta] = ['alpha', 'beta'].map(nodeName) as [NodeName, NodeName]

function action(id: number, inputs: readonly number[] = [], change: Partial<ResourceAction> = {}): ResourceAction {
  return {
    kind: 'resource',
    id,
    inputs,
    attributes: {},
    priority: 0,
    resource: resourceId(`r${id}`),
    operation: 'start',
    intervalMs: 0,
    key: `r${id}_start_0`,
    agent: { class: 'ocf', type: 'Dummy' },
    node: alpha,
    nodeId: '1',
    downed: [],
    ...change,
  }
}

const pseudo = (id: number, inputs: readonly number[] = []): GraphAction => ({
  kind: 'pseudo',
  id,
  inputs,
  attributes: {},
  priority: 0,
  operation: 'running',
  key: `p${id}`,
  downed: [],
})

const free: WalkLimits = { batch: 0, onNode: () => 100, migrations: -1, beside: [], held: () => false }
const plan = { number: 1, beganAt: 0, plannedFrom: 1, deletions: [], clearsFailures: false }
const walkOf = (...actions: readonly GraphAction[]) =>
  startWalk({ actions, attributes: {} }, { ...plan, lastFailure: () => undefined })
const ids = (walk: Walk, limits: Partial<WalkLimits> = {}) =>
  nextActions(walk, { ...free, ...limits }).map(({ id }) => id)
const sent = (walk: Walk, ...which: readonly number[]) =>
  which.reduce((next, id) => markSent(next, id, { sentAt: 0, deadline: 1 }), walk)

describe('what goes out next', () => {
  test('an action goes out when all of its inputs have succeeded', () => {
    let walk = walkOf(action(1), action(2), action(3, [1, 2]))
    expect(ids(walk)).toEqual([1, 2])
    walk = markEnded(sent(walk, 1, 2), 1, 'succeeded')
    expect(ids(walk)).toEqual([])
    walk = markEnded(walk, 2, 'succeeded')
    expect(ids(walk)).toEqual([3])
  })

  test('points in the order are passed as soon as they are reached, chains of them too', () => {
    const walk = walkOf(pseudo(1), pseudo(2, [1]), action(3, [2]))
    expect(ids(walk)).toEqual([3])
  })

  test('the higher priority first, then the order of the graph', () => {
    expect(ids(walkOf(action(1), action(2, [], { priority: 10 }), action(3)))).toEqual([2, 1, 3])
  })

  test('what has failed before waits until the others have had their turn', () => {
    const actions = [action(1), action(2), action(3), action(4, [], { priority: 10 })]
    const failures = new Map([1, 4].map((id) => [id, 1_700_000_000]))
    const walk = startWalk({ actions, attributes: {} }, { ...plan, lastFailure: ({ id }) => failures.get(id) })
    expect(ids(walk)).toEqual([4, 2, 3, 1])
    expect(ids(walk, { batch: 3 })).toEqual([4, 2, 3])
  })

  test('of those that have failed, the one that did so last waits for the others', () => {
    const failures = new Map([
      [1, 1_700_000_020],
      [2, 1_700_000_010],
    ])
    const graph = { actions: [action(1), action(2), action(3)], attributes: {} }
    const walk = startWalk(graph, { ...plan, lastFailure: ({ id }) => failures.get(id) })
    expect(ids(walk)).toEqual([3, 2, 1])
  })

  test('batch-limit counts what is under way', () => {
    const walk = sent(walkOf(action(1), action(2), action(3)), 1)
    expect(ids(walk, { batch: 2 })).toEqual([2])
  })

  test('a busy node gets no more, another does', () => {
    const walk = sent(walkOf(action(1), action(2), action(3, [], { node: beta })), 1)
    expect(ids(walk, { onNode: () => 1 })).toEqual([3])
  })

  test('migration-limit holds up migrations only', () => {
    const walk = walkOf(
      action(1, [], { operation: 'migrate_to' }),
      action(2, [], { operation: 'migrate_to' }),
      action(3),
    )
    expect(ids(walk, { migrations: 1 })).toEqual([1, 3])
  })

  test('what has no place knows which limit keeps it back; what must wait for something else waits for none', () => {
    const walk = walkOf(action(1), action(2), action(3, [], { operation: 'migrate_to', node: beta }))
    const kept = (limits: Partial<WalkLimits>) =>
      Object.fromEntries(chooseActions(walk, { ...free, ...limits }).keptBack)
    expect(kept({ batch: 2 })).toEqual({ 3: { limit: 'batch-limit', places: 2 } })
    expect(kept({ onNode: () => 1 })).toEqual({ 2: { limit: 'node-action-limit', places: 1 } })
    expect(kept({ onNode: () => 1, isSlowed: () => true })).toEqual({ 2: { limit: 'load-threshold', places: 1 } })
    expect(kept({ migrations: 0 })).toEqual({ 3: { limit: 'migration-limit', places: 0 } })
    expect(kept({ onNode: () => 1, held: ({ id }) => id === 2 })).toEqual({})
  })

  test('fencing waits for no limit', () => {
    const fence: GraphAction = {
      kind: 'cluster',
      id: 2,
      inputs: [],
      attributes: {},
      priority: 0,
      operation: 'stonith',
      key: 'stonith-beta-reboot',
      node: beta,
      downed: [],
    }
    expect(ids(sent(walkOf(action(1), fence), 1), { batch: 1 })).toEqual([2])
  })
})

describe('the end', () => {
  test('what waits for a failed action never goes out', () => {
    const walk = markEnded(sent(walkOf(action(1), action(2, [1])), 1), 1, 'failed')
    expect(ids(walk)).toEqual([])
    expect(isOver(walk)).toBe(true)
  })

  test('an aborted walk is over when nothing is under way', () => {
    let walk = abortWalk(sent(walkOf(action(1), action(2)), 1), 'news')
    expect(ids(walk)).toEqual([])
    expect(isOver(walk)).toBe(false)
    walk = markEnded(walk, 1, 'succeeded')
    expect(isOver(walk)).toBe(true)
    expect(abortWalk(walk, 'later').aborted).toBe('news')
  })

  test('after an abort instances are still told what has been done, and nothing else goes out', () => {
    const first = { priority: INFINITY_SCORE }
    const post = action(4, [3], { ...first, operation: 'notify' })
    let walk = walkOf(action(1), { ...pseudo(2, [1]), ...first }, { ...pseudo(3, [2]), ...first }, post, action(5, [2]))
    walk = abortWalk(sent(walk, 1), 'a promotion score changed')
    expect(ids(walk)).toEqual([])
    walk = markEnded(walk, 1, 'succeeded')
    expect(ids(walk)).toEqual([4])
    expect(isOver(walk)).toBe(false)
    walk = markEnded(sent(walk, 4), 4, 'succeeded')
    expect(isOver(walk)).toBe(true)
  })

  test('after an abort what was not done is not told', () => {
    const walk = walkOf(action(1), action(2, [], { priority: INFINITY_SCORE, inputs: [1], operation: 'notify' }))
    expect(ids(abortWalk(walk, 'news'))).toEqual([])
    expect(isOver(abortWalk(walk, 'news'))).toBe(true)
  })

  test('a result that comes twice counts once', () => {
    const once = markEnded(sent(walkOf(action(1), action(2, [1])), 1), 1, 'succeeded')
    expect(markEnded(once, 1, 'failed')).toEqual(once)
  })
})

describe('stopping without quorum', () => {
  const stop = (id: number, inputs: readonly number[] = [], node = alpha) =>
    action(id, inputs, { operation: 'stop', key: `r${id}_stop_0`, node })

  test('a node stops the resources on it in the order of the graph, and starts nothing', () => {
    const graph = { actions: [stop(1), stop(2, [1]), action(3, [2]), stop(4, [], beta)], attributes: {} }
    expect(localStopStages(graph, alpha).map((stage) => stage.map(({ id }) => id))).toEqual([[1], [2]])
  })

  test('an order that leads through what others do is kept, without waiting for them', () => {
    const graph = { actions: [stop(1), stop(2, [1], beta), pseudo(3, [2]), stop(4, [3]), stop(5)], attributes: {} }
    expect(localStopStages(graph, alpha).map((stage) => stage.map(({ id }) => id))).toEqual([[1, 5], [4]])
  })
})
