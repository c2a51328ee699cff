/** A node sees what was written on it before whoever asked is answered: a real store whose watch is held back, under the two doors of the daemon. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keys } from '../../src/daemon/records/keys.ts'
import { OwnWrites } from '../../src/daemon/records/own-writes.ts'
import { StoreCopy } from '../../src/daemon/records/store-view.ts'
import { EmbeddedStore, type Store } from '../../src/store/index.ts'

let folder: string
let embedded: EmbeddedStore
let copy: StoreCopy
let writes: OwnWrites
let store: Store
let warned: string[]
/** What the watch has brought while it is held back. */
let held: (() => void)[] | undefined

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'systole-own-writes-'))
  embedded = new EmbeddedStore({ directory: folder })
  warned = []
  held = []
  const slow: Store = {
    get: async (key) => await embedded.get(key),
    list: async (prefix) => await embedded.list(prefix),
    // As with etcd: a transaction that is applied has a revision of its own, also where what it deletes was not there, or it only compares.
    transaction: async (transaction) => {
      const mark = { kind: 'put', key: '/systole-request/1', value: Buffer.from('1') } as const
      return await embedded.transaction({ ...transaction, writes: [...transaction.writes, mark] })
    },
    watch: (prefix, from, listener) =>
      embedded.watch(prefix, from, {
        ...listener,
        onEvents: (...told) => {
          if (held === undefined) listener.onEvents(...told)
          else held.push(() => listener.onEvents(...told))
        },
      }),
    grantLease: async (ttlMs) => await embedded.grantLease(ttlMs),
    keepAlive: async (lease) => await embedded.keepAlive(lease),
    revokeLease: async (lease) => await embedded.revokeLease(lease),
    close: async () => await embedded.close(),
  }
  copy = new StoreCopy(
    () => slow,
    () => undefined,
  )
  copy.follow(await copy.list(), () => undefined)
  writes = new OwnWrites({ copy, log: { warn: (text) => void warned.push(text) }, withinMs: 60_000 })
  store = writes.noting(slow)
})
afterEach(async () => {
  copy.close()
  await embedded.close()
  rmSync(folder, { recursive: true, force: true })
})

function release(): void {
  const waiting = held ?? []
  held = undefined
  for (const tell of waiting) tell()
}

const put = async (key: string): Promise<unknown> =>
  await store.transaction({ compare: [], writes: [{ kind: 'put', key, value: Buffer.from('1') }] })
const untilHeld = async (): Promise<void> => await expect.poll(() => held?.length).toBeGreaterThan(0)

/** What became of a promise so far. */
function outcome(promise: Promise<unknown>): () => string {
  let now = 'waits'
  promise.then(
    () => {
      now = 'done'
    },
    (error: unknown) => {
      now = String(error)
    },
  )
  return () => now
}

describe('a command', () => {
  test('is answered when this node sees what it has written', async () => {
    const answer = outcome(writes.seen(async () => await put(keys.ticket('t'))))
    await untilHeld()
    expect(answer()).toBe('waits')
    release()
    await expect.poll(answer).toBe('done')
    expect(copy.get(keys.ticket('t'))).toBeDefined()
  })

  test('is refused then, too, where it wrote before', async () => {
    const answer = outcome(
      writes.seen(async () => {
        await put(keys.ticket('t'))
        throw new Error('no more room')
      }),
    )
    await untilHeld()
    expect(answer()).toBe('waits')
    release()
    await expect.poll(answer).toBe('Error: no more room')
  })

  test('that writes what is not in the copy is answered as well', async () => {
    release()
    const document = `${keys.configuration.replace('current', 'history')}/0000000001`
    await writes.seen(async () => await put(document))
    expect(copy.get(document)).toBeUndefined()
  })

  test('that only reads, or whose comparison failed, waits for nothing', async () => {
    await put(keys.ticket('t'))
    await untilHeld()
    expect(await writes.seen(async () => (await store.get(keys.ticket('t')))?.key)).toBe(keys.ticket('t'))
    const compare = [{ kind: 'absent', key: keys.ticket('t') } as const]
    await writes.seen(async () => await store.transaction({ compare, writes: [] }))
    expect(copy.get(keys.ticket('t'))).toBeUndefined()
  })
})

test('what changes nothing is waited for by nobody, and status says nothing of it', async () => {
  release()
  writes = new OwnWrites({ copy, log: { warn: (text) => void warned.push(text) }, withinMs: 50 })
  store = writes.noting(store)
  await writes.seen(async () => await put(keys.ticket('t')))
  for (const write of [
    { kind: 'delete', key: keys.ticket('u') },
    { kind: 'delete-prefix', prefix: keys.ticket('w') },
    undefined,
  ] as const)
    await writes.seen(async () => await store.transaction({ compare: [], writes: write === undefined ? [] : [write] }))
  expect(warned).toEqual([])
  expect(writes.notes()).toEqual([])
})

test('a deletion is waited for', async () => {
  release()
  await writes.seen(async () => await put(keys.ticket('t')))
  held = []
  const remove = { kind: 'delete', key: keys.ticket('t') } as const
  const answer = outcome(writes.seen(async () => await store.transaction({ compare: [], writes: [remove] })))
  await untilHeld()
  expect(answer()).toBe('waits')
  release()
  await expect.poll(answer).toBe('done')
  expect(copy.get(keys.ticket('t'))).toBeUndefined()
})

describe('a copy that hangs', () => {
  test('holds up one command, and status says that it does until it has caught up', async () => {
    writes = new OwnWrites({ copy, log: { warn: (text) => void warned.push(text) }, withinMs: 50 })
    store = writes.noting(store)
    await writes.seen(async () => await put(keys.ticket('t')))
    await writes.seen(async () => await put(keys.ticket('u')))
    expect(warned).toEqual(['this node does not see yet what it has written'])
    expect(writes.notes()).toEqual([expect.stringMatching(/^This node sees changes late: .*another node\.$/)])
    release()
    await expect.poll(() => writes.notes()).toEqual([])
    await writes.seen(async () => await put(keys.ticket('v')))
    expect(copy.get(keys.ticket('v'))).toBeDefined()
  })

  test('that is closed holds up nobody', async () => {
    const answer = outcome(writes.seen(async () => await put(keys.ticket('t'))))
    await untilHeld()
    copy.close()
    await expect.poll(answer).toBe('done')
  })
})
