/** A regular expression of attributes' names; null where it is none. */
export function readPattern(text: string): RegExp | null {
  try {
    return new RegExp(text)
  } catch {
    // What is no expression is answered as what matches nothing.
    return null
  }
}
