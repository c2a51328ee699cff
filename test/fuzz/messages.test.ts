import { expect, test } from 'vitest'
import { protocols } from './messages/protocols.ts'
import { createRandom } from './random.ts'

/** `npm run fuzz:messages` sends a million of each. */
const messages = 20_000

for (const { name, feed } of protocols)
  test(`${name}: whatever comes is understood or refused, and ends nothing but its connection`, async () => {
    const random = createRandom(4711)
    const counts = { accepted: 0, refused: 0 }
    for (let at = 0; at < messages; at++) {
      counts[feed(random)]++
      if (at % 1000 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    expect(Math.min(counts.accepted, counts.refused), JSON.stringify(counts)).toBeGreaterThan(messages / 100)
  })
