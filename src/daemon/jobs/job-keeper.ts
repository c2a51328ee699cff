/** On the DC: lets jobs go on as `jobStep` says, in the term of this DC, and deletes those that ended long ago. */
import type { ClusterView } from '../../controller/index.ts'
import { type JobRecord, jobStep, parseJob, parseTask, type TaskRecord } from '../../jobs/index.ts'
import { type Entry, type Store, unchanged } from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import { DcRecords, type Stored } from '../records/dc-records.ts'
import { fromBytes } from '../records/json-value.ts'
import { jobsPrefix, lockKey, taskKey } from '../records/keys.ts'
import { secretsOfView } from '../records/secrets-of-view.ts'
import { jobForLog } from './job-for-log.ts'
import { jobTransaction } from './job-writes.ts'
import { isTaskNodeComing, isTaskNodeListed, isTaskNodeUp, memberLife } from './task-nodes.ts'

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

const retryMs = 500
const gatherMs = 250
export const keptJobMs = 7 * 24 * 3_600_000
export const mostKeptJobs = 200

export class JobKeeper {
  readonly #ports: JobKeeperPorts
  readonly #records: DcRecords<JobRecord>
  /** Since when something of them waits to be written. */
  readonly #held = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #retry: NodeJS.Timeout | undefined
  #closed = false

  constructor(ports: JobKeeperPorts) {
    this.#ports = ports
    this.#records = new DcRecords({
      ...ports,
      prefix: jobsPrefix,
      parse: parseJob,
      notYet: 'a job could not go on yet',
      onMissed: () => this.look(),
      onFailed: () => this.#again(),
    })
  }

  /** After every change of the store, and when this node becomes the DC or stops being it. */
  look(): void {
    clearTimeout(this.#retry)
    const term = this.#closed ? undefined : this.#ports.term()
    if (term === undefined) {
      this.#held.clear()
      return
    }
    const jobs = this.#records.list()
    for (const known of jobs) if (known.value.state !== 'done') this.#goOn(term, known)
    for (const known of old(jobs, Date.now())) this.#delete(term, known)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#retry)
    clearTimeout(this.#timer)
  }

  #goOn(term: number, { entry, value: job }: Stored<JobRecord>): void {
    const { entry: entryOf, view, log } = this.#ports
    const world = {
      tasks: tasksOf(job, entryOf),
      isUp: (node: JobRecord['node']) => isTaskNodeUp(view(), node),
      isComing: (node: JobRecord['node']) => isTaskNodeComing(view(), node),
      lifeOf: (node: JobRecord['node']) => memberLife(view(), node),
      isListed: (node: JobRecord['node']) => isTaskNodeListed(this.#ports.file(), view(), node),
      isLocked: job.lock !== undefined && entryOf(lockKey(job.lock)) !== undefined,
    }
    const { state, effects } = jobStep(job, world, new Date().toISOString())
    if (effects.length === 0 && (JSON.stringify(state) === JSON.stringify(job) || this.#waits(job, state))) return
    const { compare, writes } = jobTransaction({ job: state, effects }, entryOf)
    this.#records.write(term, entry, {
      compare,
      writes,
      onWritten: () => {
        if (state.state === 'done') log.info('a job has ended', jobForLog(state, secretsOfView(view())))
      },
    })
  }

  /** What came of some nodes, while others are at work, is written with what comes of those; or after a moment, for whoever looks. */
  #waits(job: JobRecord, next: JobRecord): boolean {
    if (next.state === 'done') {
      this.#held.delete(job.id)
      return false
    }
    const since = this.#held.get(job.id)
    const now = performance.now()
    if (since !== undefined && now - since >= gatherMs) {
      this.#held.delete(job.id)
      return false
    }
    if (since === undefined) this.#held.set(job.id, now)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.look()
    }, gatherMs + 5)
    return true
  }

  #delete(term: number, { entry, value }: Stored<JobRecord>): void {
    this.#held.delete(value.id)
    this.#records.write(term, entry, {
      compare: [unchanged(entry.key, entry)],
      writes: [{ kind: 'delete', key: entry.key }],
    })
  }

  #again(): void {
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

function old(jobs: readonly Stored<JobRecord>[], now: number): readonly Stored<JobRecord>[] {
  const endOf = ({ value }: Stored<JobRecord>): number => Date.parse(value.ended ?? '') || 0
  const ended = jobs.filter(({ value }) => value.state === 'done').sort((a, b) => endOf(a) - endOf(b))
  return ended.filter((known, at) => at < ended.length - mostKeptJobs || now - endOf(known) > keptJobMs)
}
