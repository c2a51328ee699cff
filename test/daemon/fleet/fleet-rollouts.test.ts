/** What the DC writes of a rollout over clusters, and whom it asks when: in a real store, with answers that come when a test lets them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodeName } from '../../../src/base/index.ts'
import type { PartAsk } from '../../../src/daemon/fleet/ask-part.ts'
import { FleetRollouts } from '../../../src/daemon/fleet/fleet-rollouts.ts'
import { fromBytes, toBytes } from '../../../src/daemon/records/json-value.ts'
import {
  fleetKey,
  fleetNewsKey,
  fleetNewsPrefix,
  fleetPrefix,
  fleetRolloutKey,
  fleetRolloutsPrefix,
  keys,
} from '../../../src/daemon/records/keys.ts'
import { type FleetRolloutRecord, newFleetRecord, type PartAnswer } from '../../../src/rollout/index.ts'
import { createStore, type Entry, type Store } from '../../../src/store/index.ts'

let folder: string
let store: Store
let rollouts: FleetRollouts
let known: Record<string, readonly Entry[]>
let term: number | undefined
let asked: PartAsk[]
let answer: ((answer: PartAnswer) => void) | undefined
let transactions: number

const patience = { timeout: 10_000 }
const put = async (key: string, value: unknown): Promise<unknown> =>
  await store.transaction({ compare: [], writes: [{ kind: 'put', key, value: toBytes(value) }] })
const stored = async (): Promise<FleetRolloutRecord> => {
  const entry = await store.get(fleetRolloutKey('f1'))
  if (entry === undefined) throw new Error('no record')
  return fromBytes(entry.value) as FleetRolloutRecord
}
/** The view of this node comes as far as the store. */
const see = async (): Promise<void> => {
  for (const prefix of [fleetPrefix, fleetNewsPrefix, fleetRolloutsPrefix])
    known[prefix] = (await store.list(prefix)).entries
}
const elect = async (): Promise<void> => {
  await store.transaction({ compare: [], writes: [{ kind: 'delete', key: keys.dc }] })
  await put(keys.dc, { node: 'n1' })
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'systole-fleet-'))
  store = createStore({ kind: 'embedded', directory: folder })
  await elect()
  term = (await store.get(keys.dc))?.createRevision
  await put(fleetKey('west'), {
    name: 'west',
    addresses: ['west'],
    token: 't',
    anchor: { kind: 'certificate', fingerprint: '' },
  })
  const news = { cluster: 'west', quorate: true, nodesOnline: 1, nodes: 1, urgent: 0, worst: [] }
  await put(fleetNewsKey('west'), { name: 'west', told: { kind: 'news', news }, since: 0 })
  const given = { id: 'f1', name: 'shop', version: '2', key: 'k', file: '{}', user: 'root', from: nodeName('n1') }
  await put(fleetRolloutKey('f1'), newFleetRecord({ ...given, waves: [['west']] }, 0))
  known = {}
  asked = []
  transactions = 0
  answer = undefined
  const ignore = (): void => undefined
  rollouts = new FleetRollouts({
    log: { debug: ignore, warn: ignore, error: ignore, info: ignore },
    seen: (prefix) => known[prefix],
    store: () => ({
      ...store,
      transaction: async (transaction) => await store.transaction(transaction).finally(() => transactions++),
    }),
    term: () => term,
    isCurrent: () => true,
    asks: {
      status: async () => await Promise.reject(new Error('not asked')),
      certificates: async () => [],
      plan: async () => ({ kind: 'failed', why: '' }),
      part: async (_, part) =>
        await new Promise<PartAnswer>((resolve) => {
          asked.push(part)
          answer = resolve
        }),
      close: ignore,
    },
  })
})
afterEach(async () => {
  rollouts.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

test('what is to be asked is written first; then the cluster is asked once, with its key, and what it answers is written', async () => {
  await see()
  await expect.poll(() => asked.length, patience).toBe(1)
  expect(asked[0]).toMatchObject({ kind: 'start', cluster: 'west', key: 'k/1', file: '{}' })
  expect((await stored()).parts[0]).toMatchObject({ phase: 'starting', attempt: 1 })
  await see()
  answer?.({ kind: 'part', id: 'r1', state: 'running', done: 0, nodes: 1 })
  await expect.poll(async () => (await stored()).parts[0]?.phase, patience).toBe('running')
  expect(asked.filter(({ kind }) => kind === 'start')).toHaveLength(1)
})

test('one that is the DC no longer writes nothing, and asks nobody to begin', async () => {
  await elect()
  await see()
  await expect.poll(() => transactions, patience).toBeGreaterThan(0)
  expect((await stored()).parts[0]).toMatchObject({ phase: 'waiting' })
  expect(asked).toEqual([])
})

test('an answer is kept until it is written, also when a person has changed the record meanwhile', async () => {
  await see()
  await expect.poll(() => asked.length, patience).toBe(1)
  // This node has not seen yet that somebody paused it.
  await see()
  await put(fleetRolloutKey('f1'), { ...(await stored()), state: 'paused' })
  const before = transactions
  answer?.({ kind: 'part', id: 'r1', state: 'running', done: 0, nodes: 1 })
  await expect.poll(() => transactions, patience).toBeGreaterThan(before)
  expect((await stored()).parts[0]).toMatchObject({ phase: 'starting' })
  await see()
  await expect.poll(async () => (await stored()).parts[0]?.id, patience).toBe('r1')
  expect((await stored()).state).toBe('paused')
  await see()
  await expect.poll(() => asked.at(-1), patience).toMatchObject({ kind: 'word', word: 'pause', id: 'r1' })
})
