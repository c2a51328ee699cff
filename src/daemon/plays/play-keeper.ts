/** On the DC: lets plays go on as `playStep` says, in the term of this DC, and deletes those that ended long ago. */
import type { ClusterView } from '../../controller/index.ts'
import { parseTask, type TaskRecord } from '../../jobs/index.ts'
import { isOver, type PlayEffect, type PlayRecord, parsePlay, playStep } from '../../plays/index.ts'
import {
  type Entry,
  isStoreFailure,
  type Revision,
  type Store,
  type Transaction,
  unchanged,
  type Write,
} from '../../store/index.ts'
import type { Log } from '../host/log.ts'
import { isTaskNodeComing, isTaskNodeListed, taskNodeLife } from '../jobs/task-nodes.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import { DcRecords, type Stored } from '../records/dc-records.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import { allPlayPartsPrefix, keys, playKey, playPartsPrefix, playsPrefix, taskKey } from '../records/keys.ts'

export interface PlayKeeperPorts {
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
/** Of time limits, which no change of the store announces. */
const lookEveryMs = 5000
const keptPlayMs = 7 * 24 * 3_600_000
const mostKeptPlays = 50
/** Parts are written before their play: those that have none for so long are of one that never came. */
const partsWaitMs = 10 * 60_000

export class PlayKeeper {
  readonly #ports: PlayKeeperPorts
  readonly #records: DcRecords<PlayRecord>
  /** Parts without a play, by the id of it: since when this node knows of them. */
  readonly #lonely = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(ports: PlayKeeperPorts) {
    this.#ports = ports
    this.#records = new DcRecords({
      ...ports,
      prefix: playsPrefix,
      parse: parsePlay,
      notYet: 'a play could not go on yet',
      onMissed: () => this.look(),
      onFailed: () => this.#lookIn(retryMs),
    })
  }

  /** After every change of the store, and when this node becomes the DC or stops being it. */
  look(): void {
    clearTimeout(this.#timer)
    const term = this.#closed ? undefined : this.#ports.term()
    if (term === undefined) return
    const plays = this.#records.list()
    const open = plays.filter(({ value }) => !isOver(value))
    for (const known of open) this.#goOn(term, known)
    for (const known of old(plays, Date.now())) this.#delete(term, known)
    this.#sweepParts(term)
    if (open.length > 0 || this.#lonely.size > 0) this.#lookIn(lookEveryMs)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  #sweepParts(term: number): void {
    const { below, store, log } = this.#ports
    const plays = new Set(below(playsPrefix).map(({ key }) => key))
    const written = below(allPlayPartsPrefix).map(({ key }) => key.slice(allPlayPartsPrefix.length).split('/')[0] ?? '')
    const lonely = new Set(written.map(decodeURIComponent).filter((id) => !plays.has(playKey(id))))
    for (const id of this.#lonely.keys()) if (!lonely.has(id)) this.#lonely.delete(id)
    const now = Date.now()
    for (const id of lonely) {
      const since = this.#lonely.get(id)
      if (since !== undefined && now - since < partsWaitMs) continue
      this.#lonely.set(id, now)
      if (since === undefined) continue
      store()
        .transaction({
          compare: [
            { kind: 'create-revision', key: keys.dc, equals: term as Revision },
            { kind: 'absent', key: playKey(id) },
          ],
          writes: [{ kind: 'delete-prefix', prefix: playPartsPrefix(id) }],
        })
        .catch((error: unknown) => {
          if (!isStoreFailure(error)) throw error
          log.warn('parts without a play could not be deleted yet', { play: id, error })
        })
    }
  }

  #goOn(term: number, { entry, value: play }: Stored<PlayRecord>): void {
    const { entry: entryOf, view, file, log } = this.#ports
    const { state, effects } = playStep(
      play,
      {
        tasks: tasksOf(play, entryOf),
        life: (node) => taskNodeLife(view(), node),
        isComing: (node) => isTaskNodeComing(view(), node),
        isListed: (node) => isTaskNodeListed(file(), view(), node),
      },
      new Date().toISOString(),
    )
    if (effects.length === 0 && state === play) return
    const { compare, writes } = playTransaction(state, effects, entryOf)
    // Nothing of it is done again.
    const parts: readonly Write[] =
      state.state === 'done' ? [{ kind: 'delete-prefix', prefix: playPartsPrefix(play.id) }] : []
    const compares = [unchanged(entry.key, entry), ...compare]
    this.#records.write(term, entry, {
      compare: compares,
      writes: [...writes, ...parts],
      onWritten: () => {
        if (isOver(state))
          log.info('a play has ended', { play: state.id, name: state.name, user: state.user, state: state.state })
      },
    })
  }

  #delete(term: number, { entry, value: play }: Stored<PlayRecord>): void {
    this.#records.write(term, entry, {
      compare: [unchanged(entry.key, entry)],
      writes: [
        { kind: 'delete', key: entry.key },
        { kind: 'delete-prefix', prefix: playPartsPrefix(play.id) },
      ],
    })
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer)
    if (!this.#closed) this.#timer = setTimeout(() => this.look(), ms)
  }
}

function tasksOf(play: PlayRecord, entryOf: (key: string) => Entry | undefined): ReadonlyMap<string, TaskRecord> {
  const tasks = play.steps.flatMap(({ hosts }) =>
    hosts.flatMap(({ state, task }) => {
      // What has ended is in the record.
      const entry = state === 'started' && task !== undefined ? entryOf(taskKey(task)) : undefined
      const record = entry && parseTask(fromBytes(entry.value))
      return record === undefined ? [] : [[record.id, record] as const]
    }),
  )
  return new Map(tasks)
}

/** A step of a play as one transaction: the play and its tasks, or nothing. The record itself is compared by whoever knows it. */
export function playTransaction(
  play: PlayRecord,
  effects: readonly PlayEffect[],
  entryOf: (key: string) => Entry | undefined,
): Pick<Transaction, 'compare' | 'writes'> {
  const tasks = effects.map(({ task }) => [taskKey(task.id), task] as const)
  return {
    compare: tasks.map(([key]) => unchanged(key, entryOf(key))),
    writes: [
      { kind: 'put', key: playKey(play.id), value: toBytes(play) },
      ...tasks.map(([key, task]): Write => ({ kind: 'put', key, value: toBytes(task) })),
    ],
  }
}

function old(plays: readonly Stored<PlayRecord>[], now: number): readonly Stored<PlayRecord>[] {
  const endOf = ({ value }: Stored<PlayRecord>): number => Date.parse(value.ended ?? '') || 0
  const ended = plays.filter(({ value }) => isOver(value)).sort((a, b) => endOf(a) - endOf(b))
  return ended.filter((known, at) => at < ended.length - mostKeptPlays || now - endOf(known) > keptPlayMs)
}
