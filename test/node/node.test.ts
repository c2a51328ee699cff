/** How the parts of a node work together. */
import { describe, expect, test } from 'vitest'
import { monotonicMs, nodeName } from '../../src/base/index.ts'
import { keys } from '../../src/controller/index.ts'
import type { Command } from '../../src/executor/index.ts'
import { isQuorate, type NodeEffect, nodeTimings } from '../../src/node/index.ts'
import { mayPerform } from '../../src/node/node.ts'
import { DrivenNode, self, stopOfWeb } from './driven-node.ts'

const command = (more: Partial<Command> = {}): Command => ({
  term: 5,
  plannedFrom: 1,
  transitionKey: '1:1:0:u',
  timeoutMs: 1000,
  action: stopOfWeb,
  ...more,
})

const shutdown = {
  kind: 'cluster',
  id: 1,
  inputs: [],
  attributes: {},
  priority: 0,
  operation: 'do_shutdown',
  key: 'do_shutdown-n1',
  node: self,
  downed: [],
} as const

describe('a command of a DC', () => {
  test('is the executor’s', () => {
    const node = new DrivenNode()
    node.runs()
    node.feed({ kind: 'command', id: 3, command: command({ term: 4 }), highestTerm: 5 })
    // The executor looks at the term itself.
    expect(node.asked).toEqual([{ kind: 'perform-command', id: 3, command: command({ term: 4 }) }])
  })

  test('for a node behind a connection goes there, under a term that is not over', () => {
    const node = new DrivenNode()
    node.runs()
    const remote = nodeName('r1')
    const routed = command({ action: { ...stopOfWeb, node: remote } })
    node.feed({ kind: 'command', id: 1, command: routed, highestTerm: 5 })
    expect(node.asked).toEqual([{ kind: 'route-command', id: 1, node: remote, command: routed }])
    node.feed({ kind: 'command', id: 2, command: routed, highestTerm: 6 })
    expect(node.of('route-command')).toHaveLength(1)
    expect(node.of('answer-command')).toMatchObject([
      { id: 2, answer: { accepted: false, why: 'old-term', highestTerm: 6 } },
    ])
  })

  test('is not taken by a node that is still starting', () => {
    const node = new DrivenNode()
    node.feed({ kind: 'command', id: 1, command: command(), highestTerm: undefined })
    expect(node.of('answer-command')).toMatchObject([{ id: 1, answer: { accepted: false, why: 'closing' } }])
  })

  test('that lets this node go is obeyed under the term that rules, and not under one that is over', () => {
    const node = new DrivenNode()
    node.runs()
    node.feed({ kind: 'leave' })
    node.feed({ kind: 'command', id: 1, command: command({ action: shutdown }), highestTerm: 6 })
    expect(node.of('answer-command')).toMatchObject([{ id: 1, answer: { accepted: false, why: 'old-term' } }])
    expect(node.of('depart')).toEqual([])
    node.feed({ kind: 'command', id: 2, command: command({ action: shutdown, term: 6 }), highestTerm: 6 })
    expect(node.of('answer-command').slice(1)).toMatchObject([{ id: 2, answer: { accepted: true, done: true } }])
    expect(node.of('depart')).toEqual([{ kind: 'depart', lease: 'L1', disarm: true }])
  })
})

describe('what the controller asks for', () => {
  test('is dropped without quorum: the process may have stood still since the step', () => {
    const node = new DrivenNode()
    node.configured()
    node.feed({ kind: 'began' })
    node.quorum(4000)
    node.feed({ kind: 'says', says: { watchdogMs: 5000 } })
    node.feed({ kind: 'presence', input: { kind: 'written', ok: true } })
    node.now += 400
    node.asked.length = 0
    // What comes first in the step, for the record is an old one, takes longer to perform than the lease holds.
    node.meanwhile = (effect) => {
      if (effect.kind === 'presence') node.now += 5000
    }
    node.member()
    expect(node.kinds).toContain('register')
    expect(node.kinds).not.toContain('campaign')
    node.quorum(4000)
    expect(node.kinds).toContain('campaign')
  })

  test('is performed without quorum where it takes back a fencing: nobody else could', () => {
    const { state } = new DrivenNode().loop
    const effect = (kind: 'withdraw-fencing' | 'revoke-lease') =>
      ({ kind: 'controller', effect: { kind, id: '7-1', node: nodeName('beta'), lease: 'L1' } }) as NodeEffect
    expect(mayPerform(state, effect('withdraw-fencing'), monotonicMs(9000))).toBe(true)
    expect(mayPerform(state, effect('revoke-lease'), monotonicMs(9000))).toBe(false)
  })
})

describe('before the store was read', () => {
  test('nothing is decided from the view: the history of an earlier life would be deleted', () => {
    const node = new DrivenNode()
    node.configured()
    node.asked.length = 0
    node.quorum()
    node.later(1000)
    expect(node.kinds).toEqual(['executor-quorum', 'quorum-gained'])
    node.feed({ kind: 'began' })
    expect(node.kinds.slice(2)).toEqual(['executor-quorum', 'register'])
  })

  test('the node does not register either where it says something else of itself', () => {
    const node = new DrivenNode()
    node.quorum()
    node.feed({ kind: 'says', says: { watchdogMs: 5000 } })
    expect(node.kinds).not.toContain('register')
  })

  test('it does not campaign, whatever the store shows of it', () => {
    const node = new DrivenNode()
    node.configured()
    node.quorum()
    node.member()
    node.later(1000)
    expect(node.kinds).not.toContain('campaign')
    node.feed({ kind: 'began' })
    expect(node.kinds).toContain('campaign')
  })
})

test('a node registers again when it says something else of itself', () => {
  const node = new DrivenNode()
  node.runs()
  node.feed({ kind: 'presence', input: { kind: 'written', ok: true } })
  node.later(1000)
  node.asked.length = 0
  node.feed({ kind: 'says', says: { watchdogMs: 5000 } })
  expect(node.kinds).toEqual(['register'])
})

test('another lease is another gain of quorum, the same one prolonged is none', () => {
  const node = new DrivenNode()
  node.quorum(4000, 'L1')
  node.quorum(4000, 'L1')
  node.quorum(4000, 'L2')
  expect(node.of('quorum-gained')).toHaveLength(2)
  const reported = node.of('log').filter(({ message }) => message === 'this node has quorum')
  expect(reported.map(({ fields }) => fields.lease)).toEqual(['L1', 'L2'])
})

test('what one of two waits for is told when it changes', () => {
  const node = new DrivenNode()
  node.configured()
  node.ofTwo('silent')
  node.feed({ kind: 'tick' })
  node.ofTwo('heard')
  expect(node.of('two-node-waits').map(({ message }) => message?.slice(0, 22))).toEqual([
    'This node waits for n2',
    undefined,
  ])
})

describe('a wake-up', () => {
  const failed = { kind: 'fenced', id: 1, succeeded: false, message: 'no answer' } as const

  test('is not lost where its time comes while effects are performed', () => {
    const node = new DrivenNode({ met: true })
    node.configured()
    node.ofTwo('silent')
    node.meanwhile = () => {
      node.now += 3000
    }
    // What it waits for is told, which takes longer than it waits.
    node.feed({ kind: 'two-node', input: failed })
    node.meanwhile = () => undefined
    expect(node.wakeAt).toBeLessThanOrEqual(node.now)
    node.later(0)
    expect(node.ofFencing('plan-peer')).toHaveLength(2)
  })

  test('is not asked for where its time has passed and another input is waited for', () => {
    const node = new DrivenNode({ met: true })
    node.configured()
    node.ofTwo('silent')
    node.feed({ kind: 'two-node', input: failed })
    node.ofTwo('restarting')
    node.later(2000)
    expect(node.loop.state.twoNode.phase.kind).toBe('fencing-failed')
    node.feed({ kind: 'tick' })
    expect(node.wakeAt ?? Number.POSITIVE_INFINITY).toBeGreaterThan(node.now)
    node.ofTwo('silent')
    expect(node.ofFencing('plan-peer')).toHaveLength(2)
  })
})

describe('a node that has ended', () => {
  test('decides nothing any more, and still knows until when its lease is confirmed', () => {
    const node = new DrivenNode()
    node.runs()
    node.loop.end()
    node.wakeAt = undefined
    node.now += 3000
    node.quorum(4000)
    node.now += 3000
    expect(isQuorate(node.loop.state, monotonicMs(node.now))).toBe(true)
    node.feed({ kind: 'quorum', until: monotonicMs(Number.NEGATIVE_INFINITY) })
    node.feed({ kind: 'quorum-lost', why: 'left' })
    expect(isQuorate(node.loop.state, monotonicMs(node.now))).toBe(false)
    expect(node.asked).toEqual([])
    expect(node.wakeAt).toBeUndefined()
  })

  test('performs nothing more of the step in which that happened', () => {
    const node = new DrivenNode()
    node.runs()
    node.meanwhile = (effect) => {
      if (effect.kind === 'executor-quorum') node.loop.end()
    }
    node.feed({ kind: 'quorum-lost', why: 'not confirmed in time' })
    expect(node.kinds).toEqual(['executor-quorum'])
  })
})

test('the times of a node are those of its cluster', () => {
  const timings = { leaseTtlMs: 6000, leaseMarginMs: 700, stopTimeMs: 20_000, restartGraceMs: 9000 }
  expect(nodeTimings(timings, { overlapAfterMs: 200 })).toMatchObject({
    leaseTtlMs: 6000,
    leaseMarginMs: 700,
    controller: { lossWaitMs: 26_700, registrationMs: 9000, overlapAfterMs: 200, linkPatienceMs: 10_000 },
  })
})

test('a node that leaves does not campaign while another stays', () => {
  const campaigns = (leaves: boolean): boolean => {
    const node = new DrivenNode()
    node.configured()
    const n2 = nodeName('n2')
    const other = {
      node: n2,
      id: '2',
      incarnation: 3,
      address: 'a',
      daemonVersion: '',
      state: 'member',
      since: 0,
    } as const
    node.store({ kind: 'put', key: keys.member(n2), value: other, createRevision: 4, lease: 'L2' })
    node.store({ kind: 'put', key: keys.dc, value: { node: n2 }, createRevision: 5, lease: 'L2' })
    node.feed({ kind: 'began' })
    node.quorum()
    node.member()
    node.nodeState()
    if (leaves) node.feed({ kind: 'leave' })
    node.store({ kind: 'delete', key: keys.dc })
    node.later(3000)
    return node.kinds.includes('campaign')
  }
  expect(campaigns(false)).toBe(true)
  expect(campaigns(true)).toBe(false)
})
