/** The embedded store when its process is killed, its disk is full, its files are taken, its history is too short. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type MonotonicMs, monotonicMs } from '../../src/base/index.ts'
import { type Clock, createStore, EmbeddedStore, type Revision, type Store } from '../../src/store/index.ts'
import { bytes, eventually, Recorder, text } from './observing.ts'

const put = (key: string, value: string | Uint8Array) =>
  ({ kind: 'put', key, value: typeof value === 'string' ? bytes(value) : value }) as const

let directory = ''
let cleanUps: (() => Promise<void> | void)[] = []
// Below node_modules, so that the bundled program finds the packages that it does not hold.
const built = join(import.meta.dirname, `../../node_modules/.systole-test-${process.pid}`)
const program = join(built, 'host.mjs')

beforeAll(() => {
  buildSync({
    entryPoints: [join(import.meta.dirname, '../support/embedded-host.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    outfile: program,
  })
})
afterAll(() => rmSync(built, { recursive: true, force: true }))
afterEach(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp()
  cleanUps = []
})

function freshDirectory(): string {
  const fresh = mkdtempSync(join(tmpdir(), 'systole-store-'))
  cleanUps.push(() => rmSync(fresh, { recursive: true, force: true }))
  return fresh
}

async function opened(store: Store): Promise<Store> {
  cleanUps.push(() => store.close())
  return store
}

async function startHost(): Promise<ChildProcess> {
  const host = spawn(process.execPath, [program, join(directory, 'data'), join(directory, 'store.sock')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  cleanUps.push(() => ended(host, 'SIGKILL'))
  await new Promise<void>((resolve, reject) => {
    host.stdout?.once('data', () => resolve())
    host.once('exit', () => reject(new Error('the host ended before it was ready')))
  })
  return host
}

async function ended(host: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (host.exitCode !== null || host.signalCode !== null) return
  const exit = new Promise((resolve) => host.once('exit', resolve))
  host.kill('SIGCONT')
  host.kill(signal)
  await exit
}

describe('a store that another process hosts', () => {
  const client = () => opened(createStore({ kind: 'socket', path: join(directory, 'store.sock') }))

  test('keeps every confirmed change when its host is killed in the middle of the work, five times', async () => {
    directory = freshDirectory()
    let confirmed = 0
    let unknown = 0
    for (let round = 0; round < 5; round++) {
      const host = await startHost()
      const store = await client()
      const before = Number(text(await store.get('/systole/counter')) ?? '0')
      expect(before).toBeGreaterThanOrEqual(confirmed)
      expect(before).toBeLessThanOrEqual(confirmed + unknown)
      // A transaction is on disk whole: the record beside the counter is there, and none too many.
      expect((await store.list('/systole/n/')).entries).toHaveLength(before)
      confirmed = before
      unknown = 0
      const killAt = confirmed + 10 + round
      let killed: Promise<void> | undefined
      while (unknown === 0) {
        const next = confirmed + 1
        const change = store.transaction({
          compare: [],
          writes: [put('/systole/counter', String(next)), put(`/systole/n/${next}`, '')],
          timeoutMs: 1000,
        })
        if (next === killAt) killed = ended(host, 'SIGKILL')
        const result = await change.catch((error: Error) => error.name)
        if (typeof result === 'object') confirmed = next
        else unknown++
      }
      await killed
      await store.close()
    }
    expect(confirmed).toBeGreaterThan(40)
  }, 30_000)

  test('goes on for its clients when the host is started again: leases hold, watches resume or say that they lost', async () => {
    directory = freshDirectory()
    const first = await startHost()
    const store = await client()
    const { lease, ttlMs } = await store.grantLease(5000)
    await store.transaction({
      compare: [],
      writes: [{ ...put('/systole/dc', 'alpha'), lease }, put('/systole/other', '1')],
    })
    const { revision } = await store.list('/systole/')
    const seen = new Recorder()
    const behind = new Recorder()
    store.watch('/systole/', revision, seen.listener)
    store.watch('/systole/dc', (revision - 1) as Revision, behind.listener)
    await behind.until(() => behind.batches.length === 1)
    await ended(first, 'SIGKILL')
    await startHost()
    expect(await store.keepAlive(lease)).toEqual({ ttlMs })
    expect(text(await store.get('/systole/dc'))).toBe('alpha')
    const late = new Recorder()
    store.watch('/systole/', (revision - 1) as Revision, late.listener)
    await late.until(() => late.lost)
    const next = await store.transaction({ compare: [], writes: [put('/systole/dc', 'beta')] })
    expect(next.revision).toBeGreaterThan(revision)
    await seen.until(() => seen.revisions.includes(next.revision))
    await behind.until(() => behind.revisions.includes(next.revision))
    expect(seen.revisions).toEqual([next.revision])
  }, 30_000)

  test('is unavailable while nobody hosts it, and a change that was under way says that it may be saved', async () => {
    directory = freshDirectory()
    const store = await client()
    await expect(
      store.transaction({ compare: [], writes: [put('/systole/a', '1')], timeoutMs: 200 }),
    ).rejects.toMatchObject({
      name: 'StoreUnavailableError',
    })
    const host = await startHost()
    await store.transaction({ compare: [], writes: [put('/systole/a', '1')] })
    host.kill('SIGSTOP')
    await expect(
      store.transaction({ compare: [], writes: [put('/systole/a', '2')], timeoutMs: 200 }),
    ).rejects.toMatchObject({
      name: 'StoreTimeoutError',
    })
    host.kill('SIGCONT')
    await eventually(async () => text(await store.get('/systole/a')) === '2', 'the change was carried out after all')
  }, 30_000)

  test('does not let leases run out for its own pause: who renews in time by its socket keeps the lease', async () => {
    directory = freshDirectory()
    const host = await startHost()
    const store = await client()
    const { lease } = await store.grantLease(600)
    await store.transaction({ compare: [], writes: [{ ...put('/systole/dc', 'alpha'), lease }] })
    expect(await store.keepAlive(lease)).toEqual({ ttlMs: 600 })
    host.kill('SIGSTOP')
    await new Promise((resolve) => setTimeout(resolve, 300))
    host.kill('SIGCONT')
    expect(await store.keepAlive(lease)).toEqual({ ttlMs: 600 })
    expect(await store.get('/systole/dc')).toBeDefined()
    await ended(host, 'SIGKILL')
  }, 30_000)

  test('leases of a client that was killed run out', async () => {
    directory = freshDirectory()
    await startHost()
    const victim = await client()
    const { lease } = await victim.grantLease(300)
    await victim.transaction({ compare: [], writes: [{ ...put('/systole/members/alpha', 'x'), lease }] })
    await victim.close()
    const survivor = await client()
    const seen = new Recorder()
    const { revision } = await survivor.list('/systole/')
    survivor.watch('/systole/members/', revision, seen.listener)
    await seen.until(() => seen.batches.length === 1, 3000)
    expect(seen.batches[0]?.[0]?.kind).toBe('delete')
  }, 30_000)
})

describe('an embedded store', () => {
  test('finds after a restart what it had, and counts its revisions on', async () => {
    const data = freshDirectory()
    const first = new EmbeddedStore({ directory: data })
    const { revision } = await first.transaction({
      compare: [],
      writes: [put('/systole/a', '1'), put('/systole/b', '2')],
    })
    await first.close()
    const second = await opened(new EmbeddedStore({ directory: data }))
    const { entries, revision: now } = await second.list('/systole/')
    expect(entries.map((entry) => [entry.key, text(entry), entry.createRevision])).toEqual([
      ['/systole/a', '1', revision],
      ['/systole/b', '2', revision],
    ])
    expect(now).toBe(revision)
    const next = await second.transaction({ compare: [], writes: [{ kind: 'delete', key: '/systole/a' }] })
    expect(next.revision).toBe(revision + 1)
  })

  test('uses no revision for a transaction that changes nothing', async () => {
    const store = await opened(new EmbeddedStore({ directory: freshDirectory() }))
    const { revision } = await store.transaction({ compare: [], writes: [put('/systole/a', '1')] })
    const nothing = await store.transaction({ compare: [], writes: [{ kind: 'delete', key: '/systole/none' }] })
    expect(nothing).toEqual({ applied: true, revision })
  })

  test('is held by one process at a time, and a lock whose holder is gone does not count', async () => {
    const data = freshDirectory()
    const store = new EmbeddedStore({ directory: data })
    expect(() => new EmbeddedStore({ directory: data })).toThrow(/in use by process \d+/)
    await store.close()
    writeFileSync(join(data, 'held-by'), '999999999 1\n')
    const again = new EmbeddedStore({ directory: data })
    await again.close()
    writeFileSync(join(data, 'held-by'), `${process.pid} 1\n`)
    const third = new EmbeddedStore({ directory: data })
    await third.close()
    await expect(third.get('/systole/a')).rejects.toThrow(/closed/)
  })

  test('remembers only so many revisions; a watch from before is told that they are lost', async () => {
    const store = await opened(new EmbeddedStore({ directory: freshDirectory(), historyRevisions: 5 }))
    for (let i = 0; i < 10; i++) await store.transaction({ compare: [], writes: [put('/systole/a', String(i))] })
    const lost = new Recorder()
    store.watch('/systole/', 4 as Revision, lost.listener)
    await lost.until(() => lost.lost)
    const caught = new Recorder()
    store.watch('/systole/', 5 as Revision, caught.listener)
    await caught.until(() => caught.batches.length === 5)
    expect(caught.revisions).toEqual([6, 7, 8, 9, 10])
    const ahead = new Recorder()
    store.watch('/systole/', 11 as Revision, ahead.listener)
    await ahead.until(() => ahead.lost)
  })

  test('lets leases run out by the clock that it is given', async () => {
    const clock = new HandClock()
    const store = await opened(new EmbeddedStore({ directory: freshDirectory(), clock }))
    const { lease } = await store.grantLease(10_000)
    await store.transaction({ compare: [], writes: [{ ...put('/systole/dc', 'alpha'), lease }] })
    clock.advance(9_999)
    expect(await store.keepAlive(lease)).toEqual({ ttlMs: 10_000 })
    clock.advance(9_999)
    expect(await store.get('/systole/dc')).toBeDefined()
    clock.advance(2)
    expect(await store.keepAlive(lease)).toBe('lost')
    await eventually(async () => (await store.get('/systole/dc')) === undefined, 'the key is gone')
  })

  test('whose disk is full refuses the change, keeps what it has, and goes on once there is room', async () => {
    const parent = freshDirectory()
    const data = join(parent, 'data')
    mkdirSync(data)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', data])
    cleanUps.push(() => {
      execFileSync('umount', [data])
    })
    const store = await opened(new EmbeddedStore({ directory: data }))
    await store.transaction({ compare: [], writes: [put('/systole/kept', '1')] })
    const fill = async () => {
      for (let i = 0; i < 20; i++)
        await store.transaction({ compare: [], writes: [put(`/systole/fill/${i}`, new Uint8Array(1_000_000))] })
    }
    await expect(fill()).rejects.toMatchObject({
      name: 'StoreUnavailableError',
      message: expect.stringMatching(/could not be written .*Nothing was changed/),
    })
    expect(text(await store.get('/systole/kept'))).toBe('1')
    await store.transaction({ compare: [], writes: [{ kind: 'delete-prefix', prefix: '/systole/fill/' }] })
    expect((await store.transaction({ compare: [], writes: [put('/systole/after', '1')] })).applied).toBe(true)
  })
})

class HandClock implements Clock {
  #now = 0
  #timers: { readonly at: number; readonly callback: () => void }[] = []
  readonly now = (): MonotonicMs => {
    return monotonicMs(this.#now)
  }
  readonly after = (ms: number, callback: () => void): (() => void) => {
    const timer = { at: this.#now + ms, callback }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }
  advance(ms: number): void {
    this.#now += ms
    const due = this.#timers.filter(({ at }) => at <= this.#now)
    this.#timers = this.#timers.filter(({ at }) => at > this.#now)
    for (const { callback } of due) callback()
  }
}
