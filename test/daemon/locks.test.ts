import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type MonotonicMs, nodeName } from '../../src/base/index.ts'
import type { NodeStateRecord } from '../../src/cib/index.ts'
import { emptyView } from '../../src/controller/index.ts'
import { LockKeeper } from '../../src/daemon/locks/lock-keeper.ts'
import { afterAcquire, afterRelease, hasLeft, type LockRecord, parseLock } from '../../src/daemon/locks/lock-record.ts'
import { toBytes } from '../../src/daemon/records/json-value.ts'
import { jobKey, keys, lockKey } from '../../src/daemon/records/keys.ts'
import { EmbeddedStore } from '../../src/store/index.ts'
import { openStoreView } from '../support/open-store-view.ts'

const now = '2026-11-23T15:00:00.000Z'
const asking = { user: 'anna', node: nodeName('n1'), bootId: 'b1', now }
const asked = { name: 'backup', user: 'anna', ttlMs: 60_000, renew: false }
const held: LockRecord = {
  name: 'backup',
  owner: 'anna@n1',
  user: 'anna',
  node: nodeName('n1'),
  bootId: 'b1',
  since: '2026-11-23T14:00:00.000Z',
  renewed: '2026-11-23T14:00:00.000Z',
  ttlMs: 60_000,
}
const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

describe('acquire', () => {
  test('a free lock belongs to the user and the node, or to the owner that is named', () => {
    expect(afterAcquire(undefined, asked, asking)).toEqual({
      outcome: 'acquired',
      after: { ...held, since: now, renewed: now },
    })
    expect(afterAcquire(undefined, { ...asked, owner: 'deploy' }, asking)).toMatchObject({ after: { owner: 'deploy' } })
  })

  test('the same user without an owner has to wait; the owner that is named extends', () => {
    expect(afterAcquire(held, asked, asking)).toEqual({ outcome: 'held' })
    expect(afterAcquire(held, { ...asked, owner: 'anna@n1', ttlMs: 5 }, asking)).toEqual({
      outcome: 'renewed',
      after: { ...held, renewed: now, ttlMs: 5 },
    })
    const elsewhere = { ...asking, user: 'bert', node: nodeName('n2'), bootId: 'b2' }
    expect(afterAcquire(held, { ...asked, owner: 'anna@n1' }, elsewhere)).toMatchObject({
      after: { owner: 'anna@n1', since: held.since, user: 'bert', node: 'n2', bootId: 'b2' },
    })
    expect(afterAcquire(held, { ...asked, owner: 'bert' }, asking)).toEqual({ outcome: 'held' })
  })

  test('a lock that a process keeps is extended by that process only, and not acquired again once it is gone', () => {
    const kept = { ...held, holder: 'h1' }
    expect(afterAcquire(kept, { ...asked, owner: 'anna@n1' }, asking)).toEqual({ outcome: 'held' })
    expect(afterAcquire(kept, { ...asked, holder: 'h2', renew: true }, asking)).toEqual({ outcome: 'held' })
    expect(afterAcquire(kept, { ...asked, holder: 'h1', renew: true }, asking)).toMatchObject({ outcome: 'renewed' })
    expect(afterAcquire(undefined, { ...asked, holder: 'h1', renew: true }, asking)).toEqual({ outcome: 'free' })
  })
})

test('a lock is released by its owner, or by force', () => {
  const release = { name: 'backup', user: 'anna', force: false }
  expect(afterRelease(undefined, release, asking)).toEqual({ outcome: 'free' })
  expect(afterRelease(held, release, asking)).toEqual({ outcome: 'released', after: undefined })
  expect(afterRelease(held, release, { ...asking, node: nodeName('n2') })).toEqual({ outcome: 'held' })
  expect(afterRelease(held, { ...release, owner: 'bert' }, asking)).toEqual({ outcome: 'held' })
  expect(afterRelease({ ...held, holder: 'h1' }, release, asking)).toEqual({ outcome: 'held' })
  expect(afterRelease({ ...held, holder: 'h1' }, { ...release, force: true }, asking).outcome).toBe('released')
})

const state = (more: Partial<NodeStateRecord>): NodeStateRecord => ({
  node: nodeName('n1'),
  id: '1',
  inCcm: false,
  crmd: 'offline',
  join: 'down',
  expected: 'down',
  reason: 'test',
  ...more,
})
const viewWith = (member: { readonly bootId?: string } | undefined, record?: NodeStateRecord) =>
  ({
    members: new Map(member && [[nodeName('n1'), member]]),
    nodeStates: new Map(record && [[nodeName('n1'), record]]),
  }) as never

test('a node has left once it is known to be off, and not while it is only lost', () => {
  expect(hasLeft(viewWith({ bootId: 'b1' }), held)).toBe(false)
  expect(hasLeft(viewWith({ bootId: 'b2' }), held)).toBe(true)
  expect(hasLeft(viewWith({}), held)).toBe(false)
  expect(hasLeft(viewWith(undefined, state({ expected: 'member', join: 'down' })), held)).toBe(false)
  expect(hasLeft(viewWith(undefined, state({ expected: 'down', join: 'member' })), held)).toBe(false)
  expect(hasLeft(viewWith(undefined, state({})), held)).toBe(true)
  expect(hasLeft(viewWith(undefined), held)).toBe(true)
})

test('a record that another version has garbled is no lock', () => {
  expect(parseLock(held)).toEqual(held)
  for (const wrong of [undefined, null, 'x', {}, { ...held, owner: '' }, { ...held, ttlMs: '5' }])
    expect(parseLock(wrong)).toBeUndefined()
})

describe('on the DC', () => {
  let folder: string
  let store: EmbeddedStore
  let term: number | undefined
  let keeper: LockKeeper
  let close: () => void
  let time = 0

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'systole-locks-'))
    store = new EmbeddedStore({ directory: folder })
    await store.transaction({ compare: [], writes: [{ kind: 'put', key: keys.dc, value: toBytes({ node: 'n1' }) }] })
    term = (await store.get(keys.dc))?.createRevision
    const view = { ...emptyView, members: new Map([[nodeName('n1'), { bootId: 'b1' } as never]]) }
    const looked = await openStoreView(store, () => keeper?.look())
    keeper = new LockKeeper({
      log,
      store: () => store,
      view: () => view,
      below: looked.below,
      term: () => term,
      now: () => time as MonotonicMs,
    })
    close = looked.close
  })
  afterEach(async () => {
    keeper.close()
    close()
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const put = async (lock: LockRecord): Promise<void> => {
    await store.transaction({
      compare: [],
      writes: [{ kind: 'put', key: lockKey(lock.name), value: toBytes(lock) }],
    })
  }
  const isHeld = async (name: string): Promise<boolean> => (await store.get(lockKey(name))) !== undefined

  test('a lock whose time has run is freed, and the others stay', async () => {
    await put({ ...held, name: 'short', ttlMs: 50 })
    await put({ ...held, name: 'long' })
    keeper.look()
    time += 60
    keeper.look()
    await expect.poll(() => isHeld('short')).toBe(false)
    expect(await isHeld('long')).toBe(true)
  })

  test('one of a newer version is left alone', async () => {
    await store.transaction({
      compare: [],
      writes: [{ kind: 'put', key: lockKey('new'), value: toBytes({ lock: 'of another form' }) }],
    })
    await put({ ...held, node: nodeName('n2') })
    keeper.look()
    await expect.poll(() => isHeld('backup')).toBe(false)
    expect(await isHeld('new')).toBe(true)
  })

  test('one of a node that has left is freed at once', async () => {
    await put({ ...held, node: nodeName('n2') })
    keeper.look()
    await expect.poll(() => isHeld('backup')).toBe(false)
  })

  test('nobody but the DC frees, and a DC of before does not', async () => {
    term = undefined
    await put({ ...held, ttlMs: 1 })
    keeper.look()
    term = 4711
    keeper.look()
    time += 10
    keeper.look()
    const other: LockRecord = { ...held, name: 'other', ttlMs: 1 }
    await put(other)
    expect(await isHeld('backup')).toBe(true)
    // Its writes come after those that must have failed.
    term = (await store.get(keys.dc))?.createRevision
    keeper.look()
    time += 10
    keeper.look()
    await expect.poll(() => isHeld('other')).toBe(false)
  })

  test('a lock of a job is held until the job has ended, whatever becomes of its time and its node', async () => {
    const job = async (state: string | undefined): Promise<void> => {
      const key = jobKey('j1')
      const record = {
        id: 'j1',
        user: 'root',
        node: 'n2',
        created: '',
        argv: ['true'],
        timeoutMs: 1,
        begun: 0,
        nodes: [],
      }
      const value = toBytes({ ...record, order: 'parallel', limit: 1, state })
      await store.transaction({ compare: [], writes: [state ? { kind: 'put', key, value } : { kind: 'delete', key }] })
    }
    const lock = { ...held, node: nodeName('n2'), job: 'j1', ttlMs: 1 }
    await job('active')
    await put(lock)
    keeper.look()
    time += 10
    await put({ ...held, name: 'other', node: nodeName('n2') })
    await expect.poll(() => isHeld('other')).toBe(false)
    expect(await isHeld('backup')).toBe(true)
    await job('done')
    await expect.poll(() => isHeld('backup')).toBe(false)
    await put(lock)
    await job(undefined)
    await expect.poll(() => isHeld('backup')).toBe(false)
    expect(parseLock(JSON.parse(JSON.stringify(lock)))).toEqual(lock)
  })

  test('a lock that is extended begins its time again', async () => {
    await put({ ...held, ttlMs: 60_000 })
    keeper.look()
    time += 50_000
    await put({ ...held, ttlMs: 60_000, renewed: now })
    keeper.look()
    time += 50_000
    keeper.look()
    await put({ ...held, name: 'gone', node: nodeName('n2') })
    await expect.poll(() => isHeld('gone')).toBe(false)
    expect(await isHeld('backup')).toBe(true)
    time += 10_000
    keeper.look()
    await expect.poll(() => isHeld('backup')).toBe(false)
  })
})
