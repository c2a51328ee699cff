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

const key = '3:7:0:00000000-0000-4000-8000-000000000001'

/** A command for this resource, as the DC gives it. */
function command(changes: Partial<ResourceAction> = {}, transitionKey = key) {
  const action: ResourceAction = {
    kind: 'resource',
    id: 1,
    inputs: [],
    attributes: {},
    priority: 0,
    operation: 'start',
    key: 'web_start_0',
    resource: resourceId('web'),
    intervalMs: 0,
    agent: { class: 'ocf', provider: 'heartbeat', type: 'Dummy' },
    node: nodeName('r1'),
    nodeId: 'r1',
    downed: [],
    ...changes,
  }
  return { action, transitionKey }
}

/** Told to start web. */
function toldRights(seen?: ClusterView): RecordRights {
  const ours = rights(seen)
  ours.told(command())
  return ours
}

function record(changes: Partial<OperationRecord> = {}): OperationRecord {
  return {
    node: nodeName('r1'),
    resource: resourceId('web'),
    agent: { class: 'ocf', provider: 'heartbeat', type: 'Dummy' },
    recordId: 'web_last_0',
    attributes: { operation: 'start', 'rc-code': '0', interval: '0', 'transition-key': key },
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
  { name: 'under a name of its own', changes: { recordId: 'web_last_0x1' }, why: 'write a record web_last_0x1' },
  {
    name: 'under the name of another operation',
    changes: { recordId: 'web_monitor_10000' },
    why: 'write a record web_monitor_10000',
  },
  {
    name: 'as a notice',
    changes: { recordId: 'web_pre_notify_start_0' },
    why: 'write a record web_pre_notify_start_0',
  },
  { name: 'of a container', changes: { container: resourceId('vm') }, why: 'runs on cluster nodes only' },
]
for (const { name, changes, why } of forbidden)
  test(`a remote node has no result recorded ${name}`, () => {
    expect(() => toldRights().record({ records: [record(changes)] })).toThrow(why)
    expect(() => toldRights().announce({ records: [record(changes)], term: 3 })).toThrow(why)
  })

test('its own results are recorded, those of instances and of what is in no configuration any more included', () => {
  const ours = toldRights()
  const every = { operation: 'monitor', interval: '10000' }
  const records = [
    record(),
    record({
      resource: resourceId('ping:1'),
      recordId: 'ping:1_monitor_10000',
      attributes: { ...every, 'transition-key': 'k2' },
    }),
    record({
      resource: resourceId('gone'),
      recordId: 'gone_last_0',
      attributes: { operation: 'stop', interval: '0', 'transition-key': 'k3' },
    }),
  ]
  ours.told(command({ resource: resourceId('ping:1'), operation: 'monitor', intervalMs: 10_000 }, 'k2'))
  ours.told(command({ resource: resourceId('gone'), operation: 'stop' }, 'k3'))
  expect(ours.announce({ records, term: 3 })).toBe(true)
  expect(ours.record({ records })).toEqual({ records })
})

const attributes = record().attributes
const made: readonly { readonly name: string; readonly ours?: RecordRights; readonly told: OperationRecord }[] = [
  { name: 'a start that nobody has asked for', ours: rights(), told: record() },
  {
    name: 'a start under the key of another action',
    told: record({ attributes: { ...attributes, 'transition-key': 'another' } }),
  },
  {
    name: 'a start of another resource under the key of one',
    told: record({ resource: resourceId('ping'), recordId: 'ping_last_0' }),
  },
  {
    name: 'a promotion under the key of a start',
    told: record({ attributes: { ...attributes, operation: 'promote' } }),
  },
  {
    name: 'a monitor under the key of a start',
    told: record({ attributes: { ...attributes, operation: 'monitor', interval: '10000' } }),
  },
]
test.each(made)('dropped, and told as taken: $name', ({ ours = toldRights(), told }) => {
  expect(ours.record({ records: [told] })).toEqual({ records: [] })
  expect(ours.announce({ records: [told], term: 3 })).toBe(false)
})

test('an end is told once: a start whose result was recorded has not happened again', () => {
  const ours = toldRights()
  const records = [record()]
  // Not before the store has it: it may be told again until then.
  expect(ours.record({ records })).toEqual({ records })
  expect(ours.record({ records })).toEqual({ records })
  ours.recorded(records)
  expect(ours.record({ records })).toEqual({ records: [] })
})

const ends = [
  { name: 'stopped', action: { operation: 'stop' } },
  { name: 'not looked at any more', action: { operation: 'cancel', attributes: { CRM_meta_interval: '10000' } } },
] as const
test.each(ends)('what repeats is told until its resource is $name', ({ action }) => {
  const ours = toldRights()
  ours.told(command({ operation: 'monitor', intervalMs: 10_000 }, 'k2'))
  const repeated = record({ attributes: { operation: 'monitor', interval: '10000', 'transition-key': 'k2' } })
  for (let count = 0; count < 3; count++) {
    expect(ours.record({ records: [repeated] })).toEqual({ records: [repeated] })
    ours.recorded([repeated])
  }
  ours.told(command(action, 'k4'))
  ours.recorded([record({ attributes: { operation: 'stop', interval: '0', 'transition-key': 'k4' } })])
  expect(ours.record({ records: [repeated] })).toEqual({ records: [] })
})

test('what an agent says is kept without the values of parameters that this cluster calls secret', () => {
  const cib = parseXml(
    '<cib><configuration><crm_config><cluster_property_set id="o"><nvpair id="s" name="secret-names" value="greeting*"/></cluster_property_set></crm_config><nodes/><resources/><constraints/></configuration></cib>',
  )
  if (!cib.ok) throw new Error('bad test')
  const ours = rights({
    ...emptyView,
    configuration: { version: 1, cib: cib.value, typed: readConfiguration(cib.value) },
  })
  ours.told(command({ attributes: { greeting_text: 'open sesame', passwd: 'abc123', port: '8080' } }))
  const said = 'could not log in with open sesame and abc123 at 8080'
  const [kept] = ours.record({ records: [record({ attributes: { ...attributes, 'exit-reason': said } })] }).records
  expect(kept?.attributes['exit-reason']).toBe('could not log in with ****** and ****** at 8080')
})

test('the records that an operation leaves are taken under their names', () => {
  const ours = rights()
  const of = (operation: string, name: string): OperationRecord =>
    record({ recordId: `web_${name}`, attributes: { operation, interval: '0', 'transition-key': operation } })
  const records = [
    of('start', 'last_0'),
    of('start', 'last_failure_0'),
    of('migrate_to', 'migrate_to_0'),
    of('migrate_from', 'migrate_from_0'),
    of('notify', 'pre_notify_demote_0'),
  ]
  for (const operation of ['start', 'migrate_to', 'migrate_from', 'notify'])
    ours.told(command({ operation }, operation))
  expect(ours.record({ records })).toEqual({ records })
})

test('one operation leaves one record: other spellings of its interval and other instances are not its result', () => {
  const ours = rights()
  ours.told(command({ operation: 'monitor', intervalMs: 10_000, resource: resourceId('ping:1') }))
  const monitor = (resource: string, interval: string): OperationRecord =>
    record({
      resource: resourceId(resource),
      recordId: `${resource}_monitor_${interval}`,
      attributes: { operation: 'monitor', 'rc-code': '0', interval, 'transition-key': key },
    })
  const own = [monitor('ping:1', '10000'), monitor('ping', '10000')]
  expect(ours.record({ records: own })).toEqual({ records: own })
  const others = [monitor('ping:1', '010000'), monitor('ping:1', '1e4'), monitor('ping:2', '10000')]
  expect(ours.record({ records: others })).toEqual({ records: [] })
})

test('a reload that worked is recorded as a start', () => {
  const ours = rights()
  ours.told(command({ operation: 'reload-agent' }))
  expect(ours.record({ records: [record()] })).toEqual({ records: [record()] })
})

test('it cannot fill the history with resources that nobody knows', () => {
  const many = Array.from({ length: 1000 }, (_, at) =>
    record({ resource: resourceId(`x${at}`), recordId: `x${at}_last_0` }),
  )
  const full = { ...view, operations: new Map(many.map((one) => [one.recordId, one])) }
  const another = record({ resource: resourceId('y'), recordId: 'y_last_0' })
  expect(() => rights(full).record({ records: [another] })).toThrow('this many unknown resources')
  expect(toldRights(full).record({ records: [record()] })).toEqual({ records: [record()] })
})

test('a failure counts for what it has a result of, and not later than now', () => {
  const failure = { resource: resourceId('web'), operation: 'start', intervalMs: 0, at: 9e9 }
  expect(toldRights().record({ records: [record()], failure })).toMatchObject({ failure: { at: nowMs / 1000 } })
  const others = [{ resource: resourceId('ping') }, { operation: 'monitor' }, { intervalMs: 10_000 }]
  for (const other of others)
    expect(() => toldRights().record({ records: [record()], failure: { ...failure, ...other } })).toThrow(
      'count a failure',
    )
  // Of what was not asked for neither the result nor the failure.
  expect(rights().record({ records: [record()], failure })).toEqual({ records: [] })
})

test('a move is told of only as it was asked for, since it changes the history of the other node', () => {
  const moved = (attributes: Readonly<Record<string, string>>): readonly OperationRecord[] => [
    record({ attributes: { operation: 'migrate_to', interval: '0', 'transition-key': key, ...attributes } }),
  ]
  const asked = { CRM_meta_migrate_source: 'r1', CRM_meta_migrate_target: 'n2' }
  const ours = rights()
  ours.told(command({ operation: 'migrate_to', attributes: asked }))
  const right = moved({ migrate_source: 'r1', migrate_target: 'n2' })
  expect(ours.announce({ records: right, term: 3 })).toBe(true)
  expect(ours.record({ records: right })).toEqual({ records: right })
  for (const wrong of [{ migrate_target: 'n3' }, { migrate_source: 'n3' }]) {
    expect(() => ours.announce({ records: moved(wrong), term: 3 })).toThrow('that the cluster did not request')
    expect(() => ours.record({ records: moved(wrong) })).toThrow('that the cluster did not request')
  }
})

test('certificates are not signed as often as it likes', () => {
  const ours = rights()
  ours.renew()
  expect(() => ours.renew()).toThrow('another certificate yet')
})
