import { expect, test } from 'vitest'
import { nodeName, resourceId } from '../../src/base/index.ts'
import { type OperationRecord, parseXml, readConfiguration } from '../../src/cib/index.ts'
import { historyToDelete } from '../../src/daemon/records/forget-history.ts'

const n1 = nodeName('n1')
const web = resourceId('web')

function operation(recordId: string, name: string, interval: number): OperationRecord {
  return {
    node: n1,
    resource: web,
    agent: { class: 'ocf', provider: 'pacemaker', type: 'Dummy' },
    recordId,
    attributes: { operation: name, interval: String(interval) },
  }
}

const operations = new Map(
  [
    operation('web_last_0', 'start', 0),
    operation('web_monitor_10000', 'monitor', 10_000),
    operation('web_monitor_20000', 'monitor', 20_000),
    operation('web_last_failure_0', 'monitor', 10_000),
  ].map((record) => [`/systole/history/n1/web/${record.recordId}`, record]),
)
const attributes = new Map(
  ['fail-count-web#monitor_10000', 'last-failure-web#monitor_10000', 'fail-count-web#monitor_20000', 'colour'].map(
    (name) => [`key of ${name}`, { node: n1, set: '', name, value: '1' }],
  ),
)

const cases = [
  {
    name: 'one operation with its interval loses its records and fail counts, and nothing else goes',
    asked: { onlyFailed: true, operation: 'monitor', intervalMs: 10_000 },
    gone: [
      '/systole/history/n1/web/web_last_failure_0',
      '/systole/history/n1/web/web_monitor_10000',
      'key of fail-count-web#monitor_10000',
      'key of last-failure-web#monitor_10000',
    ],
  },
  {
    name: 'an operation that has not failed keeps its record',
    asked: { onlyFailed: true, operation: 'start', intervalMs: 0 },
    gone: [],
  },
  {
    name: 'an operation without an interval means all its intervals',
    asked: { onlyFailed: true, operation: 'monitor' },
    gone: [
      '/systole/history/n1/web/web_last_failure_0',
      '/systole/history/n1/web/web_monitor_10000',
      '/systole/history/n1/web/web_monitor_20000',
      'key of fail-count-web#monitor_10000',
      'key of fail-count-web#monitor_20000',
      'key of last-failure-web#monitor_10000',
    ],
  },
  {
    name: 'without an operation the whole history goes, so that the resource is probed',
    asked: { onlyFailed: true, resource: 'web' },
    gone: [
      '/systole/history/n1/web/',
      'key of fail-count-web#monitor_10000',
      'key of fail-count-web#monitor_20000',
      'key of last-failure-web#monitor_10000',
    ],
  },
  {
    name: 'another resource loses nothing',
    asked: { onlyFailed: true, resource: 'db', operation: 'monitor' },
    gone: [],
  },
]
for (const { name, asked, gone } of cases)
  test(`cleanup: ${name}`, () => {
    const { writes } = historyToDelete({ operations, attributes, shutdownLocks: new Map() }, asked)
    expect(writes.map((write) => (write.kind === 'delete-prefix' ? write.prefix : write.key)).sort()).toEqual(gone)
  })

const configured = parseXml(`<cib><configuration><crm_config/><nodes/><resources>
  <group id="site"><primitive id="vip" class="ocf" provider="heartbeat" type="IPaddr2"/><primitive id="web" class="ocf" provider="pacemaker" type="Dummy"/></group>
  <clone id="db-clone"><primitive id="db" class="ocf" provider="pacemaker" type="Stateful"/></clone>
  <bundle id="cache"><podman image="redis"/><primitive id="redis" class="ocf" provider="heartbeat" type="redis"/></bundle>
  <primitive id="cache-tool" class="ocf" provider="pacemaker" type="Dummy"/>
</resources><constraints/></configuration></cib>`)

const meant = [
  { whole: 'site', parts: ['vip', 'web'] },
  { whole: 'db-clone', parts: ['db', 'db:1'] },
  { whole: 'cache', parts: ['cache-0', 'cache-ip-192.0.2.7', 'cache-podman-0', 'redis'] },
  { whole: 'db', parts: ['db', 'db:1'] },
]
const every = [...new Set(['cache-tool', ...meant.flatMap(({ parts }) => parts)])]
for (const { whole, parts } of meant)
  test(`cleanup of ${whole} is of ${parts.join(', ')}`, () => {
    if (!configured.ok) throw new Error('the CIB is malformed')
    const cib = configured.value
    const records = every.map((name) => ({
      ...operation(`${name}_last_failure_0`, 'start', 0),
      resource: resourceId(name),
    }))
    const view = {
      operations: new Map(records.map((record) => [`/systole/history/n1/${record.resource}/x`, record])),
      attributes: new Map(
        every.map((name) => [name, { node: n1, set: '', name: `fail-count-${name}#start_0`, value: '1' }]),
      ),
      shutdownLocks: new Map(),
      configuration: { version: 1, cib, typed: readConfiguration(cib) },
    }
    const { writes, deleted } = historyToDelete(view, { onlyFailed: true, resource: whole })
    expect(deleted.map(({ resource }) => resource).sort()).toEqual(parts)
    expect(writes.flatMap((write) => (write.kind === 'delete' ? [write.key] : [])).sort()).toEqual(parts)
  })
