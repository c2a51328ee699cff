import { expect, test } from 'vitest'
import { nodeName, resourceId } from '../../src/base/index.ts'
import type { ShutdownLockRecord } from '../../src/cib/index.ts'
import { shutdownLockEdits } from '../../src/controller/shutdown-locks.ts'

const lock = (resource: string, since = 100): ShutdownLockRecord => ({
  node: nodeName('n1'),
  resource: resourceId(resource),
  agent: { class: 'ocf', provider: 'pacemaker', type: 'Dummy' },
  since,
})
const key = (resource: string) => `/systole/shutdown-locks/n1/${resource}`
const recorded = (...locks: readonly ShutdownLockRecord[]) =>
  new Map(locks.map((one) => [key(one.resource), one] as const))

test('a lock that holds and is not recorded is recorded', () => {
  expect(shutdownLockEdits(recorded(), [lock('web')])).toEqual([{ kind: 'put-shutdown-lock', lock: lock('web') }])
})

test('a lock that is recorded and holds no more is forgotten', () => {
  expect(shutdownLockEdits(recorded(lock('web'), lock('db')), [lock('db')])).toEqual([
    { kind: 'delete-record', key: key('web') },
  ])
})

test('nothing is written where nothing has changed, or nobody has said what holds', () => {
  expect(shutdownLockEdits(recorded(lock('web')), [lock('web')])).toEqual([])
  expect(shutdownLockEdits(recorded(lock('web')), undefined)).toEqual([])
})

test('a later shutdown renews the lock', () => {
  expect(shutdownLockEdits(recorded(lock('web', 100)), [lock('web', 200)])).toHaveLength(1)
})
