import { expect, test } from 'vitest'
import { type MonotonicMs, monotonicMs } from '../../src/base/index.ts'
import { monotonicNow } from '../../src/daemon/host/clock.ts'
import { momentMs, quorumSoon } from '../../src/daemon/shared-state/quorum-soon.ts'

/** A node whose quorum ended so long ago. */
function nodeAfter(agoMs: number) {
  const listeners = new Set<() => void>()
  const node = {
    quorate: false,
    quorateUntil: monotonicMs(monotonicNow() - agoMs) as MonotonicMs,
    listeners,
    onState: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    gains: () => {
      node.quorate = true
      for (const listener of listeners) listener()
    },
  }
  return node
}

test('a command waits for quorum that ended a moment ago', async () => {
  const node = nodeAfter(0)
  const answer = quorumSoon(node)
  expect(node.listeners.size).toBe(1)
  node.gains()
  expect(await answer).toBe(true)
  expect(node.listeners.size).toBe(0)
})

test('where it does not come back, the wait ends', async () => {
  expect(await quorumSoon(nodeAfter(momentMs - 30))).toBe(false)
})

test('where it ended longer ago, or was never there, nobody waits', async () => {
  for (const ago of [momentMs + 1, Number.POSITIVE_INFINITY]) {
    const node = nodeAfter(ago)
    const answer = quorumSoon(node)
    expect(node.listeners.size).toBe(0)
    expect(await answer).toBe(false)
  }
})
