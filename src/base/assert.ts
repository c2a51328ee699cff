/** A bug, as opposed to a mistake of the user or a failure of the world: it ends the process that is wrong about itself. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError'
}

export function assert(condition: boolean, invariant: string): asserts condition {
  if (!condition) throw new AssertionError(`Broken invariant: ${invariant}`)
}

/** Ends a `switch` over a union: a new kind breaks the build wherever it matters. */
export function assertNever(value: never): never {
  throw new AssertionError(`Unexpected value: ${JSON.stringify(value)}`)
}

/** For a lookup that cannot miss unless there is a bug. */
export function defined<T>(value: T | undefined, what: string): T {
  // Asked a million times in a large cluster: the text is made for the one that misses.
  if (value === undefined) throw new AssertionError(`Broken invariant: ${what} is defined`)
  return value
}
