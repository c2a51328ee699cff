/** What the DC writes of attributes whose dampening is over, beside others who write at the same moment. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { type ClusterView, emptyView, observe } from '../../src/controller/index.ts'
import { DampenedAttributes } from '../../src/daemon/attributes/dampened-attributes.ts'
import { openLog } from '../../src/daemon/host/log.ts'
import { observationOf } from '../../src/daemon/node/observations.ts'
import { fromBytes, toBytes } from '../../src/daemon/records/json-value.ts'
import { keys } from '../../src/daemon/records/keys.ts'
import type { StoreChange, StoreView } from '../../src/daemon/records/store-view.ts'
import { EmbeddedStore, type Entry } from '../../src/store/index.ts'
import { openStoreView } from '../support/open-store-view.ts'

const n1 = nodeName('n1')
const log = openLog('n1', 'silent')
const withheld = keys.withheld(n1, 'status', 'load')
const written = keys.attribute(n1, 'status', 'load')
let folder: string
let store: EmbeddedStore
let known: StoreView
let view: ClusterView
/** While it is set, this node knows that record as it is, and its view stays as well. */
let lagging: Entry | undefined
let dampened: DampenedAttributes

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'systole-dampened-'))
  store = new EmbeddedStore({ directory: folder })
  view = emptyView
  lagging = undefined
  const take = (changes: readonly StoreChange[], revision: number): void => {
    if (lagging === undefined) view = observe(view, changes.map(observationOf), revision).view
  }
  known = await openStoreView(store, take)
})

afterEach(async () => {
  dampened.close()
  known.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

async function put(key: string, value: unknown): Promise<number> {
  return (await store.transaction({ compare: [], writes: [{ kind: 'put', key, value: toBytes(value) }] })).revision
}

const valueIn = async (key: string): Promise<unknown> => {
  const entry = await store.get(key)
  return entry && (fromBytes(entry.value) as { readonly value: string }).value
}

const change = (value: string) => ({ node: n1, set: 'status', name: 'load', value })

/** The DC, in that term where one is given, which has an attribute whose dampening of 200 ms runs. */
async function dc(term?: number): Promise<number> {
  const own = await put(keys.dc, { node: n1 })
  const entry = (key: string): Entry | undefined => (key === lagging?.key ? lagging : known.get(key))
  dampened = new DampenedAttributes({ log, store: () => store, view: () => view, entry, term: () => term ?? own })
  await put(keys.attributeTraits('load'), { delayMs: 200, isPrivate: false })
  await put(withheld, change('1'))
  await vi.waitFor(() => expect(view.withheld.size).toBe(1))
  dampened.look()
  return own
}

/** Until it has tried to write. */
async function tried(): Promise<void> {
  const asked = vi.spyOn(store, 'transaction')
  await vi.waitFor(() => expect(asked).toHaveBeenCalled(), { timeout: 5000, interval: 10 })
  await Promise.allSettled(asked.mock.results.map(async ({ value }) => await value))
  asked.mockRestore()
}

test('writes what was quiet for long enough', async () => {
  await dc()
  await tried()
  expect(await valueIn(written)).toBe('1')
})

test('writes nothing over a change that this node has not seen yet', async () => {
  await dc()
  lagging = known.get(withheld)
  await put(withheld, change('2'))
  await tried()
  expect(await valueIn(written)).toBeUndefined()
  expect(await valueIn(withheld)).toBe('2')
})

test('writes nothing in the term of an earlier DC', async () => {
  await dc(1_000_000)
  await tried()
  expect(await valueIn(written)).toBeUndefined()
})
