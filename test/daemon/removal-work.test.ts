import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type NodeName, nodeName } from '../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import { emptyView } from '../../src/controller/index.ts'
import { monotonicNow } from '../../src/daemon/host/clock.ts'
import {
  type ClusterFile,
  defaultPorts,
  defaultTimings,
  printClusterFile,
} from '../../src/daemon/node-list/cluster-file.ts'
import { storedList } from '../../src/daemon/node-list/node-list.ts'
import { storedHolds } from '../../src/daemon/records/hold-records.ts'
import { toBytes } from '../../src/daemon/records/json-value.ts'
import { keys, nodeListKey } from '../../src/daemon/records/keys.ts'
import { RemovalWork } from '../../src/daemon/removal/removal-work.ts'
import { EmbeddedStore, type Write } from '../../src/store/index.ts'
import { hold } from '../holds/hold.ts'

let folder: string
let store: EmbeddedStore
const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-removal-'))
  store = new EmbeddedStore({ directory: folder })
})

afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const entry = (name: string, id: string, leaving: boolean): ClusterFile['nodes'][number] => ({
  name: nodeName(name),
  id,
  address: `10.0.0.${id}`,
  ports: defaultPorts,
  votes: !leaving,
  ...(leaving ? { leaving } : {}),
})

test('a removal that found no quorum goes on once it is back, although nothing else changes', async () => {
  const parsed = parseXml(
    '<cib><configuration><crm_config/><nodes><node id="1" uname="n1"/></nodes><resources/><constraints/></configuration></cib>',
  )
  if (!parsed.ok) throw new Error('bad test')
  const file: ClusterFile = {
    clusterName: 'x',
    nodes: [entry('n1', '1', false), entry('n2', '2', true)],
    nodesVersion: 2,
    store: { kind: 'embedded' },
    timings: defaultTimings,
  }
  const view = {
    ...emptyView,
    configuration: { version: 1, cib: parsed.value, typed: readConfiguration(parsed.value) },
  }
  const node = {
    name: nodeName('n1'),
    quorate: false,
    quorateUntil: monotonicNow(),
    store,
    view,
    onState: () => () => undefined,
  }
  const changed: ClusterFile[] = []
  const work = new RemovalWork({
    node,
    log,
    peers: { to: (_: NodeName) => ({ forget: async () => await Promise.resolve({}) }) as never },
    seen: () => ({ file: changed.at(-1) ?? file, view, isUp: () => false, hasShare: () => false }),
    withdrawTokens: async () => await Promise.resolve(),
    leads: () => true,
    onChanged: (list) => changed.push(list),
  })
  const held = (on: string): Write => {
    const record = hold('drain', { node: on })
    return { kind: 'put', key: keys.hold(record.id), value: toBytes(record) }
  }
  const announced: Write = { kind: 'put', key: keys.restart(nodeName('n2')), value: toBytes({ incarnation: 5 }) }
  await store.transaction({ compare: [], writes: [held('n1'), held('n2'), announced] })
  work.look()
  node.quorate = true
  await expect.poll(() => changed.at(-1)?.nodes.map(({ name }) => name)).toEqual(['n1'])
  // One that is added by its name later begins without its drain and its announcement.
  expect((await storedHolds(store)).map(({ entry: { key } }) => key)).toEqual([keys.hold('drain-n1')])
  expect(await store.get(keys.restart(nodeName('n2')))).toBeUndefined()
  expect((await storedList(store))?.nodes.map(({ name }) => name)).toEqual(['n1'])
  work.close()
})

test('records of a node that is in no list are deleted, and those of one that was added again meanwhile stay', async () => {
  const parsed = parseXml('<cib><configuration><crm_config/><nodes/><resources/><constraints/></configuration></cib>')
  if (!parsed.ok) throw new Error('bad test')
  const n2 = nodeName('n2')
  const down = { node: n2, id: '2', inCcm: false, crmd: 'offline', join: 'down', expected: 'down' } as const
  const lists: Omit<ClusterFile, 'nodes'> = {
    clusterName: 'x',
    nodesVersion: 2,
    store: { kind: 'embedded' },
    timings: defaultTimings,
  }
  const without = { ...lists, nodes: [entry('n1', '1', false)] }
  const put = async (key: string, text: string): Promise<void> => {
    await store.transaction({ compare: [], writes: [{ kind: 'put', key, value: new TextEncoder().encode(text) }] })
  }
  await put(keys.nodeState(n2), JSON.stringify(down))
  const drain = hold('drain', { node: 'n2' })
  await put(keys.hold(drain.id), JSON.stringify(drain))
  const view = {
    ...emptyView,
    configuration: { version: 1, cib: parsed.value, typed: readConfiguration(parsed.value) },
    nodeStates: new Map([[n2, down]]),
  }
  const work = new RemovalWork({
    node: {
      name: nodeName('n1'),
      quorate: true,
      quorateUntil: monotonicNow(),
      store,
      view,
      onState: () => () => undefined,
    },
    log,
    peers: { to: () => ({}) as never },
    seen: () => ({ file: without, view, isUp: () => false, hasShare: () => false }),
    withdrawTokens: async () => await Promise.resolve(),
    leads: () => true,
    onChanged: () => undefined,
  })
  const isRecorded = async (): Promise<boolean> => (await store.get(keys.nodeState(n2))) !== undefined
  // Its file of the list is behind: in the store the node is there again.
  await put(nodeListKey, printClusterFile({ ...lists, nodes: [entry('n1', '1', false), entry('n2', '3', false)] }))
  const reads = vi.spyOn(store, 'get')
  work.look()
  // Once it looks again, the first attempt has ended.
  const looks = (): number => reads.mock.calls.filter(([asked]) => asked === nodeListKey).length
  await expect.poll(looks, { timeout: 10_000 }).toBeGreaterThan(1)
  expect(await isRecorded()).toBe(true)
  // It takes part, which this node has not seen yet.
  await put(keys.member(n2), '{}')
  await put(nodeListKey, printClusterFile(without))
  const before = looks()
  await expect.poll(looks, { timeout: 10_000 }).toBeGreaterThan(before + 1)
  expect(await isRecorded()).toBe(true)
  await store.transaction({ compare: [], writes: [{ kind: 'delete', key: keys.member(n2) }] })
  await expect.poll(isRecorded, { timeout: 10_000 }).toBe(false)
  // What was held on it, too: one that is added by its name later would be drained from the start.
  expect(await storedHolds(store)).toEqual([])
  work.close()
})
