import { expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { administratorsWord, type ClusterView, emptyView } from '../../src/controller/index.ts'
import { leftOffIn, type RecordedFencing } from '../../src/node/left-off.ts'

const n2 = nodeName('n2')
const rebooted: RecordedFencing = {
  id: 'f1',
  target: 'n2',
  action: 'reboot',
  outcome: 'succeeded',
  begun: '2026-01-01T00:00:00Z',
  powerOn: ['fence'],
}
const state = (expected: 'down' | 'member'): object => ({
  node: n2,
  id: '2',
  inCcm: false,
  crmd: 'offline',
  join: 'down',
  expected,
  attributes: { node_fenced: '1' },
})
const view = (more: object = {}): ClusterView =>
  ({ ...emptyView, nodeStates: new Map([[n2, state('down')]]), ...more }) as ClusterView

const targets = (record: RecordedFencing, seen = view()): readonly string[] =>
  leftOffIn([record], seen).map(({ target }) => target)

test('a node that a reboot has switched off is to be switched on', () => {
  expect(targets(rebooted)).toEqual(['n2'])
  expect(targets({ ...rebooted, outcome: 'pending', powerOn: undefined })).toEqual(['n2'])
})

test('one that is here is not', () => {
  const here = { node: n2, id: '2', incarnation: 1, address: '', daemonVersion: '', state: 'member', since: 0 }
  expect(targets(rebooted, view({ members: new Map([[n2, here]]) }))).toEqual([])
})

test('one that is to be fenced is not: that fencing switches it on', () => {
  const pending = { ...rebooted, outcome: 'pending', powerOn: undefined } as const
  expect(targets(pending, view({ nodeStates: new Map([[n2, state('member')]]) }))).toEqual([])
})

test('one that an administrator has confirmed to be off stays off', () => {
  const confirmed = { ...state('down'), reason: administratorsWord }
  const seen = view({ nodeStates: new Map([[n2, confirmed]]) })
  expect(targets(rebooted, seen)).toEqual([])
  // As a survivor of two keeps it on its disk that was fenced before it was told how its own fencing ended.
  expect(targets({ ...rebooted, outcome: 'pending', powerOn: undefined }, seen)).toEqual([])
  expect(targets(rebooted, view({ nodeStates: new Map([[n2, { ...confirmed, reason: 'fenced' }]]) }))).toEqual(['n2'])
})

test('one that was to be off stays off', () => {
  expect(targets({ ...rebooted, action: 'off' })).toEqual([])
})

test('one that somebody has switched on since then is not, unless that failed', () => {
  const on = { ...rebooted, id: 'f2', action: 'on', begun: '2026-01-01T00:01:00Z' } as const
  const left = (...records: readonly RecordedFencing[]) => leftOffIn(records, view()).map(({ record }) => record.id)
  expect(left(rebooted, on)).toEqual([])
  expect(left(rebooted, { ...on, outcome: 'failed' })).toEqual(['f1'])
})
