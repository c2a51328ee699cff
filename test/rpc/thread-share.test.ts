import { expect, test } from 'vitest'
import { ThreadShare } from '../../src/rpc/index.ts'

const tick = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve))

/** As a call does that reads a long document. */
function busyFor(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('whoever asks much waits for himself, and everybody else for one call of his', async () => {
  const share = new ThreadShare()
  const answered: string[] = []
  const ask = async (user: string, number: number): Promise<void> =>
    await share.take(user, async () => {
      await tick()
      answered.push(`${user} ${number}`)
    })
  await Promise.all([ask('mallory', 1), ask('mallory', 2), ask('mallory', 3), ask('alice', 1), ask('alice', 2)])
  expect(answered).toEqual(['mallory 1', 'mallory 2', 'alice 1', 'mallory 3', 'alice 2'])
})

test('after a call the thread is left to others for as long as it was busy', async () => {
  const share = new ThreadShare()
  const begun: number[] = []
  const call = async (): Promise<void> =>
    await share.take('mallory', async () => {
      begun.push(performance.now())
      busyFor(50)
      await tick()
    })
  await Promise.all([call(), call(), call()])
  const [first = 0, second = 0, third = 0] = begun
  expect(second - first).toBeGreaterThan(95)
  expect(third - second).toBeGreaterThan(95)
})

test('a call that waits for long holds up nobody', async () => {
  const share = new ThreadShare(50)
  let end = (): void => undefined
  const waiting = share.take('mallory', async () => await new Promise<void>((resolve) => (end = resolve)))
  expect(await share.take('mallory', async () => await Promise.resolve('answered'))).toBe('answered')
  end()
  await waiting
})

test('a call that fails is that of one user alone, and there is an end to those that wait', async () => {
  const share = new ThreadShare()
  const failing = expect(share.take('mallory', async () => await Promise.reject(new Error('no')))).rejects.toThrow('no')
  const others = Array.from({ length: 128 }, () => share.take('mallory', tick))
  await expect(share.take('mallory', tick)).rejects.toThrow('too many calls under way')
  await share.take('alice', tick)
  await failing
  await Promise.all(others)
})
