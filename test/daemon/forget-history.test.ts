import { expect, test } from 'vitest'
import { nodeName, resourceId } from '../../src/base/index.ts'
import type { OperationRecord } from '../../src/cib/index.ts'
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
