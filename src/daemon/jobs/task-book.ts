/** The tasks that are not finished, by the store's view. A record is read once for each of its revisions. */
import type { NodeName } from '../../base/index.ts'
import { isFinished, parseTask, type TaskRecord } from '../../jobs/index.ts'
import type { Entry, Revision } from '../../store/index.ts'
import { fromBytes } from '../records/json-value.ts'
import { taskKey, tasksPrefix } from '../records/keys.ts'

export interface KnownTask {
  readonly entry: Entry
  readonly task: TaskRecord
}

export class TaskBook {
  readonly #below: (prefix: string) => readonly Entry[]
  readonly #read = new Map<string, { readonly revision: Revision; readonly task: TaskRecord | undefined }>()

  #entries: readonly Entry[] | undefined
  #unfinished: readonly KnownTask[] = []

  constructor(below: (prefix: string) => readonly Entry[]) {
    this.#below = below
  }

  /** The oldest first. */
  unfinished(isMeant: (node: NodeName) => boolean): readonly KnownTask[] {
    const entries = this.#below(tasksPrefix)
    // It is asked after every change, whatever that was about.
    if (entries !== this.#entries) {
      this.#unfinished = this.#readAll(entries)
      this.#entries = entries
    }
    return this.#unfinished.filter(({ task }) => isMeant(task.node))
  }

  #readAll(entries: readonly Entry[]): readonly KnownTask[] {
    const present = new Set(entries.map(({ key }) => key))
    for (const key of this.#read.keys()) if (!present.has(key)) this.#read.delete(key)
    return entries
      .flatMap((entry) => {
        const task = this.#taskOf(entry)
        return task !== undefined && !isFinished(task) ? [{ entry, task }] : []
      })
      .sort((a, b) => a.entry.createRevision - b.entry.createRevision)
  }

  /** Whether the store's view has it, in whatever state. */
  has(id: string): boolean {
    return this.#read.has(taskKey(id))
  }

  #taskOf(entry: Entry): TaskRecord | undefined {
    const known = this.#read.get(entry.key)
    if (known?.revision === entry.modRevision) return known.task
    const task = parseTask(fromBytes(entry.value))
    const fits = task !== undefined && taskKey(task.id) === entry.key ? task : undefined
    this.#read.set(entry.key, { revision: entry.modRevision, task: fits })
    return fits
  }
}
