/** A member that keeps the facts and the health of the remote nodes whose connections it holds, on a real store. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodeName } from '../../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../../src/cib/index.ts'
import { type ClusterView, emptyView, observe } from '../../../src/controller/index.ts'
import { AttributeChanges } from '../../../src/daemon/attributes/attribute-changes.ts'
import { RemoteHardware } from '../../../src/daemon/hardware/remote-hardware.ts'
import { openLog } from '../../../src/daemon/host/log.ts'
import type { HeldRemote } from '../../../src/daemon/jobs/remote-task-keeper.ts'
import { observationOf } from '../../../src/daemon/node/observations.ts'
import { toBytes } from '../../../src/daemon/records/json-value.ts'
import { keys, remoteOwnerKey } from '../../../src/daemon/records/keys.ts'
import type { StoreView } from '../../../src/daemon/records/store-view.ts'
import { EmbeddedStore } from '../../../src/store/index.ts'
import { openStoreView } from '../../support/open-store-view.ts'

const options =
  '<cluster_property_set id="o"><nvpair id="o-h" name="hardware-health" value="true"/></cluster_property_set>'
const resources =
  '<bundle id="web"><podman image="x"/><network control-port="3121"/><primitive id="page" class="ocf" provider="heartbeat" type="nginx"/></bundle>'
const parsed = parseXml(
  `<cib validate-with="pacemaker-3.9"><configuration><crm_config>${options}</crm_config><nodes/><resources>${resources}</resources><constraints/></configuration><status/></cib>`,
)
if (!parsed.ok) throw new Error('the test itself is wrong')
const configuration = { version: 1, cib: parsed.value, typed: readConfiguration(parsed.value) }

let folder: string
let store: EmbeddedStore
let known: StoreView
let view: ClusterView
let hardware: RemoteHardware
let held: readonly HeldRemote[]
let asked: string[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'systole-remote-hardware-'))
  store = new EmbeddedStore({ directory: folder })
  view = emptyView
  held = []
  asked = []
  let changed = (): void => undefined
  known = await openStoreView(store, (changes, revision) => {
    view = observe(view, changes.map(observationOf), revision).view
    changed()
  })
  const seen = (): ClusterView => ({ ...view, configuration: configuration as never })
  const attributes = new AttributeChanges({
    store: () => store,
    view: seen,
    onState: (look) => {
      changed = look
      return () => undefined
    },
  })
  const log = openLog('n1', 'silent')
  hardware = new RemoteHardware({ log, view: seen, quorate: () => true, attributes, held: () => held })
})

afterEach(async () => {
  hardware.close()
  known.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A connection whose remote node answers so. */
async function hold(remote: string): Promise<HeldRemote & { readonly link: { ended: boolean } }> {
  const key = remoteOwnerKey(nodeName(remote))
  const { revision } = await store.transaction({ compare: [], writes: [{ kind: 'put', key, value: toBytes({}) }] })
  const call = async (name: string): Promise<object> => {
    asked.push(`${remote} ${name}`)
    return await Promise.resolve(
      name === 'hardware' ? { cpus: 8, vendor: 'Acme <b>' } : { fans: { colour: 'green', reasons: [] } },
    )
  }
  return {
    remote: nodeName(remote),
    link: { ended: false, call: call as never },
    owned: { kind: 'mod-revision', key, equals: revision as never },
  }
}

const attributesOf = (node: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...view.attributes.values()].flatMap((one) => (one.node === node ? [[one.name, one.value]] : [])))

test('what a remote node answers is written under its own name; a replica of a bundle is not asked', async () => {
  held = [await hold('r1'), await hold('web-0')]
  hardware.look()
  await expect
    .poll(() => attributesOf('r1'), { timeout: 20_000 })
    .toMatchObject({ '#facts-cpus': '8', '#facts-vendor': 'Acme b', '#health-hardware-fans': 'green' })
  expect(asked.filter((one) => one.startsWith('web-0'))).toEqual([])
  expect([...view.attributes.values()].filter(({ node }) => node !== 'r1')).toEqual([])
})

test('once another member holds the connection, this one writes nothing, and asks no more once the link has ended', async () => {
  const one = await hold('r1')
  await store.transaction({
    compare: [],
    writes: [{ kind: 'put', key: remoteOwnerKey(one.remote), value: toBytes({ node: 'n2' }) }],
  })
  held = [one]
  hardware.look()
  await expect.poll(() => asked.includes('r1 hardware') && asked.includes('r1 health'), { timeout: 20_000 }).toBe(true)
  // A write of this member's own after it: what was refused before it would be there.
  await store.transaction({
    compare: [],
    writes: [
      {
        kind: 'put',
        key: keys.attribute(nodeName('n1'), '', 'x'),
        value: toBytes({ node: 'n1', set: '', name: 'x', value: '1' }),
      },
    ],
  })
  await expect.poll(() => attributesOf('n1')).toEqual({ x: '1' })
  expect(attributesOf('r1')).toEqual({})
  one.link.ended = true
  held = []
  asked = []
  hardware.look()
  hardware.look()
  expect(asked).toEqual([])
})
