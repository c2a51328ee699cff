import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { element, readConfiguration } from '../../src/cib/index.ts'
import { type ClusterView, emptyView } from '../../src/controller/index.ts'
import { listConfigVersions, pushConfig, readConfigVersion } from '../../src/daemon/configuration/config-history.ts'
import { readConfigurationToPush, saveConfiguration } from '../../src/daemon/configuration/configuration-edit.ts'
import { openStoreView, type StoreChange } from '../../src/daemon/records/store-view.ts'
import { EmbeddedStore } from '../../src/store/index.ts'

let folder: string
let store: EmbeddedStore
const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-daemon-'))
  store = new EmbeddedStore({ directory: folder })
})

afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const change = (xml: string, expectedVersion: number) => ({
  xml,
  expectedVersion,
  node: 'alpha',
  user: 'root',
  command: `push ${xml}`,
})

test('every version of the configuration stays readable, with who made it', async () => {
  expect(await pushConfig(store, change('<a/>', 0))).toEqual({ kind: 'saved', version: 1 })
  expect(await pushConfig(store, change('<b/>', 1))).toEqual({ kind: 'saved', version: 2 })
  expect((await listConfigVersions(store)).map(({ version, command }) => [version, command])).toEqual([
    [1, 'push <a/>'],
    [2, 'push <b/>'],
  ])
  expect(await readConfigVersion(store, 1)).toMatchObject({ xml: '<a/>', user: 'root', node: 'alpha' })
  expect(await readConfigVersion(store, 3)).toBeUndefined()
})

test('of two edits at the same time one is told of the other, and nothing of it is lost', async () => {
  await pushConfig(store, change('<a/>', 0))
  const outcomes = await Promise.all(['<b/>', '<c/>', '<d/>'].map((xml) => pushConfig(store, change(xml, 1))))
  expect(outcomes.filter(({ kind }) => kind === 'saved')).toHaveLength(1)
  expect(outcomes.filter(({ kind }) => kind === 'conflict')).toHaveLength(2)
  expect(await listConfigVersions(store)).toHaveLength(2)
})

test('an edit of an old version changes nothing', async () => {
  await pushConfig(store, change('<a/>', 0))
  await pushConfig(store, change('<b/>', 1))
  expect(await pushConfig(store, change('<c/>', 1))).toEqual({ kind: 'conflict', version: 2 })
})

test('a conflict is told once this node has seen the other change', async () => {
  await pushConfig(store, change('<a/>', 0))
  await pushConfig(store, change('<b/>', 1))
  const cib = element('cib')
  const seen = (version: number): ClusterView => ({
    ...emptyView,
    configuration: { version, cib, typed: readConfiguration(cib) },
  })
  const listeners = new Set<() => void>()
  const node = {
    name: nodeName('alpha'),
    quorate: true,
    store,
    view: seen(1),
    onState: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  let told = false
  const answer = saveConfiguration(node, change('<c/>', 1)).finally(() => {
    told = true
  })
  await expect.poll(() => listeners.size).toBe(1)
  expect(told).toBe(false)
  node.view = seen(2)
  for (const listener of listeners) listener()
  expect(await answer).toEqual({ kind: 'conflict', version: 2 })
})

test('what is no CIB is refused before it reaches the store', () => {
  expect(() => readConfigurationToPush('<cib><configuration></cib>')).toThrow(/Line 1, column/)
  expect(() => readConfigurationToPush('<html/>')).toThrow(/no CIB/)
  expect(readConfigurationToPush('<cib><configuration/><status><node_state id="1"/></status></cib>')).not.toContain(
    'status',
  )
})

test('the view of the store follows it, and leaves old configurations out', async () => {
  await pushConfig(store, change('<a/>', 0))
  const seen: StoreChange[] = []
  const view = await openStoreView(store, log, (changes) => seen.push(...changes))
  await store.transaction({
    compare: [],
    writes: [{ kind: 'put', key: '/systole/members/alpha', value: Buffer.from('{}') }],
  })
  await expect.poll(() => view.get('/systole/members/alpha')).toBeDefined()
  await store.transaction({ compare: [], writes: [{ kind: 'delete', key: '/systole/members/alpha' }] })
  await expect.poll(() => view.get('/systole/members/alpha')).toBeUndefined()
  expect(seen.map(({ key, entry }) => `${entry ? 'put' : 'delete'} ${key}`)).toEqual([
    'put /systole/config/current',
    'put /systole/members/alpha',
    'delete /systole/members/alpha',
  ])
  view.close()
})
