import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { monotonicMs, nodeName } from '../../src/base/index.ts'
import { emptyView } from '../../src/controller/index.ts'
import { lockHandlers } from '../../src/daemon/api/lock-api.ts'
import { toBytes } from '../../src/daemon/records/json-value.ts'
import { lockKey } from '../../src/daemon/records/keys.ts'
import type { CallContext } from '../../src/rpc/index.ts'
import { EmbeddedStore } from '../../src/store/index.ts'
import { clusterFile } from '../support/cluster-file.ts'

let folder: string
let store: EmbeddedStore
let node: { quorate: boolean } & Parameters<typeof lockHandlers>[0]['node']
let locks: ReturnType<typeof lockHandlers>
const context = { caller: { kind: 'unknown' } } as CallContext

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-lock-api-'))
  store = new EmbeddedStore({ directory: folder })
  const shared = { name: nodeName('n1'), quorate: true, quorateUntil: monotonicMs(0), store, view: emptyView }
  const file = clusterFile('n1')
  node = { ...shared, file, onState: () => () => undefined }
  locks = lockHandlers({ node, file, log: { warn: () => undefined }, refuseOnWitness: () => undefined })
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const acquire = (more: object = {}) =>
  locks.acquireLock({ name: 'backup', user: 'anna', ttlMs: 60_000, renew: false, ...more }, context)
const release = (more: object = {}) =>
  locks.releaseLock({ name: 'backup', user: 'anna', force: false, ...more }, context)

test('of many who ask at the same moment one gets it', async () => {
  const outcomes = await Promise.all(Array.from({ length: 8 }, (_, at) => acquire({ owner: `o${at}` })))
  expect(outcomes.filter(({ outcome }) => outcome === 'acquired')).toHaveLength(1)
  expect((await locks.listLocks({}, context)).locks).toHaveLength(1)
})

test('what is wrong is refused before anything is written', async () => {
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ name: '' }, /A lock needs a name/],
    [{ name: 'n'.repeat(300) }, /The name of the lock .* has 300 bytes/],
    [{ owner: '' }, /The owner of a lock needs a name/],
    [{ owner: 'o'.repeat(300) }, /The owner .* has 300 bytes/],
    [{ user: 'u'.repeat(300) }, /The owner .* has 300 bytes/],
    [{ name: 'a\u0001b' }, /control character/],
    [{ user: 'a\u0001b' }, /control character/],
    [{ reason: 'r'.repeat(1025) }, /The reason .* has 1025 bytes/],
    [{ holder: 'h'.repeat(300) }, /The holder .* has 300 bytes/],
    [{ ttlMs: 999 }, /one second at least/],
    [{ ttlMs: Number.NaN }, /one second at least/],
    [{ ttlMs: 7 * 24 * 3_600_000 + 1 }, /seven days at most/],
  ]
  for (const [asked, sentence] of wrong) await expect(acquire(asked), JSON.stringify(asked)).rejects.toThrow(sentence)
  expect((await locks.listLocks({}, context)).locks).toEqual([])
})

test('there are 1000 at most, and those that are held can be extended then', async () => {
  const writes = Array.from({ length: 999 }, (_, at) => ({
    kind: 'put' as const,
    key: lockKey(`l${at}`),
    value: toBytes({}),
  }))
  await store.transaction({ compare: [], writes })
  await acquire({ owner: 'deploy' })
  await expect(acquire({ name: 'one more' })).rejects.toThrow('There are 1000 locks already')
  expect((await acquire({ owner: 'deploy' })).outcome).toBe('renewed')
})

test('without quorum no lock changes hands', async () => {
  await acquire()
  node.quorate = false
  await expect(acquire({ owner: 'other' })).rejects.toThrow('This node has no quorum')
  await expect(release()).rejects.toThrow('This node has no quorum')
})

test('the lock of a newer version is held, until somebody releases it by force', async () => {
  const value = toBytes({ lock: 'of another form' })
  await store.transaction({ compare: [], writes: [{ kind: 'put', key: lockKey('backup'), value }] })
  await expect(acquire()).rejects.toThrow("A newer version of Systole holds the lock 'backup'")
  await expect(release()).rejects.toThrow('A newer version')
  expect((await release({ force: true })).outcome).toBe('released')
  expect((await acquire()).outcome).toBe('acquired')
})
