/**
 * How each command of a list has ended, from the lines that are written to its descriptor 3: `0:12 1:40`, the exit codes with the milliseconds that each took. A line that
 * begins with `=` is what others are to know, as JSON.
 */

/** More than this is not kept in the store: some three thousand commands, or a few facts. */
const mostText = 16 * 1024
export const longestSaid = 64 * 1024

interface Readable {
  on(event: 'data', listener: (chunk: Buffer) => void): unknown
  destroy(): unknown
}

export class CommandNotes {
  readonly #stream: Readable | undefined
  #text = ''
  #rest = ''
  #said: string | undefined
  #last = performance.now()

  constructor(stream: unknown) {
    this.#stream = isReadable(stream) ? stream : undefined
    this.#stream?.on('data', (chunk) => this.#add(chunk.toString('latin1')))
  }

  finish(): { readonly commands: string; readonly said?: string } {
    this.#stream?.destroy()
    return { commands: this.#text.trimEnd(), ...(this.#said !== undefined && { said: this.#said }) }
  }

  #add(chunk: string): void {
    const now = performance.now()
    const lines = (this.#rest + chunk).split('\n')
    this.#rest = (lines.pop() ?? '').slice(0, longestSaid)
    const said = lines.findLast((line) => line.startsWith('='))
    if (said !== undefined && said.length <= longestSaid)
      this.#said = Buffer.from(said.slice(1), 'latin1').toString('utf8')
    const codes = lines.filter((line) => /^\d{1,3}$/.test(line))
    for (const code of codes) {
      // What comes at once has shared the time.
      const note = `${code}:${Math.round((now - this.#last) / codes.length)} `
      if (this.#text.length + note.length <= mostText) this.#text += note
    }
    if (codes.length > 0) this.#last = now
  }
}

const isReadable = (stream: unknown): stream is Readable =>
  typeof stream === 'object' && stream !== null && 'on' in stream && 'destroy' in stream
