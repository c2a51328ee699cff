/** A time limit or an interval of a month is more than a timer of Node.js takes, which would call back at once: the operation would fail as it begins, and a stop that fails fences the node. */
import { afterEach, expect, test, vi } from 'vitest'
import { timerMs } from '../../src/base/index.ts'
import { agentFolder } from '../resource-agents/agent-folder.ts'
import { TestNode } from './test-node.ts'

const mostMs = 2 ** 31 - 1
const monthMs = 31 * 24 * 3_600_000

afterEach(() => {
  vi.restoreAllMocks()
})

test('a timer has as much as it takes, and never less than nothing', () => {
  expect([timerMs(-5), timerMs(1.2), timerMs(monthMs), timerMs(Infinity)]).toEqual([0, 2, mostMs, mostMs])
})

test('an operation with a time limit and an interval of a month has no timer that rings at once', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const agent = { class: 'ocf', provider: 'test', type: 'sleeper' }
  const runner = {
    run: () => ({
      finished: Promise.resolve({ status: 'done', exitCode: 0, output: '', execTimeMs: 1 } as const),
      kill: () => undefined,
    }),
  }
  const node = new TestNode(agentFolder(), 1, () => runner)
  try {
    expect(await node.run(agent, 'web', 'start', { timeoutMs: monthMs })).toMatchObject({ 'op-status': '0' })
    await node.order(agent, 'web', 'monitor', { timeoutMs: monthMs, intervalMs: monthMs })
    await expect.poll(() => node.written).toContain('web monitor 0 0')
    const longest = Math.max(...timers.mock.calls.map(([, ms]) => ms ?? 0))
    expect(longest).toBe(mostMs)
  } finally {
    await node.close()
  }
})
