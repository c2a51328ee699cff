/** A transaction that is sent several times is applied once, in whatever order its attempts arrive: on a real etcd, by hand. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { api, type TxnRequest } from '../../src/store/etcd/api.ts'
import { Members } from '../../src/store/etcd/attempts.ts'
import { Endpoint } from '../../src/store/etcd/endpoint.ts'
import type { EtcdStore } from '../../src/store/etcd/etcd-store.ts'
import { firstAttempt, type GuardedRequest, repeatedAttempt, verdictOf } from '../../src/store/etcd/exactly-once.ts'
import { type OpenSession, Sessions } from '../../src/store/etcd/session.ts'
import type { Transaction } from '../../src/store/index.ts'
import { machineClock } from '../../src/store/port/clock.ts'
import { EtcdCluster } from '../support/etcd-cluster.ts'
import { bytes, text } from './observing.ts'

let cluster: EtcdCluster
let store: EtcdStore
let endpoint: Endpoint
let sessions: Sessions
beforeAll(async () => {
  cluster = await EtcdCluster.start({ size: 1, tls: false })
  store = cluster.store()
  endpoint = new Endpoint(cluster.endpoints[0] ?? '', undefined)
  sessions = new Sessions(new Members([endpoint], machineClock))
})
afterAll(async () => {
  await sessions?.close()
  endpoint?.close()
  await store?.close()
  await cluster?.end()
})

const put = (key: string, value: string) => ({ kind: 'put', key, value: bytes(value) }) as const

class Request {
  readonly key = `/systole/${randomUUID()}`
  readonly open: OpenSession
  readonly guarded: GuardedRequest
  constructor(open: OpenSession, transaction: (key: string) => Transaction) {
    this.open = open
    this.guarded = { session: open.session, slot: open.take(), id: open.nextId(), transaction: transaction(this.key) }
  }
  async arrives(attempt: (request: GuardedRequest) => TxnRequest) {
    const verdict = verdictOf(this.guarded, await endpoint.call(api.txn, attempt(this.guarded), 5000).answer)
    return verdict.kind === 'decided' ? verdict.result : verdict.kind
  }
}

const ifAbsent = (key: string): Transaction => ({ compare: [{ kind: 'absent', key }], writes: [put(key, 'mine')] })
const always = (key: string): Transaction => ({ compare: [], writes: [put(key, 'mine')] })

test('the repetition of an applied transaction says applied, with the revision of the first', async () => {
  const request = new Request(await sessions.open(5000), always)
  const first = await request.arrives(firstAttempt)
  await store.transaction({ compare: [], writes: [put(`${request.key}-other`, 'between')] })
  expect(await request.arrives(repeatedAttempt)).toEqual(first)
  expect(await request.arrives(firstAttempt)).toEqual(first)
  expect(first).toMatchObject({ applied: true, revision: (await store.get(request.key))?.modRevision })
})

test('an attempt that was on its way while somebody else changed the key again does not undo that', async () => {
  const request = new Request(await sessions.open(5000), always)
  await request.arrives(repeatedAttempt)
  await store.transaction({ compare: [], writes: [put(request.key, 'theirs')] })
  expect(await request.arrives(firstAttempt)).toMatchObject({ applied: true })
  expect(text(await store.get(request.key))).toBe('theirs')
})

test('an attempt that arrives after the refusal of a repetition was reported is void, although it would hold now', async () => {
  const request = new Request(await sessions.open(5000), ifAbsent)
  await store.transaction({ compare: [], writes: [put(request.key, 'theirs')] })
  expect(await request.arrives(repeatedAttempt)).toMatchObject({ applied: false })
  await store.transaction({ compare: [], writes: [{ kind: 'delete', key: request.key }] })
  expect(await request.arrives(firstAttempt)).toMatchObject({ applied: false })
  expect(await request.arrives(repeatedAttempt)).toMatchObject({ applied: false })
  expect(await store.get(request.key)).toBeUndefined()
})

test('the next request of the slot makes every attempt of the last one void', async () => {
  const open = await sessions.open(5000)
  const first = new Request(open, always)
  await first.arrives(firstAttempt)
  const slot = { key: first.guarded.slot.key, value: `${first.guarded.id}:applied` }
  const second = { ...new Request(open, always).guarded, slot }
  expect(verdictOf(second, await endpoint.call(api.txn, firstAttempt(second), 5000).answer)).toMatchObject({
    kind: 'decided',
  })
  await store.transaction({ compare: [], writes: [put(first.key, 'theirs')] })
  expect(await first.arrives(repeatedAttempt)).toBe('session-lost')
  expect(text(await store.get(first.key))).toBe('theirs')
})

test('an attempt that wakes up after its client and its session are gone does nothing', async () => {
  const own = new Sessions(new Members([endpoint], machineClock))
  const request = new Request(await own.open(5000), always)
  await own.close()
  expect(await request.arrives(firstAttempt)).toBe('session-lost')
  expect(await request.arrives(repeatedAttempt)).toBe('session-lost')
  expect(await store.get(request.key)).toBeUndefined()
})

test('a client whose session was lost makes another and goes on', async () => {
  const client = cluster.store()
  await client.transaction({ compare: [], writes: [put('/systole/before', '')] })
  const { entries } = await store.list('/systole-request/')
  for (const lease of new Set(entries.map((entry) => entry.lease)))
    if (lease !== undefined) await store.revokeLease(lease)
  const { applied } = await client.transaction({ compare: [], writes: [put('/systole/after', '1')] })
  expect(applied).toBe(true)
  expect(text(await store.get('/systole/after'))).toBe('1')
  await client.close()
})

test('a client that closes leaves no request behind', async () => {
  const client = cluster.store()
  const before = new Set((await store.list('/systole-request/')).entries.map(({ key }) => key))
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => client.transaction({ compare: [], writes: [put(`/systole/n${i}`, '')] })),
  )
  const during = (await store.list('/systole-request/')).entries.filter(({ key }) => !before.has(key))
  expect(during.length).toBeGreaterThan(1)
  await client.close()
  const after = (await store.list('/systole-request/')).entries.filter(({ key }) =>
    during.some((entry) => entry.key === key),
  )
  expect(after).toEqual([])
})
