/** What a node writes down, from records as they come out of the store. */
import { expect, test } from 'vitest'
import { emptyView, type Observation, observe } from '../../src/controller/index.ts'
import { happenings, nothingSeen } from '../../src/journal/index.ts'

const put = (key: string, value: unknown): Observation => ({
  kind: 'put',
  key: `/systole/${key}`,
  value,
  createRevision: 1,
})
const nodeState = (node: string, more: object = {}) =>
  put(`node-state/${node}`, {
    node,
    id: node,
    inCcm: true,
    crmd: 'online',
    join: 'member',
    expected: 'member',
    ...more,
  })
const result = (resource: string, node: string, attributes: Readonly<Record<string, string>>) =>
  put(`history/${node}/${resource}/${resource}_last_0`, {
    node,
    resource,
    agent: { class: 'ocf', provider: 'pacemaker', type: 'Dummy' },
    recordId: `${resource}_last_0`,
    attributes: { operation: 'start', 'call-id': '1', 'rc-code': '0', 'op-status': '0', interval: '0', ...attributes },
  })

function story() {
  let view = emptyView
  let state = nothingSeen
  let revision = 0
  return (
    observations: readonly Observation[],
    fencing: readonly { readonly id: string; readonly outcome: string }[] = [],
  ) => {
    const observed = observe(view, observations, ++revision)
    view = observed.view
    const seen = fencing.map((one) => ({ target: 'n2', action: 'off', ...one }))
    const made = happenings(state, { view, changes: observed.changes, fencing: seen })
    state = made.state
    return made.events
  }
}

test('what was there when a node begins is one event, and nothing of it happens again', () => {
  const next = story()
  expect(
    next([nodeState('n1'), nodeState('n2'), result('web', 'n2', {})], [{ id: 'old', outcome: 'succeeded' }]),
  ).toEqual([{ kind: 'begun', active: { web: ['n2'] }, nodes: ['n1', 'n2'] }])
  expect(
    next([nodeState('n1', { reason: 'other words' }), result('web', 'n2', {})], [{ id: 'old', outcome: 'succeeded' }]),
  ).toEqual([])
})

test('a node is lost where it should be here, and leaves where it should not', () => {
  const next = story()
  next([nodeState('n1'), nodeState('n2')])
  expect(next([nodeState('n2', { inCcm: false, crmd: 'offline' })])).toEqual([
    { kind: 'node', node: 'n2', became: 'lost' },
  ])
  expect(next([nodeState('n1', { crmd: 'offline', expected: 'down' })])).toEqual([
    { kind: 'node', node: 'n1', became: 'left' },
  ])
  expect(next([nodeState('n2')])).toEqual([{ kind: 'node', node: 'n2', became: 'member' }])
})

test('a result is told once, with the agent’s reason; a fencing when it begins and when it ends', () => {
  const next = story()
  next([nodeState('n1')])
  const failed = { operation: 'monitor', interval: '10000', 'rc-code': '1', 'call-id': '5', 'exit-reason': 'no answer' }
  expect(next([result('web', 'n1', failed)])).toMatchObject([
    { kind: 'operation', resource: 'web', node: 'n1', rc: 1, intervalMs: 10_000, reason: 'no answer' },
  ])
  expect(next([result('web', 'n1', failed)])).toEqual([])
  const outcomes = ['pending', 'pending', 'succeeded', 'succeeded'].map(
    (outcome) => next([], [{ id: 'f', outcome }]).length,
  )
  expect(outcomes).toEqual([1, 0, 1, 0])
})

test('a decision is told when the DC begins with it, and once more where it cannot go on', () => {
  const next = story()
  next([nodeState('n1')])
  const transition = (number: number, state: string, more: object = {}) =>
    put('transition', { number, term: 1, state, pending: [], blockedBy: [], ...more })
  expect(next([transition(4, 'computing')])).toEqual([])
  expect(next([transition(4, 'running', { pending: ['web start on n1'] })])).toEqual([
    { kind: 'decision', number: 4, doing: ['web start on n1'] },
  ])
  expect(next([transition(4, 'running', { pending: ['web monitor on n1'] })])).toEqual([])
  expect(next([transition(4, 'idle')])).toEqual([])
  const blockedBy = ['fencing of n2 fails']
  expect(next([transition(4, 'blocked', { blockedBy })])).toEqual([
    { kind: 'decision', number: 4, doing: [], blocked: blockedBy },
  ])
  expect(next([transition(4, 'blocked', { blockedBy })])).toEqual([])
  expect(next([transition(5, 'running', { pending: ['web stop on n1'] })])).toHaveLength(1)
})
