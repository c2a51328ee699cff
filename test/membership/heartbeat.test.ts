import { describe, expect, test } from 'vitest'
import { type MonotonicMs, monotonicMs, type NodeName, nodeName } from '../../src/base/index.ts'
import {
  agreedSilence,
  type HeartbeatEffect,
  type HeartbeatInput,
  type HeartbeatState,
  heartbeatStep,
  initialHeartbeat,
  nextHeartbeatAt,
  peerViews,
} from '../../src/membership/index.ts'

const [alpha, beta, gamma] = ['alpha', 'beta', 'gamma'].map(nodeName) as [NodeName, NodeName, NodeName]
const timings = { tokenMs: 1000, heartbeatIntervalMs: 200, restartGraceMs: 3000 }

/** Alpha's view of a cluster of three; each call moves the time on, with ticks as the daemon gives them. */
class Watcher {
  state: HeartbeatState
  effects: HeartbeatEffect[] = []
  #now = 0

  constructor() {
    this.state = initialHeartbeat({ self: alpha, incarnation: 1, timings }, this.now)
    this.feed({ kind: 'nodes', peers: [alpha, beta, gamma], members: [alpha, beta, gamma] })
  }

  get now(): MonotonicMs {
    return monotonicMs(this.#now)
  }

  feed(input: HeartbeatInput): void {
    const { state, effects } = heartbeatStep(this.state, input, this.now)
    this.state = state
    this.effects.push(...effects)
  }

  pulse(node: NodeName, silent: readonly NodeName[] = [], incarnation = 1): void {
    this.feed({ kind: 'pulse', pulse: { node, incarnation, sequence: 1, silent } })
  }

  /** While time passes these nodes are heard. */
  pass(ms: number, heard: readonly NodeName[] = [], saying: readonly NodeName[] = []): void {
    for (const end = this.#now + ms; this.#now < end; ) {
      this.#now += 100
      this.feed({ kind: 'tick' })
      for (const node of heard) this.pulse(node, saying)
    }
  }

  sleep(ms: number): void {
    this.#now += ms
    this.feed({ kind: 'tick' })
  }

  states(): Readonly<Record<string, string>> {
    return Object.fromEntries(peerViews(this.state, this.now).map(({ node, state }) => [node, state]))
  }
}

describe('silence', () => {
  test('a node that is not heard for the token is silent', () => {
    const watcher = new Watcher()
    watcher.pass(900, [beta])
    expect(watcher.states()).toEqual({ beta: 'heard', gamma: 'heard' })
    watcher.pass(200, [beta])
    expect(watcher.states()).toEqual({ beta: 'heard', gamma: 'silent' })
  })

  test('a daemon that died on a host which answers has the restart grace', () => {
    const watcher = new Watcher()
    watcher.pass(300, [beta, gamma])
    watcher.feed({ kind: 'connection-failed', peer: gamma, how: 'refused' })
    watcher.pass(2500, [beta])
    expect(watcher.states().gamma).toBe('restarting')
    watcher.pass(700, [beta])
    expect(watcher.states().gamma).toBe('silent')
  })

  test('a node that left and is a member again has the restart grace to be heard, however long it was away, and then the token', () => {
    const watcher = new Watcher()
    const members = (...nodes: readonly NodeName[]): void =>
      watcher.feed({ kind: 'nodes', peers: [alpha, beta, gamma], members: nodes })
    watcher.pass(300, [beta, gamma])
    watcher.feed({ kind: 'connection-failed', peer: gamma, how: 'refused' })
    members(alpha, beta)
    // Its grace, which began as it left, ends just after it has become a member again.
    watcher.pass(2800, [beta])
    members(alpha, beta, gamma)
    watcher.pass(900, [beta], [gamma])
    expect(watcher.states().gamma).toBe('heard')
    watcher.pass(1900, [beta], [gamma])
    expect(agreedSilence(watcher.state, watcher.now)).toEqual([])
    members(alpha, beta, gamma)
    watcher.pass(300, [beta], [gamma])
    expect(agreedSilence(watcher.state, watcher.now)).toEqual([gamma])

    watcher.pulse(gamma, [], 2)
    expect(watcher.states().gamma).toBe('heard')
    watcher.pass(1100, [beta], [gamma])
    expect(agreedSilence(watcher.state, watcher.now)).toEqual([gamma])
  })

  test('one that is heard when it becomes a member has the token, as a new one has', () => {
    const watcher = new Watcher()
    watcher.feed({ kind: 'nodes', peers: [alpha, beta, gamma], members: [alpha, beta] })
    watcher.pass(300, [beta, gamma])
    watcher.feed({ kind: 'nodes', peers: [alpha, beta, gamma], members: [alpha, beta, gamma] })
    watcher.pass(1100, [beta], [gamma])
    expect(agreedSilence(watcher.state, watcher.now)).toEqual([gamma])
  })

  test('a daemon that comes back within its grace was never silent', () => {
    const watcher = new Watcher()
    watcher.feed({ kind: 'connection-failed', peer: gamma, how: 'reset' })
    watcher.pass(2000, [beta])
    watcher.pulse(gamma, [], 2)
    watcher.pass(500, [beta, gamma])
    expect(watcher.states().gamma).toBe('heard')
  })

  test('a pulse of an earlier incarnation does not count', () => {
    const watcher = new Watcher()
    watcher.pulse(gamma, [], 5)
    watcher.pass(900, [beta])
    watcher.pulse(gamma, [], 4)
    watcher.pass(200, [beta])
    expect(watcher.states().gamma).toBe('silent')
  })

  test('a daemon that is started after the calendar was set back is heard as soon as the one before has broken its connection', () => {
    const watcher = new Watcher()
    watcher.pulse(gamma, [], 5)
    watcher.feed({ kind: 'connection-failed', peer: gamma, how: 'reset' })
    watcher.pass(300, [beta])
    expect(watcher.states().gamma).toBe('restarting')
    watcher.pulse(gamma, [], 4)
    expect(watcher.states().gamma).toBe('heard')
    expect(peerViews(watcher.state, watcher.now).find(({ node }) => node === gamma)?.incarnation).toBe(4)
    watcher.pulse(gamma, [], 3)
    expect(peerViews(watcher.state, watcher.now).find(({ node }) => node === gamma)?.incarnation).toBe(4)
  })

  test('and a machine that lost its power and boots with an earlier calendar, a token after it was heard last', () => {
    const watcher = new Watcher()
    watcher.pulse(gamma, [], 5)
    watcher.pass(1100, [beta])
    watcher.pulse(gamma, [], 4)
    expect(watcher.states().gamma).toBe('heard')
  })
})

describe('times that change', () => {
  test('a peer whose last pulse is as old as the old interval is not silent by the new token', () => {
    const watcher = new Watcher()
    watcher.feed({ kind: 'timings', timings: { ...timings, tokenMs: 9000, heartbeatIntervalMs: 3000 } })
    watcher.pass(2800, [])
    watcher.feed({ kind: 'timings', timings })
    expect(watcher.states()).toEqual({ beta: 'heard', gamma: 'heard' })
    watcher.pass(1100, [beta])
    expect(watcher.states()).toEqual({ beta: 'heard', gamma: 'silent' })
  })

  test('whoever is silent stays so by a longer token', () => {
    const watcher = new Watcher()
    watcher.pass(1100, [beta])
    watcher.feed({ kind: 'timings', timings: { ...timings, tokenMs: 9000 } })
    expect(watcher.states()).toEqual({ beta: 'heard', gamma: 'silent' })
    watcher.pulse(gamma)
    expect(watcher.states().gamma).toBe('heard')
  })

  test('the last look at the calendar, as old as the old interval, is no pause', () => {
    const watcher = new Watcher()
    watcher.feed({ kind: 'timings', timings: { ...timings, tokenMs: 9000, heartbeatIntervalMs: 3000 } })
    watcher.feed({ kind: 'tick', calendarMs: 1000 })
    watcher.pass(2800, [beta, gamma])
    watcher.feed({ kind: 'timings', timings })
    watcher.effects = []
    watcher.feed({ kind: 'tick', calendarMs: 3800 })
    expect(watcher.effects.map(({ kind }) => kind)).not.toContain('doubt-own-lease')
    watcher.feed({ kind: 'tick', calendarMs: 9800 })
    expect(watcher.effects.map(({ kind }) => kind)).toContain('doubt-own-lease')
  })

  test('a shorter interval counts at once', () => {
    const watcher = new Watcher()
    watcher.feed({ kind: 'timings', timings: { ...timings, tokenMs: 9000, heartbeatIntervalMs: 3000 } })
    watcher.pass(300, [beta, gamma])
    watcher.feed({ kind: 'timings', timings })
    expect(nextHeartbeatAt(watcher.state) - watcher.now).toBeLessThanOrEqual(200)
  })
})

describe('agreement', () => {
  test('one of three that misses a node alone agrees with nobody', () => {
    const watcher = new Watcher()
    watcher.pass(1200, [beta])
    expect(agreedSilence(watcher.state, watcher.now)).toEqual([])
  })

  test('two of three that miss a node agree on its silence', () => {
    const watcher = new Watcher()
    watcher.pass(1200, [beta], [gamma])
    expect(agreedSilence(watcher.state, watcher.now)).toEqual([gamma])
  })

  test('a node that is cut off from both others agrees on nothing', () => {
    const watcher = new Watcher()
    watcher.pulse(beta, [gamma])
    watcher.pass(1500)
    expect(watcher.states()).toEqual({ beta: 'silent', gamma: 'silent' })
    expect(agreedSilence(watcher.state, watcher.now)).toEqual([])
  })

  test('a node tells at once that another has fallen silent', () => {
    const watcher = new Watcher()
    watcher.pass(900, [beta])
    watcher.effects = []
    watcher.pass(100, [beta])
    const pulses = watcher.effects.flatMap((effect) => (effect.kind === 'send-pulse' ? [effect.pulse.silent] : []))
    expect(pulses).toContainEqual([gamma])
  })
})

describe('a pause of this node', () => {
  test('makes it doubt its own lease, and accuse nobody', () => {
    const watcher = new Watcher()
    watcher.pass(500, [beta, gamma])
    watcher.effects = []
    watcher.sleep(4000)
    expect(watcher.effects).toContainEqual({ kind: 'doubt-own-lease', pausedMs: 4000 })
    expect(watcher.states()).toEqual({ beta: 'heard', gamma: 'heard' })
    watcher.pass(1100, [beta])
    expect(watcher.states().gamma).toBe('silent')
  })

  test('is noticed by the calendar where the monotonic clock stood still', () => {
    const watcher = new Watcher()
    watcher.feed({ kind: 'tick', calendarMs: 1_000_000 })
    watcher.effects = []
    watcher.feed({ kind: 'tick', calendarMs: 1_060_000 })
    expect(watcher.effects).toContainEqual({ kind: 'doubt-own-lease', pausedMs: 60_000 })
  })
})

test('a tick is asked for when the next pulse is due', () => {
  const watcher = new Watcher()
  expect(nextHeartbeatAt(watcher.state)).toBe(200)
})

describe('pulses of several nodes', () => {
  test('go out together: what comes in takes along what is due within half an interval', () => {
    const watcher = new Watcher()
    const sent = () => watcher.effects.filter(({ kind }) => kind === 'send-pulse').length
    watcher.sleep(90)
    watcher.pulse(beta)
    expect(sent()).toBe(1)
    watcher.sleep(20)
    watcher.pulse(gamma)
    expect(sent()).toBe(2)
    expect(nextHeartbeatAt(watcher.state)).toBe(310)
    watcher.pulse(beta)
    expect(sent()).toBe(2)
  })
})

describe('a restart that is announced', () => {
  const announced = {
    kind: 'nodes',
    peers: [alpha, beta, gamma],
    members: [alpha, beta, gamma],
    restarting: [gamma],
  } as const
  /** Its host refuses connections all the time, as one does without a daemon. */
  const answering = (watcher: Watcher, ms: number) => {
    for (let passed = 0; passed < ms; passed += 500) {
      watcher.feed({ kind: 'connection-failed', peer: gamma, how: 'refused' })
      watcher.pass(500, [beta])
    }
  }

  test('has a minute while the host goes on to answer, and no more', () => {
    const watcher = new Watcher()
    watcher.pass(300, [beta, gamma])
    watcher.feed(announced)
    answering(watcher, 59_000)
    expect(watcher.states().gamma).toBe('restarting')
    answering(watcher, 2000)
    expect(watcher.states().gamma).toBe('silent')
    answering(watcher, 5000)
    watcher.feed(announced)
    expect(watcher.states().gamma).toBe('silent')
  })

  test('has that minute also where its daemon is heard after the word, and no second one with every list', () => {
    const watcher = new Watcher()
    watcher.pass(300, [beta, gamma])
    watcher.feed(announced)
    watcher.pass(300, [beta, gamma])
    // As it says something else, this pulse takes the long way.
    watcher.pulse(gamma, [beta])
    answering(watcher, 30_000)
    expect(watcher.states().gamma).toBe('restarting')
    // Without its word it would be silent by now: whoever was excused before stays so.
    watcher.feed(announced)
    expect(watcher.states().gamma).toBe('restarting')
    answering(watcher, 29_000)
    expect(watcher.states().gamma).toBe('restarting')
    answering(watcher, 2000)
    expect(watcher.states().gamma).toBe('silent')
    const since = () => peerViews(watcher.state, watcher.now).find(({ node }) => node === gamma)?.since
    const before = since()
    watcher.feed(announced)
    expect(since()).toBe(before)
  })

  test('excuses no host that has fallen silent', () => {
    const watcher = new Watcher()
    watcher.pass(300, [beta, gamma])
    watcher.feed(announced)
    watcher.pass(1100, [beta])
    expect(watcher.states().gamma).toBe('silent')
    const later = new Watcher()
    later.pass(300, [beta, gamma])
    later.feed(announced)
    answering(later, 10_000)
    later.pass(2300, [beta])
    expect(later.states().gamma).toBe('restarting')
    later.pass(300, [beta])
    expect(later.states().gamma).toBe('silent')
  })

  test('that is not announced has the grace, however long its host answers; a word that comes late changes nothing', () => {
    const watcher = new Watcher()
    watcher.pass(300, [beta, gamma])
    answering(watcher, 3500)
    expect(watcher.states().gamma).toBe('silent')
    watcher.feed(announced)
    answering(watcher, 1000)
    expect(watcher.states().gamma).toBe('silent')
  })

  test('is over when the store says so', () => {
    const watcher = new Watcher()
    watcher.pass(300, [beta, gamma])
    watcher.feed(announced)
    answering(watcher, 10_000)
    watcher.pulse(gamma, [], 2)
    expect(watcher.states().gamma).toBe('heard')
    watcher.feed({ kind: 'nodes', peers: [alpha, beta, gamma], members: [alpha, beta, gamma] })
    answering(watcher, 3500)
    expect(watcher.states().gamma).toBe('silent')
  })
})

describe('a silence', () => {
  const delta = nodeName('delta')

  test('that half of the members find is not agreed upon', () => {
    const watcher = new Watcher()
    watcher.feed({ kind: 'nodes', peers: [alpha, beta, gamma, delta], members: [alpha, beta, gamma, delta] })
    const hear = (gammaSays: readonly NodeName[]): void => {
      for (let time = 0; time < 2000; time += 100) {
        watcher.sleep(100)
        watcher.pulse(beta, [delta])
        watcher.pulse(gamma, gammaSays)
      }
    }
    hear([])
    expect(watcher.states()).toMatchObject({ gamma: 'heard', delta: 'silent' })
    expect(agreedSilence(watcher.state, watcher.now)).toEqual([])
    hear([delta])
    expect(agreedSilence(watcher.state, watcher.now)).toEqual([delta])
  })

  test('is told to the others in the moment in which it is found, whenever the next pulse is due', () => {
    const late = [0, 30, 60, 90, 120, 150].flatMap((offset) => {
      const watcher = new Watcher()
      watcher.pass(400, [beta, gamma])
      watcher.sleep(offset)
      watcher.pulse(gamma)
      for (let turn = 0; turn < 300 && watcher.states().gamma !== 'silent'; turn++) {
        watcher.effects = []
        watcher.sleep(10)
        watcher.pulse(beta)
      }
      const reported = watcher.effects.some(
        (effect) => effect.kind === 'send-pulse' && effect.pulse.silent.includes(gamma),
      )
      return watcher.states().gamma === 'silent' && reported ? [] : [offset]
    })
    expect(late).toEqual([])
  })
})
