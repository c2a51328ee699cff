/** The items that were named, or all of them where none was. */
import { didYouMean, similarWords } from '../../base/index.ts'
import { Refusal } from '../call/command.ts'

export function chosen<Item extends { readonly id: string }>(
  all: readonly Item[],
  names: readonly string[],
  what: string,
): readonly Item[] {
  if (names.length === 0) return all
  const ids = all.map(({ id }) => id)
  const missing = names.filter((name) => !ids.includes(name))
  if (missing.length > 0)
    throw new Refusal(
      ...missing.map((name) => ({
        own: `There is no ${what} '${name}'.${didYouMean(similarWords(name, ids))}`,
        about: { code: 'no-such-item', what, id: name } as const,
      })),
    )
  return names.flatMap((name) => all.filter(({ id }) => id === name))
}
