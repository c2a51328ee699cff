/** What pcs prints of a refusal. */
export interface Said {
  /** Before the errors, as they stand. */
  readonly before?: readonly string[]
  readonly errors: readonly string[]
  readonly after?: readonly string[]
  /** pcs has found them one by one, and ends with a sentence that says so. */
  readonly closes?: boolean
}

export const one = (error: string, closes = false): Said => ({ errors: [error], closes })

export const quoted = (names: readonly string[]): string =>
  [...names]
    .sort()
    .map((name) => `'${name}'`)
    .join(', ')
