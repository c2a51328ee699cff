/** What pcs prints of a refusal. */
export interface Said {
  /** Before the errors, as they stand. */
  readonly before?: readonly string[]
  readonly errors: readonly string[]
  readonly after?: readonly string[]
  /** pcs has found them one by one, and ends with a sentence that says so. */
  readonly closes?: boolean
}
