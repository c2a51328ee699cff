import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { QuorumLoss } from '../../src/daemon/node/quorum-loss.ts'
import { detailsOf } from '../../src/rpc/grpc-server.ts'
import { unanswered } from '../../src/store/etcd/session.ts'
import { StoreUnavailableError } from '../../src/store/index.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

async function told(hasConfiguration: boolean, forMs: number): Promise<readonly string[]> {
  const lines: string[] = []
  const tell = (message: string): unknown => lines.push(message)
  const loss = new QuorumLoss({
    self: nodeName('n1'),
    log: { debug: tell, info: tell, warn: tell, error: tell } as never,
    isolated: true,
    mayAct: () => true,
    plan: () => Promise.reject(new Error('there is no configuration')),
    executor: () => undefined,
    hasConfiguration: () => hasConfiguration,
  })
  loss.begin()
  await vi.advanceTimersByTimeAsync(forMs)
  loss.end()
  return lines
}

test('a node that knows no configuration yet says so once, and not every half second', async () => {
  expect(await told(false, 60_000)).toEqual(['this node has no configuration yet and therefore nothing to stop'])
})

test('what cannot be computed without quorum is told again after minutes', async () => {
  expect(await told(true, 6 * 60_000)).toHaveLength(2)
})

test('what the store could not do is a sentence, without the name of an exception and without a time below nothing', () => {
  const error = unanswered('save a change', -1328, undefined)
  expect(detailsOf(error)).toMatch(/^The store could not save a change in its time \(no member answered\)\./)
  expect(detailsOf(new StoreUnavailableError('The store is full.'))).toBe('The store is full.')
  expect(detailsOf(new TypeError('x is undefined'))).toBe('TypeError: x is undefined')
})
