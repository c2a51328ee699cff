/**
 * Questions that are answered one after the other, those of different users in turn: whoever asks a hundred waits for his own, and everybody else for
 * one of his at most.
 */
type Ask = () => Promise<void>

export class TooManyQuestionsError extends Error {
  override readonly name = 'TooManyQuestionsError'
  constructor(most: number) {
    super(`This user already has ${most} queued requests. Wait until some of them finish.`)
  }
}

export class Turns {
  readonly #most: number
  /** Whose turn comes next stands first. */
  readonly #lines = new Map<string, Ask[]>()
  #isBusy = false

  constructor(most = 32) {
    this.#most = most
  }

  async take<Answer>(user: string, ask: () => Promise<Answer>): Promise<Answer> {
    const line = this.#lines.get(user) ?? []
    if (line.length >= this.#most) throw new TooManyQuestionsError(this.#most)
    return await new Promise<Answer>((resolve, reject) => {
      line.push(async () => await ask().then(resolve, reject))
      this.#lines.set(user, line)
      if (!this.#isBusy) void this.#answer()
    })
  }

  async #answer(): Promise<void> {
    this.#isBusy = true
    for (;;) {
      const [next] = this.#lines
      if (next === undefined) break
      const [user, line] = next
      const ask = line.shift()
      // To the end of the line of users, or out of it.
      this.#lines.delete(user)
      if (line.length > 0) this.#lines.set(user, line)
      await ask?.()
    }
    this.#isBusy = false
  }
}
