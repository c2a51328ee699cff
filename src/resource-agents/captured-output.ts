/** Output of programs, of which only the end is kept: an agent that talks without end costs no memory. */
import { printable } from '../base/index.ts'

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
  const reason = plainLine(end === -1 ? rest : rest.slice(0, end))
  return reason === '' ? undefined : reason
}

/** Characters of a reason, which is replicated and shown in lists; Pacemaker keeps 128. */
const longestReason = 500

/** What an agent says, fit for the CIB, which takes no control characters, and for a terminal, which would obey them. */
export function plainLine(text: string): string {
  const line = printable(text.replace(/[\p{Cc}\p{Cs}\ufffe\uffff]+/gu, ' ').trim())
  return line.length <= longestReason ? line : `${line.slice(0, longestReason).trimEnd()} [...]`
}
