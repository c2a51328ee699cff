/**
 * What a survivor that goes on alone has done before the store takes changes again, on its own disk: its fencing actions, and the word on
 * which it goes on alone. The word is written right before etcd begins as a cluster of one, so that a daemon that dies after that ends it; a word
 * that came to nothing before is not there.
 */
import { rmSync } from 'node:fs'
import { type NodeName, nodeName } from '../../base/index.ts'
import type { FencingRecord } from '../../fencing/index.ts'
import type { WhyPeerIsOff } from '../../quorum/index.ts'
import { readIfThere, writeWhole } from '../host/files.ts'
import type { Paths } from '../host/paths.ts'

export interface AloneEntries {
  /** The nodes that are off, and who says so. */
  readonly granted?: { readonly lost: readonly NodeName[]; readonly word: WhyPeerIsOff }
  readonly records: readonly FencingRecord[]
}

const mostRecords = 50

export class AloneJournal {
  readonly #path: string
  #entries: AloneEntries

  constructor(paths: Paths) {
    this.#path = paths.aloneJournal
    this.#entries = readJournal(paths)
  }

  get entries(): AloneEntries {
    return this.#entries
  }

  record(record: FencingRecord): void {
    this.#write({ ...this.#entries, records: withRecord(this.#entries.records, record) })
  }

  grant(lost: readonly NodeName[], word: WhyPeerIsOff): void {
    this.#write({ ...this.#entries, granted: { lost, word } })
  }

  /** Nothing came of the word. */
  forgetConfirmation(): void {
    this.#write({ records: this.#entries.records })
  }

  clear(): void {
    this.#entries = { records: [] }
    rmSync(this.#path, { force: true })
  }

  #write(entries: AloneEntries): void {
    writeWhole(this.#path, JSON.stringify(entries), 0o600)
    this.#entries = entries
  }
}

export function withRecord(records: readonly FencingRecord[], record: FencingRecord): readonly FencingRecord[] {
  const before = records.find(({ id }) => id === record.id)
  const others = records.filter((other) => other !== before)
  const { isFollowUp, ...result } = record
  // The store does not know the result yet, so that this is the result to it.
  const isNews = isFollowUp === true && before !== undefined && before.isFollowUp !== true
  return [...others, isNews ? result : record].slice(-mostRecords)
}

/** One that cannot be read is none: it is written whole, so that it was never finished or is not ours. */
export function readJournal(paths: Paths): AloneEntries {
  const text = readIfThere(paths.aloneJournal)
  if (text === undefined) return { records: [] }
  try {
    const { granted, records } = JSON.parse(text) as AloneEntries
    return {
      records: Array.isArray(records) ? records : [],
      ...(granted === undefined ? {} : { granted: { lost: granted.lost.map(nodeName), word: granted.word } }),
    }
  } catch (error) {
    if (error instanceof SyntaxError) return { records: [] }
    throw error
  }
}
