/** Messages as a hostile peer may send them: valid ones in which something was changed, and bytes that never were one. */
import type { Random } from '../random.ts'

const oddTexts = [
  '',
  'toString',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'n\u0000ul',
  '\u001b[2J',
  '\ud800',
  '../../etc/passwd',
  'a'.repeat(300),
  'x'.repeat(70_000),
  '\u202e',
  'NaN',
  '-1',
]
const oddNumbers = [0, -1, 0.5, 1e308, -0, 2 ** 53, 2 ** 31, Number.NaN, Number.POSITIVE_INFINITY, Number.MIN_VALUE]

const oddValue = (random: Random): unknown =>
  random.pick<unknown>([
    null,
    true,
    [],
    {},
    [[[[]]]],
    { toString: 'x' },
    JSON.parse('{"__proto__": {"isAdmin": true}}'),
    random.pick(oddTexts),
    random.pick(oddNumbers),
    Array.from({ length: random.below(50) }, () => random.pick(oddTexts)),
  ])

/** The same value with one of its parts, or itself, changed. */
export function mutateValue(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.below(8) === 0) return oddValue(random)
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value
    const at = random.below(items.length + 1)
    if (random.below(4) === 0) return [...items, ...items, oddValue(random)]
    return items.map((item, index) => (index === at ? mutateValue(item, random) : item))
  }
  const entries = Object.entries(value)
  const at = random.below(entries.length + 1)
  if (at === entries.length) return { ...value, [random.pick(oddTexts) ?? '']: oddValue(random) }
  if (random.below(5) === 0) return Object.fromEntries(entries.filter((_, index) => index !== at))
  return Object.fromEntries(entries.map(([key, part], index) => [key, index === at ? mutateValue(part, random) : part]))
}

export function mutateBytes(bytes: Buffer, random: Random): Buffer {
  const copy = Buffer.from(bytes)
  switch (random.below(6)) {
    case 0:
      return copy.subarray(0, random.below(copy.length + 1))
    case 1:
      return Buffer.concat([copy, randomBytes(random, 64)])
    case 2:
      return randomBytes(random, 200)
    case 3: {
      const from = random.below(copy.length + 1)
      return Buffer.concat([copy.subarray(0, from), randomBytes(random, 8), copy.subarray(from)])
    }
    default: {
      for (let times = 1 + random.below(4); times > 0 && copy.length > 0; times--)
        copy[random.below(copy.length)] = random.below(256)
      return copy
    }
  }
}

function randomBytes(random: Random, most: number): Buffer {
  return Buffer.from(Array.from({ length: random.below(most + 1) }, () => random.below(256)))
}
