import { expect, test } from 'vitest'
import { monotonicMs } from '../../src/base/index.ts'
import { initialWatchdog, type WatchdogInput, watchdogStep, watchdogWait } from '../../src/quorum/index.ts'

/** A device of 5 s: fed each second, with a word of the main thread that lasts 2.5 s. */
class Node {
  state = initialWatchdog()
  now = 0
  until = 0

  feed(input: WatchdogInput): readonly string[] {
    const { state, effects } = watchdogStep(this.state, input, monotonicMs(this.now))
    this.state = state
    return effects.map((effect) => (effect.kind === 'starving' ? effect.why : effect.kind))
  }

  quorum(lease: string | undefined, until: number): void {
    this.feed({ kind: 'quorum', lease, until: monotonicMs(until) })
  }

  permit(lease?: string): void {
    const at = monotonicMs(this.now)
    this.feed({ kind: 'permit', permit: lease === undefined ? { at } : { lease, at } })
  }

  at(now: number): readonly string[] {
    this.now = now
    return this.feed({ kind: 'tick' })
  }
}

function armed(): Node {
  const node = new Node()
  node.quorum('l1', 20_000)
  node.feed({ kind: 'armed', timeoutMs: 5000 })
  node.permit('l1')
  return node
}

test('a quorate and registered node feeds its watchdog five times in its time', () => {
  const node = armed()
  expect([node.at(500), node.at(1000), node.at(1500), node.at(2000)]).toEqual([[], ['feed'], [], ['feed']])
})

test('without a word of the main thread it starves, and says so once', () => {
  const node = armed()
  expect(node.at(2500)).toEqual(['feed'])
  expect(node.at(3600)).toEqual(['the main thread hangs, or this node must stop'])
  expect(node.at(4700)).toEqual([])
  node.permit('l1')
  expect(node.at(5800)).toEqual(['feed'])
})

test('when its lease is over by its own clock it starves, whatever the main thread says', () => {
  const node = armed()
  node.now = 18_900
  node.permit('l1')
  expect(node.at(19_999)).toEqual(['feed'])
  expect(node.at(21_000)).toEqual(['this node has lost quorum'])
})

test('under a new lease it waits until it is registered under that one', () => {
  const node = armed()
  node.quorum('l2', 40_000)
  expect(node.at(1000)).toEqual(['this node is not registered'])
  node.permit('l2')
  expect(node.at(2000)).toEqual(['feed'])
})

test('one of two that keeps what it runs without a majority feeds on the word of the main thread alone', () => {
  const node = armed()
  node.now = 25_000
  node.permit()
  expect(node.at(26_000)).toEqual(['feed'])
})

test('what is not armed is neither fed nor stopped', () => {
  const node = new Node()
  node.quorum('l1', 20_000)
  node.permit('l1')
  expect(node.at(1000)).toEqual([])
  expect(node.feed({ kind: 'disarm' })).toEqual([])
  expect(armed().feed({ kind: 'disarm' })).toEqual(['disarm'])
})

test('the others wait for a last feeding under a lease that was just confirmed, and then for the reset', () => {
  expect(watchdogWait({ leaseTtlMs: 5000, leaseMarginMs: 500 }, 10_000)).toBe(15_500)
})
