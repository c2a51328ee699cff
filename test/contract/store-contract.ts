/** What every store does, whichever adapter: one suite, which each adapter's test file runs with a store of its own. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Entry, LeaseId, Revision, Store, StoreEvent, Transaction } from '../../src/store/index.ts'
import { bytes, Recorder, text } from './observing.ts'

export interface Harness {
  /** Another client of the same store. */
  readonly open: () => Promise<Store>
  readonly end: () => Promise<void>
  /** How much later than its time a lease may run out, by the adapter's own rules. */
  readonly leaseSlackMs: number
}

const put = (key: string, value: string, lease?: LeaseId) =>
  ({ kind: 'put', key, value: bytes(value), ...(lease === undefined ? {} : { lease }) }) as const

export function storeContract(name: string, begin: () => Promise<Harness>): void {
  describe(name, () => {
    let harness: Harness
    let store: Store
    beforeAll(async () => {
      harness = await begin()
      store = await harness.open()
    }, 60_000)
    afterAll(async () => {
      await store?.close()
      await harness?.end()
    }, 60_000)

    /** Every test works below a folder of its own. */
    const folder = () => `/systole/${randomUUID()}/`
    const write = (...writes: Transaction['writes']) => store.transaction({ compare: [], writes })

    test('what is written can be read, with the revisions of its making and its last change', async () => {
      const key = `${folder()}a`
      expect(await store.get(key)).toBeUndefined()
      const first = await write(put(key, 'one'))
      const second = await write(put(key, 'two'))
      expect(first.applied && second.applied).toBe(true)
      expect(second.revision).toBeGreaterThan(first.revision)
      const entry = await store.get(key)
      expect(text(entry)).toBe('two')
      expect(entry).toMatchObject({ createRevision: first.revision, modRevision: second.revision })
      expect(entry?.lease).toBeUndefined()
    })

    test('any bytes survive, also none and a megabyte', async () => {
      const at = folder()
      const all = Uint8Array.from({ length: 256 }, (_, i) => i)
      const large = new Uint8Array(1_000_000).fill(7)
      await store.transaction({
        compare: [],
        writes: [
          { kind: 'put', key: `${at}all`, value: all },
          { kind: 'put', key: `${at}none`, value: new Uint8Array() },
        ],
      })
      await store.transaction({ compare: [], writes: [{ kind: 'put', key: `${at}large`, value: large }] })
      expect((await store.get(`${at}all`))?.value).toEqual(all)
      expect((await store.get(`${at}none`))?.value).toEqual(new Uint8Array())
      expect(Buffer.compare((await store.get(`${at}large`))?.value ?? new Uint8Array(), large)).toBe(0)
    })

    test('a list holds what is under its prefix, sorted by key, and the revision that it was read at', async () => {
      const at = folder()
      await write(put(`${at}b`, '2'), put(`${at}a/x`, '1'), put(`${at}c`, '3'))
      const last = await write(put(`${at.slice(0, -1)}-beside`, 'not under it'))
      const { entries, revision } = await store.list(at)
      expect(entries.map((entry) => [entry.key, text(entry)])).toEqual([
        [`${at}a/x`, '1'],
        [`${at}b`, '2'],
        [`${at}c`, '3'],
      ])
      expect(revision).toBeGreaterThanOrEqual(last.revision)
      expect((await store.list(at, { serializable: true })).entries.length).toBeGreaterThanOrEqual(0)
    })

    const comparisons: readonly {
      readonly name: string
      readonly compare: (key: string, entry: Entry) => Transaction['compare'][number]
      readonly holds: boolean
      readonly holdsWhenAbsent: boolean
    }[] = [
      { name: 'present', compare: (key) => ({ kind: 'present', key }), holds: true, holdsWhenAbsent: false },
      { name: 'absent', compare: (key) => ({ kind: 'absent', key }), holds: false, holdsWhenAbsent: true },
      {
        name: 'its mod revision',
        compare: (key, { modRevision }) => ({ kind: 'mod-revision', key, equals: modRevision }),
        holds: true,
        holdsWhenAbsent: false,
      },
      {
        name: 'another mod revision',
        compare: (key, { createRevision }) => ({ kind: 'mod-revision', key, equals: createRevision }),
        holds: false,
        holdsWhenAbsent: false,
      },
      {
        name: 'the mod revision of a key that never was',
        compare: (key) => ({ kind: 'mod-revision', key, equals: 0 as Revision }),
        holds: false,
        holdsWhenAbsent: true,
      },
      {
        name: 'its create revision',
        compare: (key, { createRevision }) => ({ kind: 'create-revision', key, equals: createRevision }),
        holds: true,
        holdsWhenAbsent: false,
      },
      {
        name: 'its value',
        compare: (key, { value }) => ({ kind: 'value', key, equals: value }),
        holds: true,
        holdsWhenAbsent: false,
      },
      {
        name: 'another value',
        compare: (key) => ({ kind: 'value', key, equals: bytes('other') }),
        holds: false,
        holdsWhenAbsent: false,
      },
      {
        name: 'the empty value',
        compare: (key) => ({ kind: 'value', key, equals: new Uint8Array() }),
        holds: false,
        holdsWhenAbsent: false,
      },
    ]
    for (const { name, compare, holds, holdsWhenAbsent } of comparisons)
      test(`a transaction that compares with ${name} writes only where that holds`, async () => {
        const at = folder()
        await write(put(`${at}key`, 'first'))
        await write(put(`${at}key`, 'second'))
        const entry = await store.get(`${at}key`)
        if (entry === undefined) throw new Error('the key was written')
        const there = await store.transaction({
          compare: [compare(`${at}key`, entry)],
          writes: [put(`${at}result`, 'written')],
        })
        expect(there.applied).toBe(holds)
        expect((await store.get(`${at}result`)) !== undefined).toBe(holds)
        const without = await store.transaction({ compare: [compare(`${at}missing`, entry)], writes: [] })
        expect(without.applied).toBe(holdsWhenAbsent)
      })

    test('a transaction writes everything or nothing, in one revision', async () => {
      const at = folder()
      await write(put(`${at}old/a`, '1'), put(`${at}old/b`, '1'), put(`${at}c`, '1'))
      const refused = await store.transaction({
        compare: [
          { kind: 'present', key: `${at}c` },
          { kind: 'absent', key: `${at}c` },
        ],
        writes: [{ kind: 'delete', key: `${at}c` }, put(`${at}d`, '1')],
      })
      expect(refused.applied).toBe(false)
      expect((await store.list(at)).entries).toHaveLength(3)
      const applied = await write(
        { kind: 'delete-prefix', prefix: `${at}old/` },
        { kind: 'delete', key: `${at}c` },
        put(`${at}d`, '2'),
      )
      const { entries } = await store.list(at)
      expect(entries.map(({ key, modRevision }) => [key, modRevision])).toEqual([[`${at}d`, applied.revision]])
    })

    test('a key that is deleted and made again has a new create revision, which is how a term grows', async () => {
      const key = `${folder()}dc`
      const first = await write(put(key, 'alpha'))
      await write({ kind: 'delete', key })
      const second = await write(put(key, 'beta'))
      const entry = await store.get(key)
      expect(entry?.createRevision).toBe(second.revision)
      expect(second.revision).toBeGreaterThan(first.revision)
    })

    test('a transaction that writes one key twice is a bug, whichever the store', async () => {
      const at = folder()
      await expect(async () => write(put(`${at}a`, '1'), put(`${at}a`, '2'))).rejects.toThrow(/Broken invariant/)
      await expect(async () => write({ kind: 'delete-prefix', prefix: at }, put(`${at}a`, '2'))).rejects.toThrow(
        /Broken invariant/,
      )
    })

    test('of many clients that increase one counter by compare-and-swap, none loses an increase', async () => {
      const key = `${folder()}counter`
      await write(put(key, '0'))
      const clients = await Promise.all(Array.from({ length: 4 }, () => harness.open()))
      const increase = async (client: Store): Promise<void> => {
        for (;;) {
          const entry = await client.get(key)
          if (entry === undefined) throw new Error('the counter is there')
          const { applied } = await client.transaction({
            compare: [{ kind: 'mod-revision', key, equals: entry.modRevision }],
            writes: [put(key, String(Number(text(entry)) + 1))],
          })
          if (applied) return
        }
      }
      await Promise.all(clients.flatMap((client) => Array.from({ length: 10 }, () => increase(client))))
      expect(text(await store.get(key))).toBe('40')
      await Promise.all(clients.map((client) => client.close()))
    })

    test('a watch delivers what happened after its revision, each revision once and whole', async () => {
      const at = folder()
      const before = await write(put(`${at}a`, '0'))
      await write(put(`${at}a`, '1'), put(`${at}b`, '1'))
      const seen = new Recorder()
      const watch = store.watch(at, before.revision, seen.listener)
      await write(put(`${at.slice(0, -1)}-beside`, 'unseen'))
      await write({ kind: 'delete', key: `${at}a` })
      const last = await write({ kind: 'delete-prefix', prefix: at }, put(`${at.slice(0, -1)}-beside`, 'unseen'))
      await seen.until(() => seen.revisions.includes(last.revision))
      expect(seen.batches.map((events) => events.map(short))).toEqual([['a=1', 'b=1'], ['-a'], ['-b']])
      expect(new Set(seen.revisions).size).toBe(seen.revisions.length)
      expect([...seen.revisions].sort((a, b) => a - b)).toEqual(seen.revisions)
      watch.close()
    })

    test('a watch that was closed delivers nothing more', async () => {
      const at = folder()
      const { revision } = await store.list(at)
      const closed = new Recorder()
      const open = new Recorder()
      store.watch(at, revision, closed.listener).close()
      const watch = store.watch(at, revision, open.listener)
      await write(put(`${at}a`, '1'))
      await open.until(() => open.batches.length === 1)
      expect(closed.batches).toEqual([])
      watch.close()
    })

    test('writers and watchers agree on the order of a hundred changes', async () => {
      const at = folder()
      const { revision } = await store.list(at)
      const watchers = [new Recorder(), new Recorder()]
      const other = await harness.open()
      const watches = [
        store.watch(at, revision, watchers[0]?.listener ?? fail()),
        other.watch(at, revision, watchers[1]?.listener ?? fail()),
      ]
      const results = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          (i % 2 === 0 ? store : other).transaction({ compare: [], writes: [put(`${at}k${i % 7}`, String(i))] }),
        ),
      )
      const revisions = results.map((result) => result.revision).sort((a, b) => a - b)
      expect(new Set(revisions).size).toBe(100)
      for (const watcher of watchers) {
        await watcher.until(() => watcher.batches.length === 100)
        expect(watcher.revisions).toEqual(revisions)
      }
      for (const watch of watches) watch.close()
      await other.close()
    })

    test('the keys under a lease go when it runs out, not before, in one revision, and its holder learns it', async () => {
      const at = folder()
      const begun = performance.now()
      const { lease, ttlMs } = await store.grantLease(1000)
      expect(ttlMs).toBeGreaterThanOrEqual(1000)
      const made = await write(
        put(`${at}member`, 'alpha', lease),
        put(`${at}dc`, 'alpha', lease),
        put(`${at}stays`, 'x'),
      )
      expect((await store.get(`${at}member`))?.lease).toBe(lease)
      const seen = new Recorder()
      const watch = store.watch(at, made.revision, seen.listener)
      await seen.until(() => seen.batches.length > 0)
      const tookMs = performance.now() - begun
      expect(tookMs).toBeGreaterThanOrEqual(ttlMs)
      expect(tookMs).toBeLessThan(ttlMs + harness.leaseSlackMs)
      expect(seen.batches.flat().map(short).sort()).toEqual(['-dc', '-member'])
      expect(await store.keepAlive(lease)).toBe('lost')
      expect((await store.list(at)).entries.map(({ key }) => key)).toEqual([`${at}stays`])
      watch.close()
    })

    test('a lease that is kept alive outlives its time, from whichever client', async () => {
      const key = `${folder()}member`
      const { lease, ttlMs } = await store.grantLease(1000)
      await write(put(key, 'alpha', lease))
      const other = await harness.open()
      const end = performance.now() + 2 * ttlMs + harness.leaseSlackMs
      while (performance.now() < end) {
        expect(await other.keepAlive(lease)).toEqual({ ttlMs })
        await new Promise((resolve) => setTimeout(resolve, ttlMs / 5))
      }
      expect(await store.get(key)).toBeDefined()
      await store.revokeLease(lease)
      expect(await store.get(key)).toBeUndefined()
      await store.revokeLease(lease)
      await other.close()
    })

    test('nothing is put under a lease that is gone, and the result says why', async () => {
      const at = folder()
      const { lease } = await store.grantLease(60_000)
      await store.revokeLease(lease)
      const result = await write(put(`${at}dc`, 'alpha', lease), put(`${at}other`, 'x'))
      expect(result).toMatchObject({ applied: false, leaseLost: true })
      expect((await store.list(at)).entries).toEqual([])
      expect((await write(put(`${at}dc`, 'beta'))).applied).toBe(true)
    })

    test('a key that is put again without a lease, or under another, is free of the first', async () => {
      const at = folder()
      const first = await store.grantLease(60_000)
      const second = await store.grantLease(60_000)
      await write(put(`${at}a`, '1', first.lease), put(`${at}b`, '1', first.lease), put(`${at}c`, '1', first.lease))
      await write(put(`${at}a`, '2'), put(`${at}b`, '2', second.lease))
      await store.revokeLease(first.lease)
      expect((await store.list(at)).entries.map(({ key }) => key)).toEqual([`${at}a`, `${at}b`])
      await store.revokeLease(second.lease)
      expect((await store.list(at)).entries.map(({ key }) => key)).toEqual([`${at}a`])
    })

    test('one of two candidates becomes DC, and the next one after the revocation of its lease, with a higher term', async () => {
      const key = `${folder()}dc`
      const other = await harness.open()
      const candidates = [store, other]
      const leases = await Promise.all(candidates.map((client) => client.grantLease(60_000)))
      const stand = () =>
        Promise.all(
          candidates.map((client, i) =>
            client.transaction({ compare: [{ kind: 'absent', key }], writes: [put(key, String(i), leases[i]?.lease)] }),
          ),
        )
      const first = await stand()
      expect(first.filter(({ applied }) => applied)).toHaveLength(1)
      const term = (await store.get(key))?.createRevision ?? 0
      const winner = first.findIndex(({ applied }) => applied)
      await other.revokeLease(leases[winner]?.lease ?? fail())
      const second = await candidates[1 - winner]?.transaction({
        compare: [{ kind: 'absent', key }],
        writes: [put(key, String(1 - winner), leases[1 - winner]?.lease)],
      })
      expect(second?.applied).toBe(true)
      expect((await store.get(key))?.createRevision).toBeGreaterThan(term)
      await other.close()
    })
  })
}

function short(event: StoreEvent): string {
  const key = (event.kind === 'put' ? event.entry.key : event.key).split('/').at(-1)
  return event.kind === 'put' ? `${key}=${text(event.entry)}` : `-${key}`
}

function fail(): never {
  throw new Error('unreachable')
}
