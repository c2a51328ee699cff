/** The records of rollouts in the store, and the one transaction that writes a step. */
import type { NodeName } from '../../base/index.ts'
import type { HoldRecord } from '../../holds/index.ts'
import { parseTask, type TaskRecord } from '../../jobs/index.ts'
import type { JournalLine, NodeVersionRecord, RolloutEffect, RolloutRecord, TaskSeen } from '../../rollout/index.ts'
import { isRolloutRecord, withTransition } from '../../rollout/index.ts'
import { type Comparison, type Entry, unchanged, type Write } from '../../store/index.ts'
import { fromBytes, toBytes } from '../records/json-value.ts'
import {
  keys,
  nodeListKey,
  nodeVersionKey,
  rolloutJournalKey,
  rolloutKey,
  rolloutsPrefix,
  taskKey,
} from '../records/keys.ts'

export interface StoredRollout {
  readonly entry: Entry
  readonly record: RolloutRecord
}

export type Below = (prefix: string) => readonly Entry[]

/** Those of a newer version are left alone. */
export const storedRollouts = (below: Below): readonly StoredRollout[] => rolloutsIn(below(rolloutsPrefix))

export const rolloutsIn = (entries: readonly Entry[]): readonly StoredRollout[] =>
  entries.flatMap((entry) => {
    const record = fromBytes(entry.value)
    return isRolloutRecord(record) ? [{ entry, record }] : []
  })

export interface StepWritten {
  readonly compare: readonly Comparison[]
  readonly writes: readonly Write[]
}

export interface Written {
  readonly before: Entry | undefined
  readonly record: RolloutRecord
  readonly effects: readonly RolloutEffect[]
  readonly below: Below
  /** ISO 8601. */
  readonly now: string
}

/** Everything of a step, by what this node has seen of the records that it changes. */
export function writesOfStep({ before, record, effects, below, now }: Written): StepWritten {
  const key = rolloutKey(record.id)
  const compare = new Map<string, Comparison>([[key, unchanged(key, before)]])
  const writes = new Map<string, Write>([[key, put(key, record)]])
  const entryOf = (at: string): Entry | undefined => below(at).find((entry) => entry.key === at)
  const versions = new Map<string, NodeVersionRecord>()
  for (const effect of effects) {
    switch (effect.kind) {
      case 'put-hold': {
        const hold = holdOf(record, effect.node, now)
        writes.set(keys.hold(hold.id), put(keys.hold(hold.id), hold))
        break
      }
      case 'delete-hold': {
        const at = keys.hold(holdId(record, effect.node))
        writes.set(at, { kind: 'delete', key: at })
        break
      }
      case 'put-task': {
        const at = taskKey(effect.id)
        compare.set(at, unchanged(at, undefined))
        writes.set(at, put(at, taskOf(record, effect)))
        break
      }
      case 'cancel-task': {
        const at = taskKey(effect.id)
        const entry = entryOf(at)
        const task = entry && parseTask(fromBytes(entry.value))
        if (entry === undefined || task === undefined || task.cancel) break
        compare.set(at, unchanged(at, entry))
        writes.set(at, put(at, { ...task, cancel: true }))
        break
      }
      case 'version': {
        const at = nodeVersionKey(effect.node)
        const entry = entryOf(at)
        const known = versions.get(at) ?? versionIn(entry)
        const { node, version, tail } = effect
        const transition = { version, by: record.id, at: now, ...(tail !== undefined && { tail }) }
        versions.set(at, withTransition(node, known, transition))
        // What the node reports meanwhile, or that it was removed, is seen before anything is written over it.
        compare.set(at, unchanged(at, entry))
        compare.set(nodeListKey, unchanged(nodeListKey, entryOf(nodeListKey)))
        break
      }
      case 'journal': {
        const at = rolloutJournalKey(record.id, effect.line)
        const { node, text } = effect
        writes.set(at, put(at, { at: now, text, ...(node !== undefined && { node }) } satisfies JournalLine))
        break
      }
    }
  }
  for (const [at, version] of versions) writes.set(at, put(at, version))
  return { compare: [...compare.values()], writes: [...writes.values()] }
}

const put = (key: string, value: unknown): Write => ({ kind: 'put', key, value: toBytes(value) })

/** It stands in ids of the CIB, where not every name of a node may. */
const holdId = ({ id, nodes }: RolloutRecord, node: NodeName): string =>
  `${id}-${nodes.findIndex((one) => one.node === node) + 1}`

function holdOf(record: RolloutRecord, node: NodeName, since: string): HoldRecord {
  const { id, definition, user, from } = record
  const kind = definition.hold === 'none' ? 'drain' : definition.hold
  const owner = { kind: 'rollout', name: id, user, node: from } as const
  return { id: holdId(record, node), kind, node, owner, reason: `${definition.name} ${definition.version}`, since }
}

function taskOf(
  { id, user }: RolloutRecord,
  { id: task, node, argv, env, timeoutMs }: Extract<RolloutEffect, { readonly kind: 'put-task' }>,
): TaskRecord {
  const owner = { kind: 'rollout', name: id, user } as const
  return { id: task, node, argv, env, timeoutMs, owner, state: 'ready' }
}

export function versionIn(entry: Entry | undefined): NodeVersionRecord | undefined {
  const value = entry && fromBytes(entry.value)
  return typeof value === 'object' && value !== null && 'state' in value && 'log' in value
    ? (value as NodeVersionRecord)
    : undefined
}

export function taskSeen({ state, started, exitCode, signal, timedOut, reason, tail }: TaskRecord): TaskSeen {
  const how = timedOut === true ? 'its time limit' : signal
  const text = [tail, reason].filter((one) => one !== undefined && one !== '').join('\n')
  return {
    state,
    began: started !== undefined,
    ...(exitCode !== undefined && timedOut !== true && { exitCode }),
    ...(how !== undefined && { signal: how }),
    ...(text !== '' && { tail: text }),
  }
}
