/**
 * The main thread's handle on the planner thread. Every node keeps one and has it compute once at the start: whoever becomes
 * DC after a failure computes at once, and loading and warming up the scheduler takes longer than anything else it does then.
 */
import { Worker } from 'node:worker_threads'
import type { Entry } from '../../store/index.ts'
import { decodeConfig } from '../configuration/config-history.ts'
import { programFile } from '../host/install-folder.ts'
import { fromBytes } from '../records/json-value.ts'
import { keys } from '../records/keys.ts'
import type { StoreChange } from '../records/store-view.ts'
import type {
  FromPlanner,
  Planned,
  PlannerObservation,
  Question,
  ServiceAnswer,
  ServiceQuestion,
  ToPlanner,
} from './messages.ts'
import type { Kept } from './saved-inputs.ts'

/** The thread is told in bulk: most changes concern records that change again before anybody schedules. */
const tellAfterKeys = 256

export class Planner {
  readonly #entries: () => readonly Entry[]
  readonly #maxOldSpaceMb: number
  readonly #onKept: (kept: Kept) => void
  readonly #waiting = new Map<number, { resolve: (planned: Planned) => void; reject: (error: Error) => void }>()
  readonly #waitingForServices = new Map<
    number,
    { resolve: (answer: ServiceAnswer) => void; reject: (error: Error) => void }
  >()
  /** What the thread has not been told yet: the last change of each key. */
  readonly #untold = new Map<string, StoreChange>()
  #revision = 0
  #worker: Worker | undefined
  #lastId = 0

  /** `entries`: everything in this node's view of the store, for a thread that has just started. */
  constructor(
    entries: () => readonly Entry[],
    {
      maxOldSpaceMb = 2048,
      onKept = () => undefined,
    }: { readonly maxOldSpaceMb?: number; readonly onKept?: (kept: Kept) => void } = {},
  ) {
    this.#entries = entries
    this.#onKept = onKept
    this.#maxOldSpaceMb = maxOldSpaceMb
  }

  observe(changes: readonly StoreChange[], revision: number): void {
    if (!this.#worker) return
    for (const change of changes) this.#untold.set(change.key, change)
    this.#revision = revision
    if (this.#untold.size >= tellAfterKeys) this.#tell(this.#worker)
  }

  async services(asked: ServiceQuestion, revision: number): Promise<ServiceAnswer> {
    const worker = this.#running(revision)
    this.#tell(worker)
    const id = ++this.#lastId
    return await new Promise((resolve, reject) => {
      this.#waitingForServices.set(id, { resolve, reject })
      worker.postMessage({ kind: 'services', id, ...asked } satisfies ToPlanner)
    })
  }

  async schedule(asked: Question, revision: number): Promise<Planned> {
    const worker = this.#running(revision)
    this.#tell(worker)
    const id = ++this.#lastId
    const message: ToPlanner = { kind: 'schedule', id, ...asked }
    return await new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      worker.postMessage(message)
    })
  }

  /** What comes out is thrown away, a failure included: it will be told when somebody asks. */
  warmUp(revision: number): void {
    const asked = { now: Math.floor(Date.now() / 1000), haveQuorum: true }
    this.schedule(asked, revision).catch(() => undefined)
  }

  close(): void {
    void this.#worker?.terminate()
    this.#worker = undefined
    this.#rejectAll(new Error('The planner was ended.'))
  }

  #running(revision: number): Worker {
    if (this.#worker) return this.#worker
    this.#untold.clear()
    const worker = new Worker(programFile('planner'), {
      resourceLimits: { maxOldGenerationSizeMb: this.#maxOldSpaceMb, maxYoungGenerationSizeMb: 32 },
    })
    const changes = this.#entries().map((entry) => ({ key: entry.key, entry }))
    worker.postMessage(this.#observations(changes, revision))
    worker.on('message', (message: FromPlanner) => this.#answer(message))
    // A computation that runs out of memory must not take the daemon with it: services keep running without one.
    worker.on('error', (error) => this.#gone(worker, error))
    worker.on('exit', () => this.#gone(worker, new Error('The planner thread ended.')))
    this.#worker = worker
    return worker
  }

  #tell(worker: Worker): void {
    if (this.#untold.size === 0) return
    worker.postMessage(this.#observations([...this.#untold.values()], this.#revision))
    this.#untold.clear()
  }

  #gone(worker: Worker, error: Error): void {
    if (this.#worker === worker) this.close()
    this.#rejectAll(error)
  }

  #rejectAll(error: Error): void {
    for (const waiting of [this.#waiting, this.#waitingForServices]) {
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    }
  }

  #answer(message: FromPlanner): void {
    if (message.kind === 'kept') {
      this.#onKept(message.kept)
      return
    }
    const waiting = this.#waiting.get(message.id)
    const services = this.#waitingForServices.get(message.id)
    this.#waiting.delete(message.id)
    this.#waitingForServices.delete(message.id)
    if (message.kind === 'scheduled') waiting?.resolve(message.planned)
    else if (message.kind === 'services') services?.resolve(message.answer)
    else (waiting ?? services)?.reject(new Error(`${message.message}\n${message.stack}`))
  }

  #observations(changes: readonly StoreChange[], revision: number): ToPlanner {
    return { kind: 'observe', observations: changes.map(observationOf), revision }
  }
}

function observationOf({ key, entry }: StoreChange): PlannerObservation {
  if (!entry) return { kind: 'delete', key }
  const shared = { kind: 'put', key, createRevision: entry.createRevision } as const
  const lease = entry.lease === undefined ? {} : { lease: entry.lease }
  if (key !== keys.configuration) return { ...shared, ...lease, value: fromBytes(entry.value) }
  const { version, xml, epochs } = decodeConfig(entry)
  return { ...shared, ...lease, value: undefined, configText: { version, xml, ...(epochs && { epochs }) } }
}
