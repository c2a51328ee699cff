import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { KeptLock } from '../../../src/cli/commands/lock/kept-lock.ts'
import type { Messages } from '../../../src/rpc/index.ts'
import { localClient } from '../../support/local-client.ts'

/** The daemon's answers by what it is asked; a real one is in test/nodes/locks.test.ts. */
const asked = { name: 'backup', user: 'root', holder: 'h1', ttlMs: 30_000, renew: false }
let answer: () => Promise<Messages['LockAnswer']>
const released: unknown[] = []
const renewals: unknown[] = []
const live = localClient({
  acquireLock: async (request: unknown) => {
    renewals.push(request)
    return await answer()
  },
  releaseLock: async (request: unknown) => {
    released.push(request)
    return await Promise.resolve({ outcome: 'released' })
  },
})

beforeEach(() => {
  vi.useFakeTimers()
  released.length = 0
  renewals.length = 0
  answer = () => Promise.resolve({ outcome: 'renewed' })
})
afterEach(() => {
  vi.useRealTimers()
})

const keptFromNow = (end: () => void): KeptLock => new KeptLock(live, asked, performance.now() + asked.ttlMs, end)

test('a lock is extended by its holder for as long as its command runs, and released after it', async () => {
  const end = vi.fn()
  const kept = keptFromNow(end)
  await vi.advanceTimersByTimeAsync(120_000)
  expect(renewals).toHaveLength(24)
  expect(renewals[0]).toEqual({ ...asked, renew: true })
  expect(end).not.toHaveBeenCalled()
  expect(await kept.stop()).toBeUndefined()
  expect(released).toEqual([{ name: 'backup', user: 'root', holder: 'h1', force: false }])
  await vi.advanceTimersByTimeAsync(120_000)
  expect(renewals).toHaveLength(24)
  expect(end).not.toHaveBeenCalled()
})

test('one that cannot be extended ends its command ten seconds before the cluster may give it to another', async () => {
  const end = vi.fn()
  const kept = keptFromNow(end)
  await vi.advanceTimersByTimeAsync(5_000)
  answer = () => Promise.reject(new Error('The cluster has no quorum.'))
  await vi.advanceTimersByTimeAsync(19_999)
  expect(end).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(end).toHaveBeenCalledOnce()
  expect(await kept.stop()).toBe('it could not be extended: The cluster has no quorum')
})

test('the time of an extension counts from before it was asked for', async () => {
  const end = vi.fn()
  answer = async () => {
    await new Promise((resolve) => setTimeout(resolve, 4_000))
    return { outcome: 'renewed' }
  }
  const kept = keptFromNow(end)
  await vi.advanceTimersByTimeAsync(9_000)
  answer = () => Promise.reject(new Error('gone'))
  // Asked for after 5 s, answered after 9 s: held until 35 s, so that the command ends after 25 s.
  await vi.advanceTimersByTimeAsync(15_999)
  expect(end).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(end).toHaveBeenCalledOnce()
  await kept.stop()
})

const ofAnother = {
  name: 'backup',
  owner: 'root@n2',
  node: 'n2',
  user: 'root',
  since: '',
  renewed: '',
  ttlMs: 30_000,
  kept: true,
}

test('one that somebody else has got ends its command at once', async () => {
  const end = vi.fn()
  answer = () => Promise.resolve({ outcome: 'held', lock: ofAnother })
  const kept = keptFromNow(end)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(end).toHaveBeenCalledOnce()
  expect(await kept.stop()).toBe('root@n2 holds it now')
})
