import { describe, expect, test } from 'vitest'
import { monotonicMs, nodeName } from '../../src/base/index.ts'
import {
  initialQuorum,
  isQuorate,
  lossWait,
  nextQuorumAt,
  type QuorumEffect,
  type QuorumInput,
  quorumStep,
  quorumVotes,
} from '../../src/quorum/index.ts'

const timings = { leaseTtlMs: 5000, leaseMarginMs: 500 }

class Node {
  now = 0
  state = initialQuorum(timings, monotonicMs(0))

  feed(input: QuorumInput): readonly QuorumEffect[] {
    const { state, effects } = quorumStep(this.state, input, monotonicMs(this.now))
    this.state = state
    return effects
  }

  get isQuorate(): boolean {
    return isQuorate(this.state, monotonicMs(this.now))
  }

  granted(lease = 'l1', askedAt = this.now): readonly QuorumEffect[] {
    return this.feed({ kind: 'granted', lease, ttlMs: 5000, askedAt: monotonicMs(askedAt) })
  }
}

describe('a lease', () => {
  test('is asked for once at a time, and makes the node quorate', () => {
    const node = new Node()
    expect(node.feed({ kind: 'tick' })).toEqual([{ kind: 'request-lease', ttlMs: 5000 }])
    expect(node.feed({ kind: 'tick' })).toEqual([])
    expect(node.isQuorate).toBe(false)
    node.now = 20
    expect(node.granted()).toEqual([{ kind: 'quorum-gained', lease: 'l1' }])
    expect(node.isQuorate).toBe(true)
  })

  test('holds from the moment before it was asked for, without the margin', () => {
    const node = new Node()
    node.feed({ kind: 'tick' })
    node.now = 300
    node.granted('l1', 100)
    node.now = 4599
    expect(node.isQuorate).toBe(true)
    node.now = 4600
    expect(node.isQuorate).toBe(false)
  })

  test('is not prolonged by an answer about another one', () => {
    const node = new Node()
    node.feed({ kind: 'tick' })
    node.granted('l1')
    node.now = 1000
    node.feed({ kind: 'lost', lease: 'l1' })
    node.granted('l2')
    node.now = 3000
    node.feed({ kind: 'confirmed', lease: 'l1', ttlMs: 5000, askedAt: monotonicMs(3000) })
    node.now = 5499
    expect(node.isQuorate).toBe(true)
    node.now = 5500
    expect(node.isQuorate).toBe(false)
  })

  test('that is not confirmed in time is told to be lost, at the moment that was announced', () => {
    const node = new Node()
    node.feed({ kind: 'tick' })
    node.granted()
    node.now = 2500
    expect(node.feed({ kind: 'tick' })).toEqual([{ kind: 'keep-alive', lease: 'l1' }])
    expect(nextQuorumAt(node.state)).toBe(4500)
    node.now = 4500
    expect(node.feed({ kind: 'tick' })).toEqual([{ kind: 'quorum-lost', why: 'not confirmed in time' }])
  })

  test('is confirmed by a keep-alive', () => {
    const node = new Node()
    node.feed({ kind: 'tick' })
    node.granted()
    node.now = 2500
    node.feed({ kind: 'tick' })
    node.now = 2510
    node.feed({ kind: 'confirmed', lease: 'l1', ttlMs: 5000, askedAt: monotonicMs(2500) })
    node.now = 6900
    expect(node.isQuorate).toBe(true)
  })

  test('that the store has ended ends at once, and another is asked for', () => {
    const node = new Node()
    node.feed({ kind: 'tick' })
    node.granted()
    node.now = 2500
    node.feed({ kind: 'tick' })
    expect(node.feed({ kind: 'lost', lease: 'l1' })).toEqual([
      { kind: 'quorum-lost', why: 'lease lost' },
      { kind: 'request-lease', ttlMs: 5000 },
    ])
    expect(node.isQuorate).toBe(false)
  })

  test('without an answer is asked for again, not at once', () => {
    const node = new Node()
    node.feed({ kind: 'tick' })
    expect(node.feed({ kind: 'no-answer' })).toEqual([])
    node.now = 250
    expect(node.feed({ kind: 'tick' })).toEqual([{ kind: 'request-lease', ttlMs: 5000 }])
  })
})

describe('a node that was paused', () => {
  test('is not quorate until a confirmation that it asked for afterwards', () => {
    const node = new Node()
    node.feed({ kind: 'tick' })
    node.granted()
    node.now = 2500
    node.feed({ kind: 'tick' })
    node.now = 3000
    expect(node.feed({ kind: 'doubt' })).toEqual([{ kind: 'quorum-lost', why: 'paused' }])
    node.feed({ kind: 'confirmed', lease: 'l1', ttlMs: 5000, askedAt: monotonicMs(2500) })
    expect(node.isQuorate).toBe(false)
    node.now = 3010
    const effects = node.feed({ kind: 'confirmed', lease: 'l1', ttlMs: 5000, askedAt: monotonicMs(3001) })
    expect(effects).toContainEqual({ kind: 'quorum-gained', lease: 'l1' })
  })
})

const renewals = [
  { name: 'is renewed after half of its time', ttlMs: 5000, after: 2500 },
  { name: 'that is short is renewed after a third', ttlMs: 3000, after: 1000 },
  { name: 'of a node with several links leaves time for one to fail', ttlMs: 5000, reserveMs: 3000, after: 5000 / 3 },
]
for (const { name, ttlMs, after, ...more } of renewals)
  test(`a lease ${name}`, () => {
    const start = initialQuorum({ leaseTtlMs: ttlMs, leaseMarginMs: 500, ...more }, monotonicMs(0))
    const asked = quorumStep(start, { kind: 'tick' }, monotonicMs(0)).state
    const granted = { kind: 'granted', lease: 'l1', ttlMs, askedAt: monotonicMs(0) } as const
    expect(nextQuorumAt(quorumStep(asked, granted, monotonicMs(0)).state)).toBe(after)
  })

test('a node that leaves asks for nothing more', () => {
  const node = new Node()
  node.feed({ kind: 'tick' })
  node.granted()
  expect(node.feed({ kind: 'leave' })).toEqual([{ kind: 'quorum-lost', why: 'left' }])
  node.now = 9000
  expect(node.feed({ kind: 'tick' })).toEqual([])
})

const votes = [
  { name: 'two of three nodes have quorum', voters: 3, present: 2, needed: 2 },
  { name: 'two of four have none', voters: 4, present: 2, needed: 3 },
  { name: 'one of one has it', voters: 1, present: 1, needed: 1 },
]
for (const { name, voters, present, needed } of votes)
  test(name, () => {
    const nodes = ['a', 'b', 'c', 'd'].slice(0, voters).map(nodeName)
    const here = new Set([...nodes.slice(0, present), nodeName('a-node-without-a-vote')])
    expect(quorumVotes(nodes, here)).toEqual({ present, expected: voters, needed })
  })

test('without fencing, others wait until the lost node has surely stopped: time to live, margin, stop time', () => {
  expect(lossWait({ leaseTtlMs: 5000, leaseMarginMs: 500, stopTimeMs: 10_000 })).toBe(15_500)
})
