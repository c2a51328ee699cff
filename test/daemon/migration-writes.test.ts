import { expect, test } from 'vitest'
import { nodeName, resourceId } from '../../src/base/index.ts'
import type { OperationRecord } from '../../src/cib/index.ts'
import { earlierArrivals, lateArrival } from '../../src/daemon/records/migration-writes.ts'

const record = (operation: string): OperationRecord => ({
  node: nodeName('alpha'),
  resource: resourceId('vm'),
  agent: { class: 'ocf', provider: 'sim', type: 'Dummy' },
  recordId: `vm_${operation}_0`,
  attributes: { operation, migrate_source: 'alpha', migrate_target: 'beta' },
})

test('a migration that begins ends an earlier arrival at its target, and nothing else does', () => {
  expect(earlierArrivals([record('migrate_to')])).toEqual([
    { kind: 'delete', key: '/systole/history/beta/vm/vm_migrate_from_0' },
  ])
  expect(earlierArrivals([record('migrate_from'), record('start')])).toEqual([])
})

test('where a resource may have come while nobody watched, all that was known of it there is forgotten', () => {
  expect(lateArrival(resourceId('vm'), nodeName('beta'))).toEqual([
    { kind: 'delete-prefix', prefix: '/systole/history/beta/vm/' },
  ])
  expect(lateArrival(resourceId('vm'), undefined)).toEqual([])
})
