/** Where a node writes its journal: two files of a bounded size, lines of JSON, the newer one last. Only root reads them. */
import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const largestFile = 1024 * 1024

export class JournalFile {
  readonly #path: string
  readonly #largest: number
  #bytes: number | undefined

  constructor(path: string, largest = largestFile) {
    this.#path = path
    this.#largest = largest
  }

  append(events: readonly object[]): void {
    if (events.length === 0) return
    const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('')
    // The last line of an earlier daemon may have been cut by a power failure: this one begins another.
    const text = this.#bytes === undefined ? `\n${lines}` : lines
    this.#bytes ??= this.#bytesThere()
    if (this.#bytes + Buffer.byteLength(text) > this.#largest && this.#bytes > 0) {
      renameSync(this.#path, `${this.#path}.1`)
      this.#bytes = 0
    }
    appendFileSync(this.#path, text, { mode: 0o600 })
    this.#bytes += Buffer.byteLength(text)
  }

  #bytesThere(): number {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 })
    return statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0
  }
}

/** Lines, the oldest first. */
export const readJournal = (path: string): string => [`${path}.1`, path].map(textOf).join('\n')

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}
