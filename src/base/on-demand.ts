/** What takes long and is not always asked for: made once, when it is asked for first. */
export function onDemand<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
