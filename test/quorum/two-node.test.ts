import { describe, expect, test } from 'vitest'
import { monotonicMs, nodeName } from '../../src/base/index.ts'
import {
  describeTwoNode,
  initialTwoNode,
  keepsResources,
  nextTwoNodeAt,
  type TwoNodeEffect,
  type TwoNodeInput,
  type TwoNodeSituation,
  twoNodeStep,
} from '../../src/quorum/index.ts'

const peer = nodeName('beta')
const together: TwoNodeSituation = {
  peer,
  heartbeat: 'heard',
  peerIsDown: false,
  met: true,
  fencingEnabled: true,
  quorate: true,
}
const silent: TwoNodeSituation = { ...together, heartbeat: 'silent', quorate: false }
const fence = (id = 1): TwoNodeEffect => ({ kind: 'fence', id, target: peer })
const alone = (word: 'fenced' | 'left' | 'administrator'): TwoNodeEffect => ({ kind: 'go-alone', without: peer, word })

class Node {
  now = 0
  state = initialTwoNode

  feed(input: TwoNodeInput): readonly TwoNodeEffect[] {
    const { state, effects } = twoNodeStep(this.state, input, monotonicMs(this.now))
    this.state = state
    return effects
  }

  see(situation: TwoNodeSituation): readonly TwoNodeEffect[] {
    return this.feed({ kind: 'situation', situation })
  }

  get says(): string | undefined {
    return describeTwoNode(this.state)
  }
}

describe('what one of two nodes does at first', () => {
  const cases: readonly {
    readonly name: string
    readonly situation: TwoNodeSituation
    readonly effects: readonly TwoNodeEffect[]
    readonly keeps: boolean
    readonly says?: RegExp
  }[] = [
    { name: 'nothing while it hears the other', situation: together, effects: [], keeps: true },
    {
      name: 'it fences a silent peer',
      situation: silent,
      effects: [fence()],
      keeps: true,
      says: /once beta is fenced/,
    },
    {
      name: 'it fences a silent peer whose etcd still answers',
      situation: { ...silent, quorate: true },
      effects: [fence()],
      keeps: true,
      says: /once beta is fenced/,
    },
    {
      name: 'a daemon that may come back is waited for',
      situation: { ...silent, heartbeat: 'restarting' },
      effects: [],
      keeps: true,
    },
    {
      name: 'after its boot it waits for the peer',
      situation: { ...silent, met: false },
      effects: [],
      keeps: false,
      says: /waits for beta.*quorum unblock/,
    },
    {
      name: 'even for one that was down when both last agreed: it may have gone on alone since',
      situation: { ...silent, met: false, peerIsDown: true },
      effects: [],
      keeps: false,
      says: /waits for beta/,
    },
    {
      name: 'without fencing it neither goes on nor keeps what it runs',
      situation: { ...silent, fencingEnabled: false },
      effects: [],
      keeps: false,
      says: /fencing is disabled.*quorum unblock/,
    },
    {
      name: 'a peer that has left in order is not fenced',
      situation: { ...together, heartbeat: 'restarting', peerIsDown: true },
      effects: [alone('left')],
      keeps: true,
      says: /beta is off/,
    },
    {
      name: 'a peer that has left and is heard again comes back',
      situation: { ...together, peerIsDown: true },
      effects: [],
      keeps: true,
    },
  ]
  for (const { name, situation, effects, keeps, says } of cases)
    test(name, () => {
      const node = new Node()
      expect(node.see(situation)).toEqual(effects)
      expect(keepsResources(node.state)).toBe(keeps)
      if (says === undefined) expect(node.says).toBeUndefined()
      else expect(node.says).toMatch(says)
    })
})

describe('fencing the peer', () => {
  test('once it is confirmed, the node goes on alone, and only then', () => {
    const node = new Node()
    node.see(silent)
    expect(node.see(silent)).toEqual([])
    expect(node.feed({ kind: 'fenced', id: 1, succeeded: true, message: 'off' })).toEqual([alone('fenced')])
    expect(node.see(silent)).toEqual([])
  })

  test('one that fails is repeated, later and later, and nothing else happens', () => {
    const node = new Node()
    node.see(silent)
    for (const [failure, waitMs] of [1000, 2000, 3000].entries()) {
      const id = failure + 1
      expect(node.feed({ kind: 'fenced', id, succeeded: false, message: 'no answer' })).toEqual([])
      expect(node.says).toMatch(/could not be fenced \(no answer\).*stonith confirm beta/)
      expect(keepsResources(node.state)).toBe(true)
      const at = nextTwoNodeAt(node.state) ?? 0
      expect(at - node.now).toBe(waitMs)
      node.now = at - 1
      expect(node.feed({ kind: 'tick' })).toEqual([])
      node.now = at
      expect(node.feed({ kind: 'tick' })).toEqual([fence(id + 1)])
    }
  })

  test('is not repeated when the peer is heard again', () => {
    const node = new Node()
    node.see(silent)
    node.feed({ kind: 'fenced', id: 1, succeeded: false, message: 'no answer' })
    node.see(together)
    node.now = 60_000
    expect(node.feed({ kind: 'tick' })).toEqual([])
  })

  test('a peer that has booted before the news of its fencing came is not left behind', () => {
    const node = new Node()
    node.see(silent)
    node.see({ ...together, incarnation: 2 })
    expect(node.feed({ kind: 'fenced', id: 1, succeeded: true, message: 'off' })).toEqual([])
    expect(node.says).toBeUndefined()
  })

  test('the news of an earlier attempt change nothing', () => {
    const node = new Node()
    node.see(silent)
    node.feed({ kind: 'fenced', id: 1, succeeded: false, message: 'no answer' })
    node.now = 1000
    node.feed({ kind: 'tick' })
    expect(node.feed({ kind: 'fenced', id: 1, succeeded: true, message: 'late' })).toEqual([])
  })
})

describe('the word of an administrator', () => {
  test('ends the waiting of a node that has just booted', () => {
    const node = new Node()
    node.see({ ...silent, met: false })
    expect(node.feed({ kind: 'peer-is-off', word: 'administrator' })).toEqual([alone('administrator')])
  })

  test('ends fencing that does not succeed', () => {
    const node = new Node()
    node.see(silent)
    expect(node.feed({ kind: 'peer-is-off', word: 'administrator' })).toEqual([alone('administrator')])
    expect(node.feed({ kind: 'fenced', id: 1, succeeded: false, message: 'no answer' })).toEqual([])
  })

  test('does not count for a peer that is heard', () => {
    const node = new Node()
    node.see(together)
    expect(node.feed({ kind: 'peer-is-off', word: 'administrator' })).toEqual([])
    expect(node.see({ ...silent, fencingEnabled: false })).toEqual([])
  })
})

describe('a witness gets its vote meanwhile', () => {
  test('fencing that succeeds then is no word for later, when the witness has lost its vote again', () => {
    const node = new Node()
    node.see(silent)
    node.feed({ kind: 'situation' })
    expect(node.feed({ kind: 'fenced', id: 1, succeeded: true, message: 'off' })).toEqual([])
    expect(keepsResources(node.state)).toBe(false)
    expect(node.see({ ...silent, heartbeat: 'restarting' })).toEqual([])
    expect(node.see(silent)).toEqual([fence(2)])
  })

  test('a word that could not be followed is not tried again', () => {
    const node = new Node()
    node.see(silent)
    node.feed({ kind: 'fenced', id: 1, succeeded: true, message: '' })
    node.feed({ kind: 'went-alone', succeeded: false, message: 'etcd did not start' })
    node.feed({ kind: 'situation' })
    node.now = 60_000
    expect(node.see(silent)).toEqual([fence(2)])
  })

  test('nor one that was being followed', () => {
    const node = new Node()
    node.see(silent)
    node.feed({ kind: 'fenced', id: 1, succeeded: true, message: '' })
    node.feed({ kind: 'situation' })
    expect(node.see(silent)).toEqual([])
    expect(keepsResources(node.state)).toBe(true)
    expect(node.feed({ kind: 'went-alone', succeeded: false, message: 'etcd did not start' })).toEqual([fence(2)])
  })
})

describe('going on alone', () => {
  test('is tried again when it fails', () => {
    const node = new Node()
    node.see(silent)
    node.feed({ kind: 'fenced', id: 1, succeeded: true, message: '' })
    expect(node.feed({ kind: 'went-alone', succeeded: false, message: 'etcd did not start' })).toEqual([])
    expect(node.says).toMatch(/etcd did not start/)
    node.now = 1000
    expect(node.feed({ kind: 'tick' })).toEqual([alone('fenced')])
  })

  test('ends with one voter, and then this is no matter of two nodes any more', () => {
    const node = new Node()
    node.see(silent)
    node.feed({ kind: 'fenced', id: 1, succeeded: true, message: '' })
    expect(node.feed({ kind: 'situation' })).toEqual([])
    expect(node.feed({ kind: 'went-alone', succeeded: true, message: '' })).toEqual([])
    expect(node.says).toBeUndefined()
    expect(nextTwoNodeAt(node.state)).toBeUndefined()
  })
})

describe('a peer that is heard again while it is being fenced', () => {
  const life = (incarnation: number): TwoNodeSituation => ({ ...together, incarnation })
  const gone = (incarnation: number): TwoNodeSituation => ({ ...silent, incarnation })
  const withdraw: TwoNodeEffect = { kind: 'withdraw', id: 1, target: peer }

  test('is not fenced where its device was told nothing yet, and the next silence is another', () => {
    const node = new Node()
    node.see(life(1))
    expect(node.see(gone(1))).toEqual([fence()])
    expect(node.see(life(1))).toEqual([withdraw])
    expect(node.see({ ...life(1), quorate: false })).toEqual([])
    expect(node.feed({ kind: 'fenced', id: 1, succeeded: false, message: 'it is heard again' })).toEqual([])
    expect(node.state.phase).toEqual({ kind: 'idle' })
    expect(node.see(gone(1))).toEqual([fence(2)])
  })

  test('was told already: the silence that follows is expected, and begins nothing', () => {
    const node = new Node()
    node.see(life(1))
    node.see(gone(1))
    expect(node.see(life(1))).toEqual([withdraw])
    expect(node.feed({ kind: 'fenced', id: 1, succeeded: true, message: '' })).toEqual([])
    expect(node.see(gone(1))).toEqual([alone('fenced')])
    expect(node.feed({ kind: 'went-alone', succeeded: true, message: '' })).toEqual([])
    expect(node.see({ ...gone(1), quorate: true })).toEqual([])
  })

  test('has booted since: it is decided about anew', () => {
    const node = new Node()
    node.see(life(1))
    node.see(gone(1))
    node.see(life(1))
    node.feed({ kind: 'fenced', id: 1, succeeded: true, message: '' })
    expect(node.see(life(2))).toEqual([])
    expect(node.state.phase).toEqual({ kind: 'idle' })
    expect(node.see(gone(2))).toEqual([fence(2)])
  })

  test('whom its device has not switched off, although it says so, is not waited for', () => {
    const node = new Node()
    node.see(life(1))
    node.see(gone(1))
    node.see(life(1))
    node.feed({ kind: 'fenced', id: 1, succeeded: true, message: '' })
    node.now = nextTwoNodeAt(node.state) ?? Number.NaN
    node.feed({ kind: 'tick' })
    expect(node.state.phase).toEqual({ kind: 'idle' })
  })
})
