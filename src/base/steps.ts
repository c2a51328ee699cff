/**
 * Work that is done in pieces, as a generator that yields between them: whoever must not hold up others for long lets them in there
 * (`daemon/shared-state/in-pieces.ts`), and everybody else has it done at once.
 */
export type Steps<Result> = Generator<undefined, Result>

export function doneAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** `flatMap`, with an end of a piece after each `every` items. */
export function* flatMapInSteps<Item, Result>(
  items: readonly Item[],
  each: (item: Item) => readonly Result[],
  every = 250,
): Steps<readonly Result[]> {
  const results: Result[] = []
  for (const [at, item] of items.entries()) {
    if (at > 0 && at % every === 0) yield
    results.push(...each(item))
  }
  return results
}
