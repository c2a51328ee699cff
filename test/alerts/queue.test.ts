import { expect, test } from 'vitest'
import { type AlertQueue, emptyQueue, type QueueEffect, type QueueInput, stepQueue } from '../../src/alerts/index.ts'

type Call = Extract<QueueInput, { kind: 'calls' }>['calls'][number]

const call = (id: number, lane: string, alert = lane): Call => ({
  id,
  lane,
  alert,
  path: '/x',
  environment: {},
  timeoutMs: 1,
})

/** Feeds inputs one after the other and writes down what follows: `run 1`, `full 2`. */
class Feed {
  #state: AlertQueue = emptyQueue
  readonly seen: string[] = []

  input(input: QueueInput): this {
    const { state, effects } = stepQueue(this.#state, input)
    this.#state = state
    const word = (effect: QueueEffect): string => (effect.kind === 'run' ? 'run' : effect.why)
    this.seen.push(...effects.map((effect) => `${word(effect)} ${effect.call.id}`))
    return this
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

test('what waits is withdrawn, and with the alert from the configuration; what runs goes on', () => {
  const feed = new Feed().calls(call(1, 'a'), call(2, 'a'), call(3, 'a'), call(4, 'b'), call(5, 'b'))
  feed.input({ kind: 'withdraw', ids: new Set([1, 2]) })
  expect(feed.seen).toEqual(['run 1', 'run 4', 'unwanted 2'])
  feed.input({ kind: 'configured', alerts: new Set(['a']) })
  expect(feed.seen.at(-1)).toBe('unwanted 5')
  feed.ended(1).ended(4)
  expect(feed.seen.at(-1)).toBe('run 3')
})
