/** What the DC writes down of the other clusters: in a real store, with answers that come when a test lets them. */
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Fleet } from '../../../src/daemon/fleet/fleet.ts'
import { announced, followed } from '../../../src/daemon/fleet/follow-authority.ts'
import type { FleetTarget, Told } from '../../../src/daemon/fleet/told.ts'
import { fromBytes, toBytes } from '../../../src/daemon/records/json-value.ts'
import { fleetKey, fleetNewsKey, fleetNewsPrefix, fleetPrefix, keys } from '../../../src/daemon/records/keys.ts'
import { createAuthority, createNodeCertificate, type KeyPair } from '../../../src/rpc/index.ts'
import { createStore, type Entry, type Store } from '../../../src/store/index.ts'

let folder: string
let store: Store
let fleet: Fleet
let known: Readonly<Record<string, readonly Entry[]>>
let term: number | undefined
let answer: ((told: Told) => void) | undefined
let changes: string[]
let onTransaction: () => void = () => undefined
let certificates: () => Promise<readonly string[]> = async () => []

const well: Told = {
  kind: 'news',
  news: { cluster: 'west', quorate: true, nodesOnline: 3, nodes: 3, urgent: 0, worst: [] },
}
const put = async (key: string, value: unknown): Promise<unknown> =>
  await store.transaction({ compare: [], writes: [{ kind: 'put', key, value: toBytes(value) }] })
const stored = async (): Promise<unknown> => {
  const entry = await store.get(fleetNewsKey('west'))
  return entry && (fromBytes(entry.value) as { readonly told: Told }).told.kind
}
const see = async (): Promise<void> => {
  const below = async (prefix: string): Promise<readonly Entry[]> => (await store.list(prefix)).entries
  known = { [fleetPrefix]: await below(fleetPrefix), [fleetNewsPrefix]: await below(fleetNewsPrefix) }
}
/** The answer to the question that was asked last. */
const say = (told: Told): void => {
  const asked = answer
  answer = undefined
  asked?.(told)
}
/** When a change was asked of the store next. */
const asked = async (): Promise<void> =>
  await new Promise((resolve) => {
    onTransaction = resolve
  })
/** The DC's key is created anew: the next term. */
const elect = async (): Promise<void> => {
  await store.transaction({ compare: [], writes: [{ kind: 'delete', key: keys.dc }] })
  await put(keys.dc, { node: 'n1' })
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'systole-fleet-'))
  store = createStore({ kind: 'embedded', directory: folder })
  await elect()
  term = (await store.get(keys.dc))?.createRevision
  const anchor = { kind: 'certificate', fingerprint: 'AA' }
  await put(fleetKey('west'), { name: 'west', addresses: ['west'], token: 't', anchor, addedAt: 0, by: 'root' })
  await see()
  changes = []
  answer = undefined
  const ignore = (): void => undefined
  fleet = new Fleet({
    log: { debug: ignore, warn: ignore, error: ignore, info: (text) => void changes.push(text) },
    seen: (prefix) => known[prefix],
    store: () => ({
      ...store,
      transaction: async (transaction) =>
        await store.transaction(transaction).finally(() => setImmediate(onTransaction)),
    }),
    term: () => term,
    isCurrent: () => true,
    asks: {
      status: async () =>
        await new Promise<Told>((resolve) => {
          answer = resolve
        }),
      certificates: async () => await certificates(),
      part: async () => ({ kind: 'none' }),
      plan: async () => ({ kind: 'failed', why: '' }),
      close: ignore,
    },
  })
  await expect.poll(() => answer, { timeout: 10_000 }).toBeDefined()
})
afterEach(async () => {
  fleet.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

test('the DC writes down what it has heard, and logs the change', async () => {
  answer?.(well)
  await expect.poll(stored).toBe('news')
  await expect.poll(() => changes).toEqual(['a cluster of the fleet has changed'])
})

test('one that was the DC when it asked, and is it no longer in the store, writes nothing', async () => {
  await elect()
  const tried = asked()
  answer?.(well)
  await tried
  expect(await stored()).toBeUndefined()
  expect(changes).toEqual([])
})

test('an authority that is replaced over there is followed, where those who were believed have announced it', async () => {
  const [before, after, stranger] = await Promise.all(['before', 'after', 'stranger'].map(createAuthority))
  const certificate = (of: KeyPair | undefined): string => of?.certificate ?? ''
  const shown = await createNodeCertificate(after as KeyPair, { name: 'w1', addresses: [] })
  const print = (of: KeyPair | undefined): string => new X509Certificate(certificate(of)).fingerprint256
  const record = { name: 'west', addresses: ['west'], token: 't', addedAt: 0, by: 'root' }
  const anchor = { kind: 'authority' as const, certificate: certificate(before) }
  const first: FleetTarget & { readonly next?: readonly string[] } = { ...record, anchor }
  // Only who is believed by the one before announces another.
  expect(announced(first, [print(stranger)])).toBeUndefined()
  expect(announced(first, [print(before)])).toBeUndefined()
  expect(announced(first, [print(before), print(after)])).toEqual([print(after)])
  const chain = async () => [shown.certificate, certificate(after)]
  expect(await followed(first, { certificates: chain })).toBeUndefined()
  expect(await followed({ ...first, next: [print(stranger)] }, { certificates: chain })).toBeUndefined()
  const found = await followed({ ...first, next: [print(after)] }, { certificates: chain })
  expect(found?.kind === 'authority' && new X509Certificate(found.certificate).fingerprint256).toBe(print(after))
  // A certificate of another authority beside the announced one.
  const forged = await createNodeCertificate(stranger as KeyPair, { name: 'w1', addresses: [] })
  const mixed = async () => [forged.certificate, certificate(after)]
  expect(await followed({ ...first, next: [print(after)] }, { certificates: mixed })).toBeUndefined()
  // And the DC writes it down.
  await put(fleetKey('west'), { ...record, anchor })
  await see()
  say({ ...well, authorities: [print(before), print(after)] } as Told)
  const next = async (): Promise<unknown> => {
    const entry = await store.get(fleetKey('west'))
    return entry && (fromBytes(entry.value) as { readonly next?: unknown }).next
  }
  await expect.poll(stored).toBe('news')
  await see()
  answer = undefined
  await expect.poll(() => answer, { timeout: 15_000 }).toBeDefined()
  say({ ...well, authorities: [print(before), print(after)] } as Told)
  await expect.poll(next).toEqual([print(after)])
  certificates = chain
  await see()
  answer = undefined
  await expect.poll(() => answer, { timeout: 15_000 }).toBeDefined()
  say({ kind: 'untrusted', why: 'x' })
  await expect.poll(() => answer, { timeout: 5000 }).toBeDefined()
  say(well)
  await expect.poll(next).toBeUndefined()
  expect(changes).toContain('a cluster of the fleet has another authority, which it had announced')
  expect(await stored()).toBe('news')
}, 60_000)
