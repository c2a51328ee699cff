import { expect, test } from 'vitest'
import { growthOf, liveBytes, mostGrowth } from './messages/live-memory.ts'
import { protocols } from './messages/protocols.ts'
import { createRandom } from './random.ts'

/** `npm run fuzz:messages` sends a million of each. */
const messages = 20_000

for (const { name, feed } of protocols)
  test(`${name}: whatever comes is understood or refused, and ends nothing but its connection`, async () => {
    const random = createRandom(4711)
    const counts = { accepted: 0, refused: 0 }
    const measured: number[] = []
    for (let at = 0; at < messages; at++) {
      counts[feed(random)]++
      if (at % 1000 === 0) await new Promise((resolve) => setImmediate(resolve))
      if (at % (messages / 4) === messages / 4 - 1) measured.push(liveBytes())
    }
    expect(growthOf(measured), `kept: ${measured.join(', ')}`).toBeLessThan(mostGrowth)
    expect(Math.min(counts.accepted, counts.refused), JSON.stringify(counts)).toBeGreaterThan(messages / 100)
  })

test('what is kept of each message is found, and what is thrown away again is none', () => {
  const kept: Uint8Array[] = []
  const measure = (keeps: boolean): number => {
    const made = Array.from({ length: 100 }, () => new Uint8Array(64 * 1024))
    if (keeps) kept.push(...made)
    return liveBytes()
  }
  expect(growthOf([measure(false), measure(false), measure(false)])).toBeLessThan(mostGrowth)
  expect(growthOf([measure(true), measure(true), measure(true)])).toBeGreaterThan(mostGrowth)
})
