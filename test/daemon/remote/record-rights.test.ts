import { expect, test } from 'vitest'
import { nodeName, resourceId } from '../../../src/base/index.ts'
import { type OperationRecord, parseXml, readConfiguration } from '../../../src/cib/index.ts'
import { type ClusterView, emptyView } from '../../../src/controller/index.ts'
import { RecordRights } from '../../../src/daemon/remote/record-rights.ts'
import type { ResourceAction } from '../../../src/transition/index.ts'

const parsed = parseXml(`<cib><configuration><crm_config/><nodes/><resources>
  <primitive id="fence-n1" class="stonith" type="fence_ipmilan"/>
  <primitive id="r1" class="ocf" provider="pacemaker" type="remote"/>
  <clone id="ping-clone"><primitive id="ping" class="ocf" provider="pacemaker" type="ping"/></clone>
  <primitive id="web" class="ocf" provider="heartbeat" type="Dummy"/></resources><constraints/></configuration></cib>`)
if (!parsed.ok) throw new Error('bad test')
const view: ClusterView = {
  ...emptyView,
  configuration: { version: 1, cib: parsed.value, typed: readConfiguration(parsed.value) },
}

const nowMs = 1_795_000_000_000

function rights(seen: ClusterView = view): RecordRights {
  return new RecordRights(
    nodeName('r1'),
    () => seen,
    () => nowMs,
  )
}

function record(changes: Partial<OperationRecord> = {}): OperationRecord {
  return {
    node: nodeName('r1'),
    resource: resourceId('web'),
    agent: { class: 'ocf', provider: 'heartbeat', type: 'Dummy' },
    recordId: 'web_last_0',
    attributes: { operation: 'start', 'rc-code': '0' },
    ...changes,
  }
}

const forbidden: readonly {
  readonly name: string
  readonly changes: Partial<OperationRecord>
  readonly why: string
}[] = [
  { name: 'of another node', changes: { node: nodeName('n2') }, why: 'write the history of n2' },
  {
    name: 'of a fence device',
    changes: { resource: resourceId('fence-n1'), recordId: 'fence-n1_last_0' },
    why: 'runs on cluster nodes only',
  },
  {
    name: 'that says it is of a fence agent',
    changes: { agent: { class: 'stonith', type: 'fence_ipmilan' } },
    why: 'runs on cluster nodes only',
  },
  {
    name: 'of a connection',
    changes: { resource: resourceId('r1'), recordId: 'r1_last_0' },
    why: 'runs on cluster nodes only',
  },
  {
    name: 'of one resource in the place of another',
    changes: { recordId: 'db_last_0' },
    why: 'write a record db_last_0',
  },
  { name: 'of a container', changes: { container: resourceId('vm') }, why: 'runs on cluster nodes only' },
]
for (const { name, changes, why } of forbidden)
  test(`a remote node has no result recorded ${name}`, () => {
    expect(() => rights().record({ records: [record(changes)] })).toThrow(why)
    expect(() => rights().announce({ records: [record(changes)], term: 3 })).toThrow(why)
  })

test('its own results are recorded, those of instances and of what is in no configuration any more included', () => {
  const records = [
    record(),
    record({ resource: resourceId('ping:1'), recordId: 'ping:1_monitor_10000' }),
    record({ resource: resourceId('gone'), recordId: 'gone_last_0' }),
  ]
  expect(rights().record({ records })).toBeUndefined()
})

test('it cannot fill the history with resources that nobody knows', () => {
  const many = Array.from({ length: 1000 }, (_, at) =>
    record({ resource: resourceId(`x${at}`), recordId: `x${at}_last_0` }),
  )
  const full = { ...view, operations: new Map(many.map((one) => [one.recordId, one])) }
  const another = record({ resource: resourceId('y'), recordId: 'y_last_0' })
  expect(() => rights(full).record({ records: [another] })).toThrow('so many resources')
  expect(rights(full).record({ records: [record()] })).toBeUndefined()
})

test('a failure counts for what it has a result of, and not later than now', () => {
  const failure = { resource: resourceId('web'), operation: 'monitor', intervalMs: 10_000, at: 9e9 }
  expect(rights().record({ records: [record()], failure })).toMatchObject({ at: nowMs / 1000 })
  expect(() => rights().record({ records: [record()], failure: { ...failure, resource: resourceId('ping') } })).toThrow(
    'count a failure of ping',
  )
})

test('a move away is told of only where it was asked for, since it changes the history of its target', () => {
  const records = [record({ attributes: { operation: 'migrate_to', migrate_target: 'n2' } })]
  const asked = (target: string): ResourceAction => ({
    kind: 'resource',
    id: 1,
    inputs: [],
    attributes: { CRM_meta_migrate_target: target },
    priority: 0,
    operation: 'migrate_to',
    key: 'web_migrate_to_0',
    resource: resourceId('web'),
    intervalMs: 0,
    agent: { class: 'ocf', provider: 'heartbeat', type: 'Dummy' },
    node: nodeName('r1'),
    nodeId: 'r1',
    downed: [],
  })
  const ours = rights()
  expect(() => ours.announce({ records, term: 3 })).toThrow('nobody has asked for')
  ours.told(asked('n3'))
  expect(() => ours.announce({ records, term: 3 })).toThrow('nobody has asked for')
  ours.told(asked('n2'))
  ours.announce({ records, term: 3 })
  ours.told({ ...asked('n2'), operation: 'stop', attributes: {} })
  expect(() => ours.announce({ records, term: 3 })).toThrow('nobody has asked for')
})

test('certificates are not signed as often as it likes', () => {
  const ours = rights()
  ours.renew()
  expect(() => ours.renew()).toThrow('another certificate yet')
})
