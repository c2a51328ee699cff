/** Where a node writes its journal: two files of a bounded size, lines of JSON, the newer one last. Only root reads them. */
import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type JournalEvent, parseJournalLine } from '../../journal/index.ts'

const largestFile = 2 * 1024 * 1024

export class JournalFile {
  readonly #path: string
  #bytes: number | undefined

  constructor(path: string) {
    this.#path = path
  }

  append(events: readonly JournalEvent[]): void {
    if (events.length === 0) return
    const text = events.map((event) => `${JSON.stringify(event)}\n`).join('')
    if (this.#bytes === undefined) {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 })
      this.#bytes = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0
    }
    if (this.#bytes + text.length > largestFile && this.#bytes > 0) {
      renameSync(this.#path, `${this.#path}.1`)
      this.#bytes = 0
    }
    appendFileSync(this.#path, text, { mode: 0o600 })
    this.#bytes += Buffer.byteLength(text)
  }
}

/** Oldest first. A line that was cut by a power failure is left out. */
export function readJournal(path: string, since: number): readonly JournalEvent[] {
  return [`${path}.1`, path].flatMap((file) =>
    textOf(file)
      .split('\n')
      .flatMap((line) => {
        const event = line === '' ? undefined : parseJournalLine(line)
        return event === undefined || event.at < since ? [] : [event]
      }),
  )
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}

/** The newest that fit. */
export function printJournal(events: readonly JournalEvent[], most: number): string {
  const lines = events.map((event) => JSON.stringify(event))
  let from = lines.length
  for (let bytes = 0; from > 0; from--) {
    bytes += Buffer.byteLength(lines[from - 1] ?? '') + 1
    if (bytes > most) break
  }
  return lines.slice(from).join('\n')
}

export const longestJournal = 4 * 1024 * 1024
