/** How a program that delivers ends: what went wrong may go well later, or never. */
export class Undelivered extends Error {
  override readonly name = 'Undelivered'
  /** The recipient may take it later. */
  readonly isLater: boolean
  constructor(sentence: string, isLater: boolean) {
    super(sentence)
    this.isLater = isLater
  }
}

export interface Delivery {
  /** Milliseconds until whoever called ends this program. */
  readonly withinMs: number
  readonly node: string
}

/** Of several that answer, the first that says something. */
export const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
