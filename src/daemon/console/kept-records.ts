/**
 * Records of the store that a host must also know while it is stopped or has no quorum: as this node sees them, or else as a file of this host has them
 * from the last time.
 */
import { rmSync } from 'node:fs'
import type { Entry } from '../../store/index.ts'
import { readIfThere, writeWhole } from '../host/files.ts'
import { fromBytes } from '../records/json-value.ts'

export interface KeptRecordPorts {
  readonly file: string
  /** Of the running node, with what it has seen of the store; undefined where it takes no part or has seen nothing yet. */
  readonly known: () => readonly Entry[] | undefined
}

export class KeptRecords<Value> {
  readonly #ports: KeptRecordPorts
  readonly #read = new WeakMap<Entry, Value>()
  #text: string | undefined

  constructor(ports: KeptRecordPorts) {
    this.#ports = ports
  }

  list(): readonly Value[] {
    const entries = this.#ports.known()
    if (entries === undefined) {
      this.#text ??= readIfThere(this.#ports.file) ?? '[]'
      return JSON.parse(this.#text) as readonly Value[]
    }
    const records = entries.map((entry) => this.#recordIn(entry))
    this.#keep(records)
    return records
  }

  /** They are those of another cluster from now on. */
  forget(): void {
    rmSync(this.#ports.file, { force: true })
    this.#text = undefined
  }

  #recordIn(entry: Entry): Value {
    const known = this.#read.get(entry) ?? (fromBytes(entry.value) as Value)
    this.#read.set(entry, known)
    return known
  }

  #keep(records: readonly Value[]): void {
    const text = JSON.stringify(records)
    if (text === this.#text) return
    writeWhole(this.#ports.file, text, 0o600)
    this.#text = text
  }
}
