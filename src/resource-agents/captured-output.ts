/** Output of programs, of which only the end is kept: an agent that talks without end costs no memory. */

export const keptOutputBytes = 64 * 1024

/** The last `limit` bytes of everything that was added. */
export class OutputTail {
  readonly #limit: number
  #chunks: Buffer[] = []
  #bytes = 0
  #cut = false

  constructor(limit = keptOutputBytes) {
    this.#limit = limit
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    // Joined only now and then, so that many small chunks are not copied each time.
    if (this.#bytes > 2 * this.#limit) {
      const whole = Buffer.concat(this.#chunks)
      const kept = Buffer.from(whole.subarray(whole.length - this.#limit))
      this.#chunks = [kept]
      this.#bytes = kept.length
      this.#cut = true
    }
  }

  get text(): string {
    const whole = Buffer.concat(this.#chunks)
    const cut = this.#cut || whole.length > this.#limit
    const text = whole.subarray(Math.max(0, whole.length - this.#limit)).toString('utf8')
    return cut ? `[...]${text}` : text
  }
}

const exitReasonPrefix = 'ocf-exit-reason:'

/** The last reason that the agent gave, as one line. */
export function exitReasonIn(output: string): string | undefined {
  const at = output.lastIndexOf(exitReasonPrefix)
  if (at === -1) return undefined
  const rest = output.slice(at + exitReasonPrefix.length)
  const end = rest.indexOf('\n')
  const reason = (end === -1 ? rest : rest.slice(0, end)).trim()
  return reason === '' ? undefined : reason
}
