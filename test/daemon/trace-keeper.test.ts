/** When the DC has recoveries sent as traces: once each, when they are over, and again where the collector was away. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Sent, TraceKeeper } from '../../src/daemon/journal/trace-keeper.ts'
import { fromBytes } from '../../src/daemon/records/json-value.ts'
import { keys, tracesKey } from '../../src/daemon/records/keys.ts'
import { createStore, type Entry, type Store } from '../../src/store/index.ts'

let folder: string
let store: Store
let known: readonly Entry[]
let term: number | undefined
let collector: string
let troubleAt: number | undefined
let asked: string[]
let answer: Sent
let warnings: string[]
let keeper: TraceKeeper

const nothing: Sent = { last: undefined, count: 0, notOver: 0, failed: undefined }
const place = async (): Promise<unknown> => {
  const entry = await store.get(tracesKey)
  known = entry === undefined ? [] : [entry]
  return entry && fromBytes(entry.value)
}
/** Seconds. */
const look = async (at: number): Promise<void> => {
  await place()
  await keeper.look(at * 1000)
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'systole-traces-'))
  store = createStore({ kind: 'embedded', directory: folder })
  await store.transaction({ compare: [], writes: [{ kind: 'put', key: keys.dc, value: Buffer.from('{}') }] })
  term = (await store.get(keys.dc))?.createRevision
  known = []
  collector = 'http://collector:4318'
  troubleAt = undefined
  asked = []
  warnings = []
  answer = nothing
  const ignore = (): void => undefined
  keeper = new TraceKeeper({
    log: {
      debug: ignore,
      info: ignore,
      error: ignore,
      warn: (_, fields) => void warnings.push(JSON.stringify(fields)),
    },
    collector: () => collector,
    seen: () => known,
    store: () => store,
    term: () => term,
    troubleAt: () => troubleAt,
    revision: () => 40,
    send: async (to, after) => {
      asked.push(`${to} ${after}`)
      return await Promise.resolve(answer)
    },
  })
})
afterEach(async () => {
  keeper.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

test('what was over before the option was set is not sent; what begins then is, half a minute after the last sign', async () => {
  await look(100)
  expect(await place()).toEqual({ after: 40 })
  // Whoever has become the DC looks once: the one before may have left something.
  await look(101)
  await look(110)
  expect(asked).toEqual(['http://collector:4318 40'])
  troubleAt = 120_000
  await look(121)
  await look(150)
  expect(asked).toHaveLength(1)
  answer = { ...nothing, last: 47, count: 2 }
  await look(154)
  expect(asked).toEqual(['http://collector:4318 40', 'http://collector:4318 40'])
  expect(await place()).toEqual({ after: 47 })
  await look(300)
  expect(asked).toHaveLength(2)
  collector = ''
  await look(301)
  expect(await place()).toBeUndefined()
})

test('one that is not over is looked for again, and a collector that is away is asked less and less often, and named once', async () => {
  await look(1)
  answer = { ...nothing, notOver: 1 }
  await look(2)
  await look(3)
  expect(asked).toHaveLength(1)
  answer = { ...nothing, failed: 'It cannot be reached.' }
  for (let at = 17; at < 17 + 300; at += 5) await look(at)
  // After 15 s, then 30 s, 60 s and 120 s later.
  expect(asked).toHaveLength(5)
  expect(warnings).toEqual(['{"why":"It cannot be reached."}'])
})

test('a node that is not the DC sends nothing', async () => {
  term = undefined
  troubleAt = 1
  await look(100)
  await look(200)
  expect(asked).toEqual([])
  expect(await place()).toBeUndefined()
})
