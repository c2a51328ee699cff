/** Choices of a seed among the names of a CIB. Now and then a name is one that is not there: the answer to a mistake is compared, too. */
import type { Random } from '../fuzz/random.ts'
import type { Names } from './names.ts'

export interface Draw {
  readonly names: Names
  readonly chance: (percent: number) => boolean
  readonly one: (...words: readonly string[]) => string
  /** One of several pieces of a line. */
  readonly piece: (...pieces: readonly (readonly string[])[]) => readonly string[]
  /** A name of that kind. */
  readonly a: (...kinds: readonly (keyof Names)[]) => string
  /** One to three of them, each once. */
  readonly few: (...kinds: readonly (keyof Names)[]) => readonly string[]
  /** The words with that chance, and nothing otherwise. */
  readonly maybe: (percent: number, ...words: readonly string[]) => readonly string[]
  /** An id for something new: hardly ever taken. */
  readonly fresh: () => string
}

/** A kind of line: how often it is drawn among the others of its file, and what it may say. */
export interface Form {
  readonly weight: number
  readonly line: (draw: Draw) => readonly string[]
}

export function createDraw(names: Names, random: Random): Draw {
  const chance = (percent: number): boolean => random.below(100) < percent
  const one = (...words: readonly string[]): string => random.pick(words) ?? ''
  const a = (...kinds: readonly (keyof Names)[]): string => {
    const there = kinds.flatMap((kind) => names[kind])
    return there.length === 0 || chance(4) ? one('nosuch', 'nosuch2') : one(...there)
  }
  return {
    names,
    chance,
    one,
    piece: (...pieces) => random.pick(pieces) ?? [],
    a,
    few: (...kinds) => [...new Set(Array.from({ length: 1 + random.below(3) }, () => a(...kinds)))],
    maybe: (percent, ...words) => (chance(percent) ? words : []),
    fresh: () => (chance(4) ? one('1bad', 'a b', a('resources')) : one('new1', 'new2', 'vip-9', 'web_2', 'my.res')),
  }
}
