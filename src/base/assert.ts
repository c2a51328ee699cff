/** A bug, as opposed to a mistake of the user or a failure of the world: it ends the process that is wrong about itself. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError'
}

/** Whether an error says that a program is wrong: it comes back however often it is tried, where anything else may pass. */
export function isDefect(error: unknown): boolean {
  return [AssertionError, TypeError, ReferenceError, RangeError, URIError, SyntaxError].some(
    (kind) => error instanceof kind,
  )
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
