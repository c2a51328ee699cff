import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { emptyView } from '../../src/controller/index.ts'
import { openLog } from '../../src/daemon/host/log.ts'
import { type ClusterFile, defaultPorts, defaultTimings } from '../../src/daemon/node-list/cluster-file.ts'
import { fromBytes, toBytes } from '../../src/daemon/records/json-value.ts'
import {
  keys,
  nodeVersionKey,
  rolloutJournalKey,
  rolloutKey,
  rolloutsPrefix,
  taskKey,
} from '../../src/daemon/records/keys.ts'
import { forgetRecords } from '../../src/daemon/removal/forget-node.ts'
import { knownRolloutsFile, RolloutCopy } from '../../src/daemon/rollout/known-rollouts.ts'
import { removedOf } from '../../src/daemon/rollout/rollout-input.ts'
import { rolloutsIn, taskSeen, writesOfStep } from '../../src/daemon/rollout/rollout-records.ts'
import { parseHold } from '../../src/holds/index.ts'
import { parseTask, type TaskRecord } from '../../src/jobs/index.ts'
import {
  newRecord,
  type RolloutEffect,
  type RolloutRecord,
  type RolloutsKnown,
  readRollout,
} from '../../src/rollout/index.ts'
import { EmbeddedStore, type Entry } from '../../src/store/index.ts'
import { memberRecord } from '../support/stores.ts'

const n1 = nodeName('n1')
const now = '2026-11-23T19:00:00.000Z'
let folder: string
let store: EmbeddedStore

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-rollout-records-'))
  store = new EmbeddedStore({ directory: folder })
})

afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

function rollout(): RolloutRecord {
  const read = readRollout({ rollout: 'shop', version: '2', nodes: 'all', steps: { actions: [{ run: ['install'] }] } })
  if (!read.ok) throw new Error('the file is right')
  const waves = [{ nodes: [n1] }]
  const given = { id: 'r1', definition: read.value, waves, limits: [], user: 'anna', from: n1, before: new Map() }
  return newRecord(given, 0)
}

const task: RolloutEffect = { kind: 'put-task', id: 'r1-1-1', node: n1, argv: ['install'], env: {}, timeoutMs: 5000 }
const effects: readonly RolloutEffect[] = [
  { kind: 'put-hold', node: n1 },
  task,
  { kind: 'version', node: n1, version: { version: '2', state: 'configured' } },
  { kind: 'version', node: n1, version: { version: '2', state: 'failed' }, tail: 'no space' },
  { kind: 'journal', line: 0, node: n1, text: 'begins' },
]

const entries = async (): Promise<ReadonlyMap<string, Entry>> =>
  new Map((await store.list('/systole/')).entries.map((entry) => [entry.key, entry]))

async function write(before: Entry | undefined, done: readonly RolloutEffect[]): Promise<boolean> {
  const known = [...(await entries()).values()]
  const below = (prefix: string): readonly Entry[] => known.filter(({ key }) => key.startsWith(prefix))
  return (await store.transaction(writesOfStep({ before, record: rollout(), effects: done, below, now }))).applied
}

test('a step is written as a whole: its hold, its task, the version of the node and the journal', async () => {
  expect(await write(undefined, effects)).toBe(true)
  const stored = await entries()
  const value = (key: string): unknown => {
    const entry = stored.get(key)
    return entry && fromBytes(entry.value)
  }
  expect(rolloutsIn([...stored.values()].filter(({ key }) => key === rolloutKey('r1')))).toHaveLength(1)
  expect(parseHold(value(keys.hold('r1-1')))).toMatchObject({
    kind: 'drain',
    node: 'n1',
    owner: { kind: 'rollout', name: 'r1', user: 'anna', node: 'n1' },
    reason: 'shop 2',
  })
  expect(parseTask(value(taskKey('r1-1-1')))).toMatchObject({ state: 'ready', owner: { kind: 'rollout', name: 'r1' } })
  expect(value(nodeVersionKey('n1'))).toMatchObject({
    version: '2',
    state: 'failed',
    log: [{ state: 'configured' }, { state: 'failed', tail: 'no space', rollout: 'r1' }],
  })
  expect(value(rolloutJournalKey('r1', 0))).toEqual({ at: now, node: 'n1', text: 'begins' })
})

test('a step that was made from an older record, or makes a task that is there already, writes nothing', async () => {
  expect(await write(undefined, effects)).toBe(true)
  expect(await write(undefined, [])).toBe(false)
  const first = (await entries()).get(rolloutKey('r1'))
  expect(await write(first, [{ kind: 'delete-hold', node: n1 }, task])).toBe(false)
  expect((await entries()).has(keys.hold('r1-1'))).toBe(true)
  expect(await write(first, [{ kind: 'delete-hold', node: n1 }])).toBe(true)
  expect((await entries()).has(keys.hold('r1-1'))).toBe(false)
  expect(await write(first, [])).toBe(false)
})

test('a task is cancelled by what is known of it: one that its node has claimed meanwhile is looked at again', async () => {
  await write(undefined, effects)
  const before = await entries()
  const record = before.get(taskKey('r1-1-1'))
  const ready = parseTask(record && fromBytes(record.value)) as TaskRecord
  await store.transaction({
    compare: [],
    writes: [{ kind: 'put', key: taskKey('r1-1-1'), value: toBytes({ ...ready, state: 'running', started: now }) }],
  })
  const cancelled = writesOfStep({
    before: before.get(rolloutKey('r1')),
    record: rollout(),
    effects: [{ kind: 'cancel-task', id: 'r1-1-1' }],
    below: (prefix) => [...before.values()].filter(({ key }) => key.startsWith(prefix)),
    now,
  })
  expect((await store.transaction(cancelled)).applied).toBe(false)
  expect(await write(before.get(rolloutKey('r1')), [{ kind: 'cancel-task', id: 'r1-1-1' }])).toBe(true)
  const after = (await entries()).get(taskKey('r1-1-1'))
  expect(parseTask(after && fromBytes(after.value))).toMatchObject({ state: 'running', cancel: true })
})

async function stored(values: ReadonlyMap<string, unknown>): Promise<readonly Entry[]> {
  const writes = [...values].map(
    ([id, value]) => ({ kind: 'put', key: rolloutKey(id), value: toBytes(value) }) as const,
  )
  await store.transaction({ compare: [], writes })
  return (await store.list(rolloutsPrefix)).entries
}

test('records of a newer version are left alone', async () => {
  expect(rolloutsIn(await stored(new Map([['r1', rollout()]])))).toHaveLength(1)
  for (const value of [
    { ...rollout(), state: 'sleeping' },
    { ...rollout(), nodes: [{ phase: 'dancing' }] },
    null,
    'r1',
  ])
    expect(rolloutsIn(await stored(new Map([['r1', value]])))).toEqual([])
})

test('a task that ran out of time has no exit code that could mean ok', () => {
  const ended: TaskRecord = {
    id: 'r1-1-1',
    node: n1,
    argv: ['install'],
    timeoutMs: 5000,
    owner: { kind: 'rollout', name: 'r1', user: 'anna' },
    state: 'done',
    started: now,
    exitCode: 0,
    timedOut: true,
    tail: 'so far',
  }
  expect(taskSeen(ended)).toEqual({ state: 'done', began: true, signal: 'its time limit', tail: 'so far' })
})

test('the recorded version of a node that is removed goes: one that is added under its name may be another machine', async () => {
  expect(await write(undefined, effects)).toBe(true)
  expect((await entries()).has(nodeVersionKey('n1'))).toBe(true)
  await forgetRecords(store, n1)
  expect((await entries()).has(nodeVersionKey('n1'))).toBe(false)
})

test('a node is removed that neither the list of nodes nor the members name; one that is away is not', () => {
  const nodes = [nodeName('n1'), nodeName('n2'), nodeName('n3')]
  const [first] = rollout().nodes
  if (first === undefined) throw new Error('it has nodes')
  const limits = [{ label: 'all nodes', maxUnavailable: 1, nodes: [...nodes, nodeName('n4')] }]
  const record = { ...rollout(), nodes: nodes.map((node) => ({ ...first, node })), limits }
  const listed = { id: '1', address: '10.0.0.1', ports: defaultPorts, votes: true }
  const file: ClusterFile = {
    clusterName: 'x',
    nodes: [
      { ...listed, name: n1 },
      { ...listed, name: nodeName('n3'), leaving: true },
    ],
    nodesVersion: 1,
    store: { kind: 'embedded' },
    timings: defaultTimings,
  }
  const view = { ...emptyView, members: new Map([[nodeName('n2'), memberRecord(nodeName('n2'))]]) }
  expect([...removedOf({ view, file }, record)]).toEqual(['n3', 'n4'])
})

test('the copy of a node lists the newest rollout first, also the tenth', async () => {
  const entries = await stored(
    new Map(['r1', 'r10', 'r9'].map((id) => [id, { ...rollout(), id, since: Number(id.slice(1)) }])),
  )
  const below = (prefix: string): readonly Entry[] => entries.filter(({ key }) => key.startsWith(prefix))
  const copy = new RolloutCopy({ self: n1, below, log: openLog('n1', 'silent'), data: folder })
  copy.look()
  copy.close()
  const { rollouts } = JSON.parse(readFileSync(knownRolloutsFile(folder), 'utf8')) as RolloutsKnown
  expect(rollouts.map(({ id }) => id)).toEqual(['r10', 'r9', 'r1'])
})
