import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { monotonicMs, nodeName } from '../../src/base/index.ts'
import { element, parseXml, readConfiguration } from '../../src/cib/index.ts'
import { type ClusterView, emptyView } from '../../src/controller/index.ts'
import { AttributeChanges } from '../../src/daemon/attributes/attribute-changes.ts'
import { appliedWrite, readApplied } from '../../src/daemon/configuration/applied.ts'
import {
  forgottenBelow,
  listConfigVersions,
  type MadeVersion,
  pushConfig,
  readConfigVersion,
  trimHistory,
} from '../../src/daemon/configuration/config-history.ts'
import {
  readConfigurationInPieces,
  readConfigurationToPush,
  saveConfiguration,
} from '../../src/daemon/configuration/configuration-edit.ts'
import { historyBounds } from '../../src/daemon/configuration/history-bounds.ts'
import { typedConfiguration } from '../../src/daemon/configuration/typed-configuration.ts'
import { monotonicNow } from '../../src/daemon/host/clock.ts'
import { configVersionKey } from '../../src/daemon/records/keys.ts'
import type { StoreChange } from '../../src/daemon/records/store-view.ts'
import { EmbeddedStore } from '../../src/store/index.ts'
import { openStoreView } from '../support/open-store-view.ts'

let folder: string
let store: EmbeddedStore

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

test('a change that is asked for again was saved by whoever has its id and its user, and by nobody else', async () => {
  await pushConfig(store, change('<a/>', 0))
  const mine = { ...change('<b/>', 1), user: 'alice', changeId: 'c1' }
  expect(await pushConfig(store, mine)).toEqual({ kind: 'saved', version: 2 })
  await pushConfig(store, change('<c/>', 2))
  expect(await pushConfig(store, mine)).toEqual({ kind: 'saved', version: 2 })
  expect(await pushConfig(store, { ...mine, user: 'bob' })).toEqual({ kind: 'conflict', version: 3 })
  expect(await pushConfig(store, { ...mine, changeId: 'c2' })).toEqual({ kind: 'conflict', version: 3 })
  expect(await listConfigVersions(store)).toHaveLength(3)
})

test('the epoch follows that of the document, so that another copy which was edited as often is older than what runs', async () => {
  const epochAfter = async (expectedVersion: number, epochs?: { adminEpoch: number; epoch: number }) => {
    await pushConfig(store, { ...change('<a/>', expectedVersion), ...(epochs && { epochs }) })
    return (await readConfigVersion(store, expectedVersion + 1))?.epochs
  }
  expect(await epochAfter(0)).toEqual({ adminEpoch: 0, epoch: 1 })
  expect(await epochAfter(1, { adminEpoch: 0, epoch: 4 })).toEqual({ adminEpoch: 0, epoch: 5 })
  expect(await epochAfter(2, { adminEpoch: 0, epoch: 2 })).toEqual({ adminEpoch: 0, epoch: 6 })
  expect(await epochAfter(3, { adminEpoch: 1, epoch: 0 })).toEqual({ adminEpoch: 1, epoch: 1 })
  expect(await epochAfter(4, { adminEpoch: 0, epoch: 90 })).toEqual({ adminEpoch: 1, epoch: 2 })
})

test('a configuration shows its epoch; of a record without one, by an older version, it is the version', () => {
  const shown = (more: object) => typedConfiguration({ version: 7, xml: '<cib epoch="3"/>', ...more }).cib.attributes
  expect(shown({})).toMatchObject({ admin_epoch: '0', epoch: '7' })
  expect(shown({ epochs: { adminEpoch: 2, epoch: 9 } })).toMatchObject({ admin_epoch: '2', epoch: '9' })
})

test('what is no epoch does not count', () => {
  const epochs = (attributes: string) => readConfigurationToPush(`<cib ${attributes}><configuration/></cib>`).epochs
  expect(epochs('epoch="12" admin_epoch="1"')).toEqual({ adminEpoch: 1, epoch: 12 })
  expect(epochs('epoch="12"')).toEqual({ adminEpoch: 0, epoch: 12 })
  for (const wrong of ['', 'epoch="x"', 'epoch="-1"', 'epoch="1.5"', 'epoch="1073741825"', 'epoch="99999999999"'])
    expect(epochs(wrong)).toBeUndefined()
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
    quorateUntil: monotonicMs(0),
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

test('a configuration that arrives in a moment without quorum is saved when the moment is over', async () => {
  const listeners = new Set<() => void>()
  const node = {
    name: nodeName('alpha'),
    quorate: false,
    quorateUntil: monotonicNow(),
    store,
    view: emptyView,
    onState: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const answer = saveConfiguration(node, change('<a/>', 0))
  node.quorate = true
  for (const listener of listeners) listener()
  expect((await answer).kind).toBe('saved')
  const without = { ...node, quorate: false, quorateUntil: monotonicMs(Number.NEGATIVE_INFINITY) }
  await expect(saveConfiguration(without, change('<b/>', 1))).rejects.toThrow(/no quorum/)
})

test('what is no CIB is refused before it reaches the store', () => {
  expect(() => readConfigurationToPush('<cib><configuration></cib>')).toThrow(/Line 1, column/)
  expect(() => readConfigurationToPush('<html/>')).toThrow(/not a CIB/)
  expect(readConfigurationToPush('<cib><configuration/><status><node_state id="1"/></status></cib>').xml).not.toContain(
    'status',
  )
})

test('the view of the store follows it, and leaves old configurations out', async () => {
  await pushConfig(store, change('<a/>', 0))
  const seen: StoreChange[] = []
  const view = await openStoreView(store, (changes) => seen.push(...changes))
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

test('the history keeps as many versions as it may, also where it had more before', async () => {
  for (let version = 0; version < 14; version++) await pushConfig(store, change(`<a${version}/>`, version))
  await pushConfig(store, { ...change('<last/>', 14), versionsKept: 3 })
  expect((await listConfigVersions(store)).map(({ version }) => version)).toEqual([13, 14, 15])
  expect(await readConfigVersion(store, 12)).toBeUndefined()
})

test('versions that are too old or too many bytes go, and the current one stays whatever it is', async () => {
  for (let version = 0; version < 5; version++) await pushConfig(store, change(`<a${version}/>`, version))
  const left = async (): Promise<readonly number[]> => (await listConfigVersions(store)).map(({ version }) => version)
  await trimHistory(store, { versions: 1000, ageMs: 3_600_000 }, Date.now())
  expect(await left()).toEqual([1, 2, 3, 4, 5])
  const size = (await store.get(configVersionKey(5)))?.value.length ?? 0
  await trimHistory(store, { versions: 1000, bytes: 3 * size + 5 }, Date.now())
  expect(await left()).toEqual([3, 4, 5])
  await trimHistory(store, { versions: 1000, ageMs: 3_600_000 }, Date.now() + 7_200_000)
  expect(await left()).toEqual([5])
})

test('how much of the history is kept is said by cluster options', () => {
  const bounds = (pairs: string) => {
    const parsed = parseXml(
      `<cib><configuration><crm_config><cluster_property_set id="cib-bootstrap-options">${pairs}</cluster_property_set></crm_config></configuration></cib>`,
    )
    return historyBounds(parsed.ok ? readConfiguration(parsed.value) : undefined)
  }
  const pair = (name: string, value: string) => `<nvpair id="${name}" name="${name}" value="${value}"/>`
  expect(bounds('')).toEqual({ versions: 1000, bytes: 128 * 1024 * 1024 })
  expect(
    bounds(
      pair('config-history-max', '5') + pair('config-history-max-age', '720h') + pair('config-history-max-size', '0'),
    ),
  ).toEqual({ versions: 5, ageMs: 30 * 86_400_000 })
})

test('all versions below one are named by few beginnings of keys', () => {
  const names = forgottenBelow(1023).map((write) =>
    write.kind === 'delete-prefix' ? write.prefix : write.kind === 'delete' ? write.key : '',
  )
  const forgotten = (version: number) => names.some((name) => configVersionKey(version).startsWith(name))
  expect(
    Array.from({ length: 3000 }, (_, version) => version).filter((version) => version > 0 && forgotten(version)).length,
  ).toBe(1022)
  expect(forgotten(1022) && !forgotten(1023) && !forgotten(1024) && !forgotten(2000)).toBe(true)
  expect(names.length).toBeLessThan(100)
})

test('what stands before a document is read without it, whatever it says', async () => {
  await pushConfig(store, {
    ...change('<a/>', 0),
    command: 'x ,"xml":" \\ y',
    xml: `<a v="${'z'.repeat(3_000_000)}"/>`,
  })
  expect((await listConfigVersions(store)).map(({ command }) => command)).toEqual(['x ,"xml":" \\ y'])
})

test('a value and a configuration that are too large are refused before anything is stored', () => {
  const cib = (value: string) =>
    `<cib><configuration><crm_config><cluster_property_set id="s"><nvpair id="n" name="x" value="${value}"/></cluster_property_set></crm_config></configuration></cib>`
  expect(() => readConfigurationToPush(cib('a'.repeat(65_537)))).toThrow(
    "The attribute 'value' of /configuration/crm_config/cluster_property_set[@id='s']/nvpair[@id='n'] has 65537 bytes. The limit is 65536.",
  )
  expect(readConfigurationToPush(cib('a'.repeat(65_536))).xml).toContain('aaa')
  expect(() => readConfigurationToPush(cib('a'.repeat(8 * 1024 * 1024)))).toThrow('The limit is 8388608.')
})

test('parameters that no agent could be given together are refused, by their sum and by their number', () => {
  const cib = (pairs: number, bytes: number) => {
    const nvpairs = Array.from(
      { length: pairs },
      (_, i) => `<nvpair id="n${i}" name="p${i}" value="${'a'.repeat(bytes)}"/>`,
    )
    return `<cib><configuration><resources><primitive id="web" class="ocf" provider="pacemaker" type="Dummy"><instance_attributes id="s">${nvpairs.join('')}</instance_attributes></primitive></resources></configuration></cib>`
  }
  for (const [pairs, bytes] of [
    [17, 65_000],
    [40_000, 1],
  ] as const)
    expect(() => readConfigurationToPush(cib(pairs, bytes))).toThrow(
      /^The parameters of \/configuration\/resources\/primitive\[@id='web'\] have \d+ bytes in total\. The limit for an agent is 1048576\.$/,
    )
  for (const [pairs, bytes] of [
    [15, 65_000],
    [20_000, 1],
  ] as const)
    expect(readConfigurationToPush(cib(pairs, bytes)).xml).toContain('p14')
})

test('an attribute that is too long or that XML cannot hold is not set', async () => {
  const changes = new AttributeChanges({ store: () => store, view: () => emptyView, onState: () => () => undefined })
  const attribute = { node: nodeName('alpha'), set: '', name: 'big' }
  await expect(changes.set({ ...attribute, value: 'a'.repeat(65_537) })).rejects.toThrow(
    'The value of big has 65537 bytes. The limit is 65536',
  )
  await expect(changes.set({ ...attribute, value: 'a\u0001' })).rejects.toThrow('control character U+0001')
  expect((await store.list('/systole/')).entries).toEqual([])
})

test('what a cluster file said is remembered in the transaction of its change, and alone where it says what is there', async () => {
  const applied = (xml: string) => ({
    beside: ({ version, time }: MadeVersion) => [appliedWrite({ name: 'shop.yaml', xml, version, time, user: 'root' })],
  })
  expect(await readApplied(store, 'shop.yaml')).toBeUndefined()
  await pushConfig(store, { ...change('<a/>', 0), ...applied('<configuration/>') })
  expect(await readApplied(store, 'shop.yaml')).toMatchObject({ xml: '<configuration/>', version: 1, user: 'root' })
  const late = await pushConfig(store, { ...change('<b/>', 0), ...applied('<configuration late=""/>') })
  expect(late).toEqual({ kind: 'conflict', version: 1 })
  expect(await readApplied(store, 'shop.yaml')).toMatchObject({ xml: '<configuration/>' })
  const same = await pushConfig(store, { ...change('<a/>', 1), ...applied('<configuration id="2"/>') })
  expect(same).toEqual({ kind: 'saved', version: 1 })
  expect(await readApplied(store, 'shop.yaml')).toMatchObject({ xml: '<configuration id="2"/>', version: 1 })
  expect(await listConfigVersions(store)).toHaveLength(1)
})

test('a long document is read in pieces between which others come, with the same outcome', async () => {
  const xml = `<cib validate-with="pacemaker-3.9" epoch="7" num_updates="0" admin_epoch="2"><configuration><resources><primitive id="web"/></resources></configuration></cib>`
  let isOver = false
  let turns = 0
  const others = (): void => {
    turns += 1
    if (!isOver) setImmediate(others)
  }
  setImmediate(others)
  const read = await readConfigurationInPieces(xml)
  isOver = true
  expect(read).toEqual(readConfigurationToPush(xml))
  expect(turns).toBeGreaterThanOrEqual(2)
  await expect(readConfigurationInPieces('<cib><configuration></cib>')).rejects.toThrow(/Line 1, column/)
})
