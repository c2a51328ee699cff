import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { nodeName } from '../../../src/base/index.ts'
import { emptyView } from '../../../src/controller/index.ts'
import { openLog } from '../../../src/daemon/host/log.ts'
import { defaultPorts, defaultTimings } from '../../../src/daemon/node-list/cluster-file.ts'
import { PlayKeeper } from '../../../src/daemon/plays/play-keeper.ts'
import { fromBytes, toBytes } from '../../../src/daemon/records/json-value.ts'
import { keys, playKey, playPartKey, playsPrefix, taskKey, tasksPrefix } from '../../../src/daemon/records/keys.ts'
import type { StoreView } from '../../../src/daemon/records/store-view.ts'
import type { TaskRecord } from '../../../src/jobs/index.ts'
import { newPlay, type PlayRecord } from '../../../src/plays/index.ts'
import { EmbeddedStore } from '../../../src/store/index.ts'
import { openStoreView } from '../../support/open-store-view.ts'

/** What takes plays on, on a store of its own: what it writes, in whose term, and what it deletes. */
const n1 = nodeName('n1')
const patience = { timeout: 20_000, interval: 20 }
const day = 24 * 3_600_000
const log = openLog('n1', 'silent')
let folder: string
let store: EmbeddedStore
let view: StoreView
let keeper: PlayKeeper | undefined
let dc: number

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'systole-play-keeper-'))
  store = new EmbeddedStore({ directory: folder })
  view = await openStoreView(store, () => queueMicrotask(() => keeper?.look()))
  dc = (await put(keys.dc, { node: n1 })) as number
})

afterEach(async () => {
  vi.useRealTimers()
  keeper?.close()
  keeper = undefined
  view.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

async function put(key: string, value: unknown): Promise<number> {
  const { revision } = await store.transaction({ compare: [], writes: [{ kind: 'put', key, value: toBytes(value) }] })
  return revision
}

function begin(term: () => number | undefined = () => dc): PlayKeeper {
  keeper = new PlayKeeper({
    log,
    store: () => store,
    view: () =>
      ({
        ...emptyView,
        members: new Map([[n1, { node: n1, id: n1, state: 'member', incarnation: 1 }]]),
      }) as unknown as typeof emptyView,
    entry: view.get,
    below: view.below,
    file: () => ({
      clusterName: 'x',
      nodes: [{ name: n1, id: n1, address: n1, ports: defaultPorts, votes: true }],
      nodesVersion: 1,
      store: { kind: 'embedded' },
      timings: defaultTimings,
    }),
    term,
  })
  keeper.look()
  return keeper
}

const play = (id: string, more: Partial<PlayRecord> = {}): PlayRecord => ({
  ...newPlay({
    id,
    user: 'root',
    node: n1,
    name: 'site.yaml',
    created: new Date().toISOString(),
    steps: [{ id: 'a', requires: [], nodes: [n1], timeoutMs: 1000 }],
  }),
  ...more,
})
const putPlay = async (one: PlayRecord): Promise<void> => {
  await put(playPartKey(`${one.id}/0`), [])
  await put(playKey(one.id), one)
}
const keysBelow = async (prefix: string): Promise<readonly string[]> =>
  (await store.list(prefix)).entries.map(({ key }) => key)
const isThere = async (key: string): Promise<boolean> => (await store.get(key)) !== undefined
const stateOf = async (id: string): Promise<string | undefined> => {
  const entry = await store.get(playKey(id))
  return entry && (fromBytes(entry.value) as PlayRecord).state
}
async function end(exitCode: number): Promise<void> {
  await expect.poll(async () => (await keysBelow(tasksPrefix)).length, patience).toBe(1)
  const [key = ''] = await keysBelow(tasksPrefix)
  const task = fromBytes((await store.get(key))?.value ?? new Uint8Array()) as TaskRecord
  await put(taskKey(task.id), { ...task, state: 'done', exitCode, ended: new Date().toISOString() })
}

test('what a play was to do is deleted once it is done, and kept while it can be resumed', async () => {
  begin()
  await putPlay(play('p1'))
  await end(1)
  await expect.poll(async () => await stateOf('p1'), patience).toBe('halted')
  expect(await isThere(playPartKey('p1/0'))).toBe(true)
  await store.transaction({ compare: [], writes: [{ kind: 'delete-prefix', prefix: tasksPrefix }] })
  await putPlay(play('p2'))
  await end(0)
  await expect.poll(async () => await stateOf('p2'), patience).toBe('done')
  expect(await isThere(playPartKey('p2/0'))).toBe(false)
  expect(await isThere(playPartKey('p1/0'))).toBe(true)
})

test('parts that stay without a play for ten minutes are deleted, and no others', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await put(playPartKey('p1/0'), [])
  await put(playPartKey('p1/1'), [])
  await putPlay(play('p2', { state: 'halted', ended: new Date().toISOString() }))
  await expect.poll(() => view.get(playKey('p2')), patience).toBeDefined()
  const keeperNow = begin()
  vi.setSystemTime(Date.now() + 9 * 60_000)
  keeperNow.look()
  // What it would have written stands before what comes now.
  await put('/systole/other', 1)
  expect(await isThere(playPartKey('p1/0'))).toBe(true)
  vi.setSystemTime(Date.now() + 2 * 60_000)
  keeperNow.look()
  await expect.poll(async () => await isThere(playPartKey('p1/0')), patience).toBe(false)
  expect(await isThere(playPartKey('p1/1'))).toBe(false)
  expect(await isThere(playPartKey('p2/0'))).toBe(true)
})

test('plays are kept for seven days, and fifty of them', async () => {
  const ended = (ms: number): Partial<PlayRecord> => ({ state: 'done', ended: new Date(Date.now() - ms).toISOString() })
  await putPlay(play('old', ended(7 * day + 60_000)))
  await putPlay(play('young', ended(7 * day - 60_000)))
  await expect.poll(() => view.get(playKey('young')), patience).toBeDefined()
  begin()
  await expect.poll(async () => await keysBelow(playsPrefix), patience).toEqual([playKey('young')])
  for (let at = 0; at < 50; at++) await put(playKey(`p${at}`), play(`p${at}`, ended(1000 * at)))
  await expect.poll(async () => await isThere(playKey('young')), patience).toBe(false)
  expect(await isThere(playPartKey('young/0'))).toBe(false)
  expect(await keysBelow(playsPrefix)).toHaveLength(50)
})

test('a node that is not the DC any more writes nothing', async () => {
  await putPlay(play('p1'))
  await expect.poll(() => view.get(playKey('p1')), patience).toBeDefined()
  begin(() => undefined)
  keeper?.close()
  const before = await store.get(playKey('p1'))
  // Another has become it, which this one has not heard of.
  const term = dc
  await store.transaction({ compare: [], writes: [{ kind: 'delete', key: keys.dc }] })
  await put(keys.dc, { node: 'n2' })
  begin(() => term)
  await put('/systole/other', 1)
  expect(await store.get(playKey('p1'))).toEqual(before)
  expect(await keysBelow(tasksPrefix)).toEqual([])
})
