import { describe, expect, test } from 'vitest'
import { type MonotonicMs, monotonicMs, type NodeName, nodeName } from '../../src/base/index.ts'
import {
  deadLinks,
  initialLinks,
  isWhollyBroken,
  type LinksInput,
  type ListedLink,
  linksStep,
  linkViews,
  nextLinksAt,
  silentLinks,
} from '../../src/membership/index.ts'

const [beta, gamma] = ['beta', 'gamma'].map(nodeName) as [NodeName, NodeName]
const timings = { tokenMs: 1000, heartbeatIntervalMs: 200, restartGraceMs: 3000 }

/** What alpha knows of its links; a link's silence is three intervals, 600 ms. */
class Watcher {
  state = initialLinks(timings)
  reported = 0
  #now = 0

  constructor(links: readonly ListedLink[] = both(beta)) {
    this.feed({ kind: 'links', links })
  }

  get now(): MonotonicMs {
    return monotonicMs(this.#now)
  }

  feed(input: LinksInput): void {
    const { state, effects } = linksStep(this.state, input, this.now)
    this.state = state
    this.reported += effects.length
  }

  /** While time passes beta is heard on these links; it hears nothing of alpha on the `unheard` ones. */
  pass(ms: number, heard: readonly number[], unheard: readonly number[] = []): void {
    for (const end = this.#now + ms; this.#now < end; ) {
      this.#now += 200
      this.feed({ kind: 'tick' })
      for (const link of heard) this.feed({ kind: 'pulse', from: { node: beta, link }, unheard, reached: true })
    }
  }

  dead(): readonly number[] {
    return deadLinks(this.state, this.now).map(({ link }) => link)
  }

  states(): string {
    return linkViews(this.state, this.now)
      .map(({ node, link, state }) => `${node}/${link} ${state}`)
      .join(', ')
  }
}

const listed = (node: NodeName, link: number): ListedLink => ({
  node,
  link,
  from: `10.${link}.0.1`,
  host: `10.${link}.0.2`,
})
const both = (node: NodeName): readonly ListedLink[] => [0, 1].map((link) => listed(node, link))

const cases: readonly { readonly name: string; readonly run: (alpha: Watcher) => void; readonly states: string }[] = [
  { name: 'a link that is new is not known yet', run: () => undefined, states: 'beta/0 unknown, beta/1 unknown' },
  { name: 'those that are heard are up', run: (a) => a.pass(400, [0, 1]), states: 'beta/0 up, beta/1 up' },
  {
    name: 'one that is silent for three intervals is down, and the other is not',
    run: (a) => {
      a.pass(400, [0, 1])
      a.pass(600, [1])
    },
    states: 'beta/0 down, beta/1 up',
  },
  {
    name: 'two intervals are no silence',
    run: (a) => {
      a.pass(400, [0, 1])
      a.pass(400, [1])
    },
    states: 'beta/0 up, beta/1 up',
  },
  {
    name: 'a link on which the peer hears nothing is down, although it is heard here',
    run: (a) => a.pass(400, [0, 1], [0]),
    states: 'beta/0 down, beta/1 up',
  },
  {
    name: 'a link that is heard again is up',
    run: (a) => {
      a.pass(1000, [1])
      a.pass(200, [0, 1])
    },
    states: 'beta/0 up, beta/1 up',
  },
  {
    name: 'a node that stood still does not take its own sleep for silence',
    run: (a) => {
      a.pass(400, [0, 1])
      a.pass(1000, [])
      a.feed({ kind: 'paused' })
    },
    states: 'beta/0 up, beta/1 up',
  },
]
for (const { name, run, states } of cases)
  test(name, () => {
    const alpha = new Watcher()
    run(alpha)
    expect(alpha.states()).toBe(states)
  })

test('the pulses of a node say on which links it hears nothing', () => {
  const alpha = new Watcher()
  alpha.pass(400, [0, 1])
  expect(silentLinks(alpha.state, alpha.now)).toEqual([])
  alpha.pass(600, [1])
  expect(silentLinks(alpha.state, alpha.now)).toEqual([{ node: beta, link: 0 }])
})

describe('a link with another address', () => {
  for (const end of ['from', 'host'] as const)
    test(`${end === 'from' ? 'of this node' : 'of the peer'} is up when the peer is reached there, whatever comes from the old one`, () => {
      const alpha = new Watcher()
      const pulse = (reached: boolean) =>
        alpha.feed({ kind: 'pulse', from: { node: beta, link: 1 }, unheard: [], reached })
      alpha.pass(400, [0, 1])
      alpha.feed({ kind: 'links', links: both(beta) })
      expect(alpha.states()).toBe('beta/0 up, beta/1 up')
      alpha.feed({ kind: 'links', links: [listed(beta, 0), { ...listed(beta, 1), [end]: '10.1.0.9' }] })
      pulse(false)
      expect(alpha.states()).toBe('beta/0 up, beta/1 unknown')
      pulse(true)
      expect(alpha.states()).toBe('beta/0 up, beta/1 up')
    })
})

describe('connections on a link are given up', () => {
  test('as soon as it is down, where the other has been up', () => {
    const alpha = new Watcher()
    alpha.pass(400, [0, 1])
    alpha.pass(600, [1])
    expect(alpha.dead()).toEqual([0])
  })

  test('not at the first pulse after the peer stood still: the other link has none yet', () => {
    const alpha = new Watcher()
    alpha.pass(400, [0, 1])
    alpha.pass(1200, [])
    alpha.feed({ kind: 'pulse', from: { node: beta, link: 0 }, unheard: [], reached: true })
    expect({ states: alpha.states(), dead: alpha.dead() }).toEqual({ states: 'beta/0 up, beta/1 down', dead: [] })
    alpha.feed({ kind: 'pulse', from: { node: beta, link: 1 }, unheard: [], reached: true })
    alpha.pass(1000, [0, 1])
    expect(alpha.dead()).toEqual([])
  })

  test('where the other link stays up after all were down', () => {
    const alpha = new Watcher()
    alpha.pass(1200, [])
    alpha.feed({ kind: 'pulse', from: { node: beta, link: 0 }, unheard: [], reached: true })
    expect(nextLinksAt(alpha.state, alpha.now)).toBe(alpha.now + 300)
    alpha.pass(400, [0])
    expect(alpha.dead()).toEqual([1])
  })

  test('not before the peer has heard this node for as long', () => {
    const alpha = new Watcher()
    alpha.pass(1200, [0, 1], [0, 1])
    alpha.feed({ kind: 'pulse', from: { node: beta, link: 0 }, unheard: [1], reached: true })
    expect({ states: alpha.states(), dead: alpha.dead() }).toEqual({ states: 'beta/0 up, beta/1 down', dead: [] })
  })
})

test('a peer with one link is not looked at, and wakes nobody', () => {
  const alpha = new Watcher([listed(gamma, 0)])
  alpha.feed({ kind: 'pulse', from: { node: gamma, link: 0 }, unheard: [], reached: true })
  expect({ states: alpha.states(), reported: alpha.reported }).toEqual({ states: '', reported: 0 })
  expect(nextLinksAt(alpha.state, alpha.now)).toBeUndefined()
})

test('what is heard again and again is told once', () => {
  const alpha = new Watcher()
  alpha.pass(2000, [0, 1])
  // Known, then up, one after the other.
  expect(alpha.reported).toBe(3)
})

describe('a broken connection says something of the peer', () => {
  const broken = (alpha: Watcher, ...links: readonly number[]): boolean => {
    for (const link of links) alpha.feed({ kind: 'broken', at: { node: beta, link } })
    return isWhollyBroken(alpha.state, beta, alpha.now)
  }

  test('not while another link may be in use', () => {
    const alpha = new Watcher()
    alpha.pass(400, [0, 1])
    expect(broken(alpha, 0)).toBe(false)
  })

  test('when all are broken', () => {
    const alpha = new Watcher()
    alpha.pass(400, [0, 1])
    expect(broken(alpha, 0, 1)).toBe(true)
  })

  test('when the others are silent', () => {
    const alpha = new Watcher()
    alpha.pass(1000, [0])
    expect(broken(alpha, 0)).toBe(true)
  })

  test('where there is one link', () => expect(broken(new Watcher([listed(beta, 0)]), 0)).toBe(true))
})
