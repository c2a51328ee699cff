import { expect, test } from 'vitest'
import { monotonicMs, nodeName } from '../../src/base/index.ts'
import {
  initialPresence,
  nextPresenceAt,
  type OwnMember,
  type PresenceEffect,
  type PresenceInput,
  presenceStep,
} from '../../src/membership/index.ts'

class Node {
  state = initialPresence(nodeName('alpha'), 7)
  now = 1000

  feed(input: PresenceInput): readonly PresenceEffect[] {
    const { state, effects } = presenceStep(this.state, input, monotonicMs(this.now))
    this.state = state
    return effects
  }

  view(own: Partial<OwnMember>): readonly PresenceEffect[] {
    return this.feed({
      kind: 'view',
      own: { outdated: false, acknowledged: false, declaredDown: false, asksToLeave: false, ...own },
    })
  }
}

const record = (state: 'joining' | 'member' | 'leaving', lease = 'l1') => ({ incarnation: 7, lease, state })

function member(): Node {
  const node = new Node()
  // What its earlier life ran is not known before the store was read.
  expect(node.feed({ kind: 'lease', lease: 'l1' })).toEqual([])
  expect(node.view({})).toEqual([{ kind: 'register', as: 'joining', lease: 'l1' }])
  // Not written twice while the store has not shown it yet.
  expect(node.feed({ kind: 'written', ok: true })).toEqual([])
  node.view({ record: record('joining') })
  expect(node.state.phase).toBe('joining')
  expect(node.view({ record: record('joining'), acknowledged: true })).toEqual([
    { kind: 'register', as: 'member', lease: 'l1' },
  ])
  node.feed({ kind: 'written', ok: true })
  node.view({ record: record('member'), acknowledged: true })
  expect(node.state.phase).toBe('member')
  return node
}

test('a node is joining until the DC has acknowledged its incarnation', () => {
  member()
})

test('a node whose lease was replaced registers again, as joining or as the member that it is', () => {
  const node = member()
  node.feed({ kind: 'lease' })
  expect(node.view({ acknowledged: true })).toEqual([])
  expect(node.feed({ kind: 'lease', lease: 'l2' })).toEqual([{ kind: 'register', as: 'joining', lease: 'l2' }])
})

test('a clean leave asks for the shutdown, and departs when the DC allows it', () => {
  const node = member()
  expect(node.feed({ kind: 'leave' })).toEqual([{ kind: 'register', as: 'leaving', lease: 'l1' }])
  node.feed({ kind: 'written', ok: true })
  const leaving = { record: record('leaving'), acknowledged: true }
  expect(node.view(leaving)).toEqual([{ kind: 'request-shutdown' }])
  expect(node.feed({ kind: 'written', ok: false })).toEqual([])
  node.now += 400
  expect(node.feed({ kind: 'tick' })).toEqual([{ kind: 'request-shutdown' }])
  expect(node.feed({ kind: 'written', ok: true })).toEqual([])
  expect(node.view(leaving)).toEqual([])
  expect(node.feed({ kind: 'shutdown-allowed' })).toEqual([{ kind: 'depart', lease: 'l1' }])
  expect(node.feed({ kind: 'shutdown-allowed' })).toEqual([])
})

test('a node that leaves before the DC knows it joins first, so that it is known the resources on it', () => {
  const node = new Node()
  node.feed({ kind: 'leave' })
  node.view({})
  expect(node.feed({ kind: 'lease', lease: 'l1' })).toEqual([{ kind: 'register', as: 'joining', lease: 'l1' }])
  node.feed({ kind: 'written', ok: true })
  expect(node.view({ record: record('joining') })).toEqual([])
  expect(node.view({ record: record('joining'), acknowledged: true })).toEqual([
    { kind: 'register', as: 'leaving', lease: 'l1' },
  ])
})

test('a shutdown that does not end in time is ended, whatever still runs', () => {
  const node = member()
  node.feed({ kind: 'leave', escalateMs: 60_000 })
  node.feed({ kind: 'written', ok: true })
  node.view({ record: record('leaving'), acknowledged: true })
  node.feed({ kind: 'written', ok: true })
  node.view({ record: record('leaving'), acknowledged: true, asksToLeave: true })
  node.now += 30_000
  // Asked twice, it does not begin to wait anew.
  expect(node.feed({ kind: 'leave', escalateMs: 60_000 })).toEqual([])
  expect(nextPresenceAt(node.state, monotonicMs(node.now))).toBe(61_000)
  node.now += 29_999
  expect(node.feed({ kind: 'tick' })).toEqual([])
  node.now += 1
  expect(node.feed({ kind: 'tick' })).toEqual([{ kind: 'depart', lease: 'l1', escalated: true }])
  expect(node.feed({ kind: 'shutdown-allowed' })).toEqual([])
})

test('a node that leaves without quorum stops its resources by itself, after some patience', () => {
  const node = member()
  node.feed({ kind: 'lease' })
  expect(node.feed({ kind: 'leave' })).toEqual([])
  node.now += 1000
  expect(node.feed({ kind: 'tick' })).toEqual([])
  node.now += 1500
  expect(node.feed({ kind: 'tick' })).toEqual([{ kind: 'stop-locally' }])
  expect(node.feed({ kind: 'tick' })).toEqual([])
  expect(node.feed({ kind: 'stopped-locally' })).toEqual([{ kind: 'depart' }])
})

test('a node that loses its lease while it leaves asks for the shutdown again as soon as it is back', () => {
  const node = member()
  node.feed({ kind: 'leave' })
  node.feed({ kind: 'written', ok: true })
  node.view({ record: record('leaving'), acknowledged: true })
  node.feed({ kind: 'written', ok: true })
  node.feed({ kind: 'lease' })
  node.feed({ kind: 'lease', lease: 'l2' })
  node.feed({ kind: 'written', ok: true })
  expect(node.view({ record: record('leaving', 'l2'), acknowledged: true })).toEqual([{ kind: 'request-shutdown' }])
})

test('a node whose request a new DC has deleted, because it integrated the node again, asks once more', () => {
  const node = member()
  node.feed({ kind: 'leave' })
  node.feed({ kind: 'written', ok: true })
  const leaving = { record: record('leaving'), acknowledged: true }
  expect(node.view(leaving)).toEqual([{ kind: 'request-shutdown' }])
  node.feed({ kind: 'written', ok: true })
  expect(node.view({ ...leaving, asksToLeave: true })).toEqual([])
  node.now += 5000
  expect(node.view({ ...leaving, asksToLeave: true })).toEqual([])
  expect(node.view(leaving)).toEqual([{ kind: 'request-shutdown' }])
  node.feed({ kind: 'written', ok: true })
  // The store shows it a moment later.
  expect(node.view(leaving)).toEqual([])
  expect(nextPresenceAt(node.state, monotonicMs(node.now))).toBe(node.now + 300)
})

test('a node that is counted as down before it was told that it may leave stops its resources by itself and leaves', () => {
  const node = member()
  node.feed({ kind: 'leave' })
  node.feed({ kind: 'written', ok: true })
  node.view({ record: record('leaving'), acknowledged: true })
  node.feed({ kind: 'written', ok: true })
  node.feed({ kind: 'lease' })
  expect(node.view({ declaredDown: true })).toEqual([{ kind: 'stop-locally' }])
  // Neither does it come back, nor is it restarted.
  expect(node.feed({ kind: 'lease', lease: 'l2' })).toEqual([])
  expect(node.view({ record: record('leaving', 'l2'), declaredDown: true })).toEqual([])
  expect(node.feed({ kind: 'stopped-locally' })).toEqual([{ kind: 'depart', lease: 'l2' }])
})

test('a node that lives learns once that it was declared down', () => {
  const node = member()
  const own = { record: record('member'), declaredDown: true }
  expect(node.view(own)).toContainEqual({ kind: 'declared-down' })
  expect(node.view(own)).not.toContainEqual({ kind: 'declared-down' })
})

test('a registration that failed is tried again, not at once', () => {
  const node = new Node()
  node.view({})
  node.feed({ kind: 'lease', lease: 'l1' })
  expect(node.feed({ kind: 'written', ok: false })).toEqual([])
  node.now += 400
  expect(node.feed({ kind: 'tick' })).toEqual([{ kind: 'register', as: 'joining', lease: 'l1' }])
})

test('a node that does not leave is sent away by nobody', () => {
  const node = member()
  expect(node.feed({ kind: 'shutdown-allowed' })).toEqual([])
  expect(node.state.phase).toBe('member')
})
