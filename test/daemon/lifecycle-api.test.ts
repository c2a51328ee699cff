import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { monotonicMs, nodeName } from '../../src/base/index.ts'
import { emptyView } from '../../src/controller/index.ts'
import { lifecycleHandlers } from '../../src/daemon/api/lifecycle-api.ts'
import type { ClusterFile } from '../../src/daemon/node-list/cluster-file.ts'
import { toBytes } from '../../src/daemon/records/json-value.ts'
import { nodeListKey, nodeVersionKey, rolloutKey, settingKey } from '../../src/daemon/records/keys.ts'
import { forgetRecords } from '../../src/daemon/removal/forget-node.ts'
import { type LifecycleKnown, newRecord, readRollout } from '../../src/rollout/index.ts'
import type { CallContext } from '../../src/rpc/index.ts'
import { EmbeddedStore, type Entry } from '../../src/store/index.ts'
import { clusterFile } from '../support/cluster-file.ts'

const names = ['n1', 'n2'].map((name) => nodeName(name))
let folder: string
let store: EmbeddedStore
let entries: readonly Entry[] = []
let node: { quorate: boolean; file: ClusterFile } & Parameters<typeof lifecycleHandlers>[0]['node']
let api: ReturnType<typeof lifecycleHandlers>
const context = { caller: { kind: 'unknown' } } as CallContext

beforeEach(() => {
  entries = []
  folder = mkdtempSync(join(tmpdir(), 'systole-lifecycle-'))
  store = new EmbeddedStore({ directory: folder })
  const file = clusterFile(...names)
  const below = (prefix: string): readonly Entry[] => entries.filter(({ key }) => key.startsWith(prefix))
  node = {
    name: nodeName('n1'),
    quorate: true,
    quorateUntil: monotonicMs(0),
    store,
    view: emptyView,
    file,
    rollouts: { below },
    onState: () => () => undefined,
  }
  api = lifecycleHandlers({ node, file, log: { warn: () => undefined }, refuseOnWitness: () => undefined })
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const trigger = (version: string, force = false) => api.triggerVersion({ version, force, user: 'anna' }, context)
const report = (more: object) => api.reportVersion({ node: 'n1', user: 'anna', ...more }, context)
const set = (more: object) =>
  api.changeSetting({ kind: 'config_state', scope: 'global', key: 'k', value: 'v', user: 'anna', ...more }, context)
async function known(): Promise<LifecycleKnown> {
  entries = (await store.list('/systole/')).entries
  return JSON.parse((await api.getLifecycle({}, context)).known) as LifecycleKnown
}

test('a version is triggered, and another one only once all nodes have come to it, or by force', async () => {
  expect(await trigger('1')).toMatchObject({ outcome: 'changed' })
  expect(await trigger('1')).toMatchObject({ outcome: 'unchanged' })
  await expect(trigger('2')).rejects.toThrow(/n1 \(provisioned\), n2 \(provisioned\) do not run 1.*add --force/)
  await report({ version: '1' })
  await expect(trigger('2')).rejects.toThrow(/^n2 \(provisioned\) does not run 1/)
  await report({ node: 'n2', version: '1' })
  expect(await trigger('2')).toMatchObject({ outcome: 'changed' })
  expect(await trigger('3', true)).toMatchObject({ outcome: 'changed' })
  const { desired } = await known()
  expect(desired).toMatchObject({
    version: '3',
    user: 'anna',
    node: 'n1',
    before: [{ version: '1' }, { version: '2' }],
  })
})

test('of a node that reports another version nothing is left under the one before, and who reported it is kept', async () => {
  await report({ version: '1' })
  await report({ version: '2' })
  await report({ status: 'validation', exitCode: 1, tail: 'x'.repeat(3000) })
  const { versions } = await known()
  expect(versions.map(({ node: name, version, state }) => [name, version, state])).toEqual([
    ['n1', '2', 'failed'],
    ['n2', undefined, 'provisioned'],
  ])
  expect(versions[0]?.log).toMatchObject([
    { version: '1', state: 'configured', rollout: 'reported by anna on n1' },
    { version: '2', state: 'configured' },
    { version: '2', state: 'failed', failedIn: 'validation' },
  ])
  expect(JSON.stringify(versions)).not.toContain('xxx')
  const stored = await store.get(nodeVersionKey('n1'))
  expect(Buffer.from(stored?.value ?? '').toString()).toContain(`"${'x'.repeat(2000)}"`)
})

test('a node that was removed is in no list, and its report and its settings leave nothing', async () => {
  await report({ node: 'n2', version: '1' })
  await set({ scope: 'host', name: 'n2' })
  node.file = clusterFile('n1')
  await forgetRecords(store, nodeName('n2'))
  await expect(report({ node: 'n2', version: '1' })).rejects.toThrow("There is no node 'n2'.")
  await expect(set({ scope: 'host', name: 'n2' })).rejects.toThrow("There is no node 'n2'.")
  const { versions, settings } = await known()
  expect(versions.map((one) => one.node)).toEqual(['n1'])
  expect(settings).toEqual([])
})

test('a report that meets the removal of its node is not written', async () => {
  const { transaction } = store
  let isFirst = true
  store.transaction = async (asked) => {
    if (isFirst) {
      isFirst = false
      node.file = clusterFile('n1')
      await transaction.call(store, {
        compare: [],
        writes: [{ kind: 'put', key: nodeListKey, value: toBytes({ nodes: ['n1'] }) }],
      })
    }
    return await transaction.call(store, asked)
  }
  await expect(report({ node: 'n2', version: '1' })).rejects.toThrow("There is no node 'n2'.")
  expect(await store.get(nodeVersionKey('n2'))).toBeUndefined()
})

test('while a rollout is at work on a node, its report records nothing, and another version is not triggered', async () => {
  const read = readRollout({ rollout: 'shop', version: '2', nodes: 'all', steps: { actions: [{ run: 'true' }] } })
  if (!read.ok) throw new Error('the file is right')
  const waves = [{ nodes: names }]
  const given = { id: 'r1', definition: read.value, waves, limits: [], user: 'a', from: nodeName('n1') }
  const record = newRecord({ ...given, before: new Map() }, 0)
  const nodes = record.nodes.map((one) => (one.node === 'n1' ? { ...one, phase: 'working' as const } : one))
  await store.transaction({
    compare: [],
    writes: [{ kind: 'put', key: rolloutKey('r1'), value: toBytes({ ...record, nodes }) }],
  })
  expect(await report({ version: '9' })).toEqual({ outcome: 'rollout', rollout: 'r1', state: 'provisioned' })
  expect(await report({ node: 'n2', version: '1' })).toMatchObject({ outcome: 'changed', version: '1' })
  await expect(trigger('3')).rejects.toThrow('The rollout r1 to 2 has not ended.')
  expect(await trigger('2')).toMatchObject({ outcome: 'changed' })
})

test('what is wrong is refused before anything is written', async () => {
  const wrong: readonly (readonly [() => Promise<unknown>, RegExp])[] = [
    [() => trigger(''), /is not a version/],
    [() => trigger('a b'), /is not a version/],
    [() => trigger('a/b'), /is not a version/],
    [() => trigger('v'.repeat(256)), /is not a version/],
    [() => report({}), /nothing to report/],
    [() => report({ version: 'a b' }), /is not a version/],
    [() => report({ node: 'n9', version: '1' }), /There is no node 'n9'. Did you mean/],
    [() => report({ status: 'dancing', exitCode: 0 }), /'dancing' is not a type of status/],
    [() => report({ status: 'puppet' }), /is an exit code/],
    [() => report({ status: 'puppet', exitCode: 0.5 }), /is an exit code/],
    [() => set({ kind: 'other' }), /A setting is of/],
    [() => set({ scope: 'rack' }), /A setting is of/],
    [() => set({ scope: 'role' }), /needs its name/],
    [() => set({ name: 'db' }), /has none/],
    [() => set({ key: '' }), /cannot be a name here/],
    [() => set({ key: 'a/b' }), /cannot be a name here/],
    [() => set({ value: 'v'.repeat(5000) }), /The limit is 4096/],
    [() => set({ scope: 'host', name: 'n9' }), /There is no node 'n9'/],
  ]
  for (const [asked, sentence] of wrong) await expect(asked()).rejects.toThrow(sentence)
  expect((await store.list('/systole/')).entries).toEqual([])
  node.quorate = false
  await expect(trigger('1')).rejects.toThrow('This node has no quorum')
})

test('a setting is replaced, deleted, and there are 1000 at most', async () => {
  await set({})
  await set({ value: 'w' })
  expect((await known()).settings).toEqual([{ kind: 'config_state', scope: 'global', key: 'k', value: 'w' }])
  await set({ value: undefined })
  expect((await known()).settings).toEqual([])
  const place = { kind: 'config_state', scope: 'global' } as const
  const writes = Array.from({ length: 1000 }, (_, at) => {
    const one = { ...place, key: `k${at}` }
    return { kind: 'put' as const, key: settingKey(one), value: toBytes({ ...one, value: 'v' }) }
  })
  await store.transaction({ compare: [], writes })
  await expect(set({ key: 'more' })).rejects.toThrow('There are 1000 settings already')
  await set({ key: 'k1', value: 'again' })
})
