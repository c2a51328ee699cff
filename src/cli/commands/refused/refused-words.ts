/** Commands that have nothing to do here, with the sentence that is the answer. */
export interface RefusedWords {
  readonly paths: readonly string[]
  readonly because: string
}
