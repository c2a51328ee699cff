import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type NodeName, nodeName } from '../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import { emptyView } from '../../src/controller/index.ts'
import { monotonicNow } from '../../src/daemon/host/clock.ts'
import { type ClusterFile, defaultPorts, defaultTimings } from '../../src/daemon/nodes/cluster-file.ts'
import { storedList } from '../../src/daemon/nodes/node-list.ts'
import { RemovalWork } from '../../src/daemon/nodes/removal-work.ts'
import { EmbeddedStore } from '../../src/store/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-removal-'))
const store = new EmbeddedStore({ directory: folder })
const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

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
  work.look()
  node.quorate = true
  await expect.poll(() => changed.at(-1)?.nodes.map(({ name }) => name)).toEqual(['n1'])
  expect((await storedList(store))?.nodes.map(({ name }) => name)).toEqual(['n1'])
  work.close()
})
