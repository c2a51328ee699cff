/** On the DC: lets jobs go on as `jobStep` says, in the term of this DC, and deletes those that ended long ago. */
import type { ClusterView } from '../../controller/index.ts'
import { type JobRecord, jobStep, parseJob, parseTask, type TaskRecord } from '../../jobs/index.ts'
import { type Entry, isStoreFailure, type Revision, type Store, unchanged } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import { fromBytes } from '../records/json-value.ts'
import { jobsPrefix, keys, lockKey, taskKey } from '../records/keys.ts'
import { secretsOfView } from '../records/secrets-of-view.ts'
import { jobForLog } from './job-for-log.ts'
import { jobTransaction } from './job-writes.ts'

export interface JobKeeperPorts {
  readonly log: Log
  readonly store: () => Store
  readonly view: () => ClusterView
  readonly entry: (key: string) => Entry | undefined
  readonly below: (prefix: string) => readonly Entry[]
  readonly file: () => ClusterFile
  /** This node's term while it is the DC and has quorum. */
  readonly term: () => number | undefined
}

interface Known {
  readonly entry: Entry
  readonly job: JobRecord
}

/** `after`: what the job becomes; without it the record goes. */
type JobChange = ReturnType<typeof jobTransaction> & { readonly after?: JobRecord }

const retryMs = 500
export const keptJobMs = 7 * 24 * 3_600_000
export const mostKeptJobs = 200

export class JobKeeper {
  readonly #ports: JobKeeperPorts
  readonly #read = new Map<string, { readonly revision: Revision; readonly job: JobRecord | undefined }>()
  /** Until its outcome is known: undefined; then the revision that it has made, which the view may not show yet. */
  readonly #written = new Map<string, Revision | undefined>()
  #missed = false
  #retry: NodeJS.Timeout | undefined
  #closed = false

  constructor(ports: JobKeeperPorts) {
    this.#ports = ports
  }

  /** After every change of the store, and when this node becomes the DC or stops being it. */
  look(): void {
    clearTimeout(this.#retry)
    const term = this.#closed ? undefined : this.#ports.term()
    if (term === undefined) return
    const jobs = this.#jobs()
    for (const known of jobs) if (known.job.state !== 'done') this.#goOn(term, known)
    for (const known of old(jobs, Date.now())) this.#delete(term, known)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#retry)
  }

  #jobs(): readonly Known[] {
    const entries = this.#ports.below(jobsPrefix)
    const present = new Set(entries.map(({ key }) => key))
    for (const key of this.#read.keys())
      if (!present.has(key)) {
        this.#read.delete(key)
        this.#written.delete(key)
      }
    return entries.flatMap((entry) => {
      const known = this.#read.get(entry.key)
      const job = known?.revision === entry.modRevision ? known.job : parseJob(fromBytes(entry.value))
      this.#read.set(entry.key, { revision: entry.modRevision, job })
      return job === undefined ? [] : [{ entry, job }]
    })
  }

  #goOn(term: number, { entry, job }: Known): void {
    const { entry: entryOf, view } = this.#ports
    const { members } = view()
    const world = {
      tasks: tasksOf(job, entryOf),
      isUp: (node: JobRecord['node']) => members.get(node)?.state === 'member',
      isListed: (node: JobRecord['node']) => this.#ports.file().nodes.some(({ name }) => name === node),
      isLocked: job.lock !== undefined && entryOf(lockKey(job.lock)) !== undefined,
    }
    const { state, effects } = jobStep(job, world, new Date().toISOString())
    if (effects.length === 0 && JSON.stringify(state) === JSON.stringify(job)) return
    const { compare, writes } = jobTransaction({ job: state, effects }, entryOf)
    this.#write(term, entry, { compare, writes, after: state })
  }

  #delete(term: number, { entry }: Known): void {
    this.#write(term, entry, { compare: [unchanged(entry.key, entry)], writes: [{ kind: 'delete', key: entry.key }] })
  }

  #write(term: number, { key, modRevision }: Entry, { compare, writes, after }: JobChange): void {
    const { store, log } = this.#ports
    const written = this.#written.get(key)
    if (this.#written.has(key) && (written === undefined || modRevision < written)) {
      // What came meanwhile is not lost.
      this.#missed = true
      return
    }
    this.#written.set(key, undefined)
    store()
      .transaction({
        compare: [{ kind: 'create-revision', key: keys.dc, equals: term as Revision }, ...compare],
        writes,
      })
      .then(({ applied, revision }) => {
        if (!applied) {
          this.#again(key)
          return
        }
        this.#written.set(key, revision)
        if (after?.state === 'done') log.info('a job has ended', jobForLog(after, secretsOfView(this.#ports.view())))
      })
      .catch((error: unknown) => {
        if (!isStoreFailure(error)) throw error
        log.warn('a job could not go on yet', { key, error })
        this.#again(key)
      })
      .finally(() => {
        if (!this.#missed) return
        this.#missed = false
        this.look()
      })
  }

  #again(key: string): void {
    this.#written.delete(key)
    clearTimeout(this.#retry)
    if (!this.#closed) this.#retry = setTimeout(() => this.look(), retryMs)
  }
}

export function tasksOf(job: JobRecord, entryOf: (key: string) => Entry | undefined): ReadonlyMap<string, TaskRecord> {
  const known = job.nodes.flatMap(({ task }) => {
    const entry = task === undefined ? undefined : entryOf(taskKey(task))
    const record = entry && parseTask(fromBytes(entry.value))
    return record === undefined ? [] : [[record.id, record] as const]
  })
  return new Map(known)
}

function old(jobs: readonly Known[], now: number): readonly Known[] {
  const endOf = ({ job }: Known): number => Date.parse(job.ended ?? '') || 0
  const ended = jobs.filter(({ job }) => job.state === 'done').sort((a, b) => endOf(a) - endOf(b))
  return ended.filter((known, at) => at < ended.length - mostKeptJobs || now - endOf(known) > keptJobMs)
}
