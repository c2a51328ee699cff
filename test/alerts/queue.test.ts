import { describe, expect, test } from 'vitest'
import {
  type AlertQueue,
  emptyQueue,
  type QueueEffect,
  type QueueInput,
  queueNextAt,
  stepQueue,
} from '../../src/alerts/index.ts'
import { monotonicMs, nodeName } from '../../src/base/index.ts'

type Call = Extract<QueueInput, { kind: 'calls' }>['calls'][number]

const event = { at: 0, node: nodeName('n1'), kind: 'node', nodeId: '1', desc: 'lost' } as const
const call = (id: number, lane: string, alert = lane, more: Partial<Call> = {}): Call => ({
  id,
  lane,
  alert,
  path: '/x',
  environment: {},
  timeoutMs: 1,
  retryMs: 60_000,
  repeatMs: 0,
  event,
  sequence: 1,
  ...more,
})

/** Feeds inputs one after the other and writes down what follows: `run 1`, `full 2`. */
class Feed {
  #state: AlertQueue = emptyQueue
  readonly seen: string[] = []
  now = 1000
  /** The call that was run last. */
  last: Call | undefined

  input(input: QueueInput): this {
    const { state, effects } = stepQueue(this.#state, input, monotonicMs(this.now))
    this.#state = state
    const word = (effect: QueueEffect): string => (effect.kind === 'dropped' ? effect.why : effect.kind)
    for (const effect of effects) if (effect.kind === 'run') this.last = effect.call
    this.seen.push(...effects.map((effect) => `${word(effect)} ${effect.call.id}`))
    return this
  }

  /** Ticks when the core wants it, until that moment. */
  later(ms: number): this {
    const end = this.now + ms
    for (let at = queueNextAt(this.#state); at !== undefined && at <= end; at = queueNextAt(this.#state)) {
      this.now = at
      this.input({ kind: 'tick' })
    }
    this.now = end
    return this
  }

  /** The program asks for another attempt. */
  vain(id: number): this {
    return this.input({ kind: 'ended', id, isLater: true })
  }

  calls(...calls: readonly Call[]): this {
    return this.input({ kind: 'calls', calls })
  }

  ended(id: number): this {
    return this.input({ kind: 'ended', id })
  }

  get isEmpty(): boolean {
    return this.#state.lanes.size === 0
  }
}

test('calls of a lane follow each other, lanes run side by side', () => {
  const feed = new Feed().calls(call(1, 'a'), call(2, 'a'), call(3, 'b'))
  expect(feed.seen).toEqual(['run 1', 'run 3'])
  feed.ended(3).ended(1)
  expect(feed.seen).toEqual(['run 1', 'run 3', 'run 2'])
  feed.ended(2)
  expect(feed.isEmpty).toBe(true)
})

test('an alert whose recipients all hang runs eight programs and holds up no other alert', () => {
  const many = Array.from({ length: 20 }, (_, index) => call(index, `a r${index}`, 'a'))
  const feed = new Feed().calls(...many)
  expect(feed.seen).toHaveLength(8)
  feed.calls(call(100, 'b'))
  expect(feed.seen.at(-1)).toBe('run 100')
  feed.ended(0)
  expect(feed.seen.at(-1)).toBe('run 8')
})

test('of too many calls that wait the oldest is dropped', () => {
  const feed = new Feed().calls(...Array.from({ length: 203 }, (_, index) => call(index, 'a')))
  // Dropped as they come, before anything of the same event runs.
  expect(feed.seen).toEqual(['full 0', 'full 1', 'full 2', 'run 3'])
})

test('events of attributes, of which a remote node makes as many as it likes, push out no other', () => {
  const ofAttribute = { ...event, kind: 'attribute', name: 'load', value: '1' } as const
  const more = Array.from({ length: 300 }, (_, index) => call(10 + index, 'a', 'a', { event: ofAttribute }))
  const feed = new Feed().calls(call(1, 'a'), call(2, 'a')).calls(...more)
  expect(feed.seen.slice(0, 3)).toEqual(['run 1', 'full 10', 'full 11'])
  expect(feed.ended(1).seen.at(-1)).toBe('run 2')
})

test('what waits is withdrawn, and with the alert from the configuration; what runs goes on', () => {
  const feed = new Feed().calls(call(1, 'a'), call(2, 'a'), call(3, 'a'), call(4, 'b'), call(5, 'b'))
  feed.input({ kind: 'withdraw', ids: new Set([1, 2]) })
  expect(feed.seen).toEqual(['run 1', 'run 4', 'unwanted 2'])
  feed.input({ kind: 'configured', lanes: new Set(['a']) })
  expect(feed.seen.at(-1)).toBe('unwanted 5')
  feed.ended(1).ended(4)
  expect(feed.seen.at(-1)).toBe('run 3')
})

describe('a call that could not be delivered', () => {
  test('is tried again before those behind it, after longer and longer pauses', () => {
    const feed = new Feed().calls(call(1, 'a', 'a', { retryMs: 3_600_000 }), call(2, 'a'), call(3, 'b'))
    feed.vain(1).ended(3)
    expect(feed.seen).toEqual(['run 1', 'run 3', 'postponed 1'])
    feed.later(4_999)
    expect(feed.seen).toHaveLength(3)
    feed.later(1).vain(1).later(9_999)
    expect(feed.seen.slice(3)).toEqual(['run 1', 'postponed 1'])
    feed.later(1).ended(1)
    expect(feed.seen.slice(5)).toEqual(['run 1', 'run 2'])
  })

  test('pauses for five minutes at most', () => {
    const feed = new Feed().calls(call(1, 'a', 'a', { retryMs: 86_400_000 }))
    for (let attempt = 0; attempt < 12; attempt += 1) feed.vain(1).later(300_000)
    expect(feed.seen.filter((word) => word === 'run 1')).toHaveLength(13)
  })

  test('is given up when its time is over, and what waited behind it gets one attempt', () => {
    const feed = new Feed().calls(call(1, 'a', 'a', { retryMs: 12_000 }), call(2, 'a', 'a', { retryMs: 12_000 }))
    feed.vain(1).later(5_000).vain(1)
    expect(feed.seen).toEqual(['run 1', 'postponed 1', 'run 1', 'abandoned 1', 'run 2'])
    feed.later(10_000).vain(2)
    expect(feed.seen.at(-1)).toBe('abandoned 2')
    expect(feed.isEmpty).toBe(true)
  })

  test('is not tried again where nobody wants that', () => {
    expect(new Feed().calls(call(1, 'a', 'a', { retryMs: 0 })).vain(1).seen).toEqual(['run 1', 'abandoned 1'])
  })

  test('is tried at once when the alert is changed, and not at all when it is gone', () => {
    const feed = new Feed().calls(call(1, 'a'), call(2, 'b')).vain(1).vain(2)
    feed.input({ kind: 'configured', lanes: new Set(['a']) })
    expect(feed.seen.slice(4)).toEqual(['unwanted 2', 'run 1'])
  })
})

describe('the same again', () => {
  const same = (id: number, sameness = 'web failed'): Call => call(id, 'a', 'a', { sameness, repeatMs: 60_000 })

  test('within the interval is counted, and told once with how often it happened', () => {
    const feed = new Feed().calls(same(1)).ended(1).calls(same(2), same(3), same(4, 'db failed')).ended(4)
    expect(feed.seen).toEqual(['run 1', 'repeated 2', 'repeated 3', 'run 4'])
    feed.later(60_000)
    expect(feed.seen.at(-1)).toBe('run 3')
    expect(feed.last?.times).toBe(2)
    // What was told just now is not told again at once either.
    feed.ended(3).calls(same(5)).later(60_000).ended(5)
    expect(feed.seen.slice(5)).toEqual(['repeated 5', 'run 5'])
    expect(feed.later(60_000).isEmpty).toBe(true)
  })

  test('is told each time without an interval, and where events are not comparable', () => {
    const feed = new Feed().calls(call(1, 'a', 'a', { sameness: 'x' }), call(2, 'a', 'a', { sameness: 'x' }))
    expect(feed.ended(1).seen).toEqual(['run 1', 'run 2'])
    const nodes = new Feed().calls(call(1, 'a', 'a', { repeatMs: 60_000 }), call(2, 'a', 'a', { repeatMs: 60_000 }))
    expect(nodes.ended(1).seen).toEqual(['run 1', 'run 2'])
  })

  test('is forgotten with the alert', () => {
    const feed = new Feed().calls(same(1)).ended(1).calls(same(2))
    feed.input({ kind: 'configured', lanes: new Set() })
    expect(feed.isEmpty).toBe(true)
  })

  test('of a thousand different events the last time is remembered, and no more', () => {
    const feed = new Feed()
    for (let id = 0; id < 1001; id += 1) feed.calls(same(id, `event ${id}`)).ended(id)
    feed.calls(same(2000, 'event 999')).calls(same(2001, 'event 1000'))
    expect(feed.seen.slice(-2)).toEqual(['repeated 2000', 'run 2001'])
  })
})
