/** On the DC: what `cleanTasks` decides, in the term of this DC. */
import type { NodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { cleanTasks, type OffNode, parseTask, type TaskCleaning, type TaskRecord } from '../../jobs/index.ts'
import { type Entry, isStoreFailure, type Revision, type Store, unchanged, type Write } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { keys, ownersPrefixes, taskKey, tasksPrefix } from '../records/keys.ts'

export interface TaskCleanerPorts {
  readonly log: Log
  readonly store: () => Store
  readonly view: () => ClusterView
  readonly below: (prefix: string) => readonly Entry[]
  /** This node's term while it is the DC and has quorum. */
  readonly term: () => number | undefined
}

const lookEveryMs = 60_000
const retryMs = 500
/** Fewer than etcd takes in one transaction. */
const mostAtOnce = 50

export class TaskCleaner {
  readonly #ports: TaskCleanerPorts
  readonly #read = new Map<string, { readonly revision: Revision; readonly task: TaskRecord | undefined }>()
  #timer: NodeJS.Timeout | undefined
  #writing = false
  #closed = false

  constructor(ports: TaskCleanerPorts) {
    this.#ports = ports
  }

  /** After every change of the store, and when this node becomes the DC or stops being it. */
  look(): void {
    clearTimeout(this.#timer)
    const term = this.#closed ? undefined : this.#ports.term()
    if (term === undefined || this.#writing) return
    const entries = this.#ports.below(tasksPrefix)
    const tasks = this.#tasks(entries)
    if (tasks.length === 0) return
    const owners = new Set(
      Object.values(ownersPrefixes)
        .flatMap((prefix) => this.#ports.below(prefix))
        .map(({ key }) => key),
    )
    const cleaning = cleanTasks(tasks, {
      off: (node) => offNode(this.#ports.view(), node),
      isOwned: ({ owner }) => owners.has(`${ownersPrefixes[owner.kind]}${encodeURIComponent(owner.name)}`),
      now: Date.now(),
    })
    if (cleaning.length > 0) this.#write(term, new Map(entries.map((entry) => [entry.key, entry])), cleaning)
    else this.#timer = setTimeout(() => this.look(), lookEveryMs)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  #tasks(entries: readonly Entry[]): readonly TaskRecord[] {
    const present = new Set(entries.map(({ key }) => key))
    for (const key of this.#read.keys()) if (!present.has(key)) this.#read.delete(key)
    return entries.flatMap((entry) => {
      const known = this.#read.get(entry.key)
      if (known?.revision === entry.modRevision) return known.task ?? []
      const task = parseTask(fromBytes(entry.value))
      this.#read.set(entry.key, { revision: entry.modRevision, task })
      return task ?? []
    })
  }

  #write(term: number, entries: ReadonlyMap<string, Entry>, cleaning: readonly TaskCleaning[]): void {
    const { store, log } = this.#ports
    const now = cleaning
      .slice(0, mostAtOnce)
      .map((one) => ({ one, key: taskKey(one.kind === 'delete' ? one.id : one.record.id) }))
    this.#writing = true
    store()
      .transaction({
        compare: [
          { kind: 'create-revision', key: keys.dc, equals: term as Revision },
          ...now.map(({ key }) => unchanged(key, entries.get(key))),
        ],
        writes: now.map(
          ({ one, key }): Write =>
            one.kind === 'delete' ? { kind: 'delete', key } : { kind: 'put', key, value: toBytes(one.record) },
        ),
      })
      .then(({ applied }) => {
        for (const { one } of applied ? now : [])
          if (one.kind === 'change') log.info('a task has changed', { task: one.record.id, state: one.record.state })
      })
      .catch((error: unknown) => {
        if (!isStoreFailure(error)) throw error
        log.warn('tasks could not be cleaned up yet', { error })
      })
      .finally(() => {
        this.#writing = false
        clearTimeout(this.#timer)
        if (!this.#closed) this.#timer = setTimeout(() => this.look(), retryMs)
      })
  }
}

/** It was fenced, or is no node of the cluster any more. One that left in order goes on with its tasks. */
function offNode({ members, nodeStates }: ClusterView, node: NodeName): OffNode | undefined {
  if (members.has(node)) return undefined
  const state = nodeStates.get(node)
  if (state === undefined) return {}
  const { node_fenced: fenced, incarnation } = state.attributes ?? {}
  if (state.expected !== 'down' || fenced === undefined) return undefined
  return incarnation === undefined ? {} : { incarnation: Number(incarnation) }
}
