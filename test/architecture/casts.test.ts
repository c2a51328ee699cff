/**
 * `as unknown as` in a test makes of anything a daemon or a store, whatever that has by now: a test like this passes on when the code no longer does. What is
 * needed is asked for by a smaller interface, and given whole (test/support). The number only falls.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const folder = resolve(import.meta.dirname, '..')
const most = 64
const cast = /\bas unknown as\b/g

test(`no more than ${most} casts by way of unknown are in the tests`, () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.(ts|tsx|mts)$/.test(name) && !name.startsWith('architecture/') && !name.includes('node_modules'),
  )
  const counted = files
    .map((name) => [name, readFileSync(join(folder, name), 'utf8').match(cast)?.length ?? 0] as const)
    .filter(([, count]) => count > 0)
  const sum = counted.reduce((total, [, count]) => total + count, 0)
  const report = counted.map(([name, count]) => `${count} ${name}`).join('\n')
  expect(sum, `Write the new number into this file if it fell. Casts:\n${report}`).toBe(most)
})
