/** Choices from one seeded stream. */
import { seededRandom } from '../../src/base/index.ts'

export interface Random {
  readonly below: (limit: number) => number
  readonly pick: <T>(items: readonly T[]) => T | undefined
  readonly seed: () => number
}

export function createRandom(seed: number): Random {
  const next = seededRandom(seed)
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    pick: (items) => items[below(items.length)],
    seed: () => below(2 ** 31),
  }
}
