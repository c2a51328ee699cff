import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import { type ClusterView, emptyView } from '../../src/controller/index.ts'
import { openLog } from '../../src/daemon/host/log.ts'
import { defaultPorts, defaultTimings } from '../../src/daemon/node-list/cluster-file.ts'
import { fromBytes, toBytes } from '../../src/daemon/records/json-value.ts'
import { keys, rolloutKey, tasksPrefix } from '../../src/daemon/records/keys.ts'
import { RolloutKeeper } from '../../src/daemon/rollout/rollout-keeper.ts'
import { newRecord, type RolloutRecord, readRollout } from '../../src/rollout/index.ts'
import { EmbeddedStore, type Entry, type Store, StoreUnavailableError } from '../../src/store/index.ts'
import { memberRecord, storeWith } from '../support/stores.ts'

/** What takes rollouts on, beside a store of its own: which steps it writes, when, and what it leaves alone. */
const n1 = nodeName('n1')
const patience = { timeout: 20_000, interval: 20 }
let folder: string
let store: EmbeddedStore
let dc: number
let keepers: RolloutKeeper[]
let transactions: number

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'systole-rollout-keeper-'))
  store = new EmbeddedStore({ directory: folder })
  keepers = []
  transactions = 0
  const { revision } = await store.transaction({
    compare: [],
    writes: [{ kind: 'put', key: keys.dc, value: toBytes({ node: n1 }) }],
  })
  dc = revision
})

afterEach(async () => {
  for (const keeper of keepers) keeper.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
  expect(transactions, 'a keeper writes without end').toBeLessThan(mostTransactions)
})

const mostTransactions = 50

/** As a store over the network, which leaves the thread to others; a keeper that writes without an end is not answered any more. */
const bounded = (of: Store): Store =>
  storeWith(of, {
    transaction: async (asked) => {
      await new Promise((resolve) => setImmediate(resolve))
      if (++transactions > mostTransactions) return await new Promise(() => undefined)
      return await of.transaction(asked)
    },
  })

function rollout(id: string): RolloutRecord {
  const read = readRollout({
    rollout: 'shop',
    version: '2',
    nodes: 'all',
    steps: { hold: 'none', actions: [{ run: ['install'] }] },
  })
  if (!read.ok) throw new Error('the file is right')
  const given = { id, definition: read.value, limits: [], user: 'anna', from: n1, before: new Map() }
  return newRecord({ ...given, waves: [{ nodes: [n1] }] }, 0)
}

async function putRollout(id: string, record: RolloutRecord = rollout(id)): Promise<void> {
  const write = { kind: 'put', key: rolloutKey(id), value: toBytes(record) } as const
  await store.transaction({ compare: [], writes: [write] })
}

const stored = async (): Promise<readonly Entry[]> => (await store.list('/systole/')).entries
const tasks = async (): Promise<number> => (await stored()).filter(({ key }) => key.startsWith(tasksPrefix)).length
const recordOf = async (id: string): Promise<RolloutRecord> => {
  const entry = await store.get(rolloutKey(id))
  return fromBytes(entry?.value ?? new Uint8Array()) as RolloutRecord
}

const names = [n1, nodeName('n2'), nodeName('n3')]
const parsed = parseXml(
  `<cib><configuration><crm_config/><nodes>${names.map((name) => `<node id="${name}" uname="${name}"/>`).join('')}</nodes><resources/><constraints/></configuration></cib>`,
)
if (!parsed.ok) throw new Error('bad test')
const online = { inCcm: true, crmd: 'online', join: 'member', expected: 'member' } as const
const view: ClusterView = {
  ...emptyView,
  configuration: { version: 1, cib: parsed.value, typed: readConfiguration(parsed.value) },
  nodeStates: new Map(names.map((node) => [node, { node, id: node, ...online }])),
  members: new Map(names.map((node) => [node, memberRecord(node)])),
}
const file = {
  clusterName: 'x',
  nodes: names.map((name) => ({ name, id: name, address: name, ports: defaultPorts, votes: true })),
  nodesVersion: 1,
  store: { kind: 'embedded' },
  timings: defaultTimings,
} as const

interface Seen {
  entries: readonly Entry[]
  revision: number
}

/** `seen`: as this node's view has it, which may be behind the store. */
function keeperOf(seen: Seen, { term = () => dc as number | undefined, into = store as Store } = {}): RolloutKeeper {
  const keeper = new RolloutKeeper({
    log: openLog('n1', 'silent'),
    store: () => bounded(into),
    view: () => ({ ...view, revision: seen.revision }),
    below: (prefix) => seen.entries.filter(({ key }) => key.startsWith(prefix)),
    file: () => file,
    witnessUp: () => false,
    term,
    settled: () => true,
  })
  keepers.push(keeper)
  return keeper
}

async function look(seen: Seen, keeper: RolloutKeeper): Promise<void> {
  const { entries, revision } = await store.list('/systole/')
  Object.assign(seen, { entries, revision })
  keeper.look()
}

const nothing = (): Seen => ({ entries: [], revision: 0 })

test('a rollout goes on step by step, also when nothing of the store changes', async () => {
  await putRollout('r1')
  const seen = nothing()
  const keeper = keeperOf(seen)
  await expect
    .poll(async () => {
      await look(seen, keeper)
      return await tasks()
    }, patience)
    .toBe(1)
  // It waits for the task now: there is nothing to write, however often it looks.
  const settledAt = transactions
  for (let again = 0; again < 5; again++) {
    await look(seen, keeper)
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  expect(transactions).toBe(settledAt)
})

test('a step that waits for nothing that the store announces is made all the same', async () => {
  await putRollout('r1')
  const seen = nothing()
  await look(seen, keeperOf(seen))
  await expect.poll(() => transactions, patience).toBe(1)
  // This node sees it now, and nobody says so.
  const { entries, revision } = await store.list('/systole/')
  Object.assign(seen, { entries, revision })
  await expect.poll(() => transactions, patience).toBe(2)
})

test('the next step waits until this node has seen the one before', async () => {
  await putRollout('r1')
  await putRollout('r2')
  const seen = nothing()
  const made: number[] = []
  const counting = storeWith(store, {
    transaction: async (asked) => {
      const done = await store.transaction(asked)
      made.push(done.revision)
      return done
    },
  })
  const keeper = keeperOf(seen, { into: counting })
  await look(seen, keeper)
  // Of two at once, too: the second must not take a node that the first has taken.
  keeper.look()
  await expect.poll(() => made.length, patience).toBe(1)
  for (let again = 0; again < 5; again++) {
    keeper.look()
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  expect(made).toHaveLength(1)
  await look(seen, keeper)
  await expect.poll(() => made.length, patience).toBe(2)
})

test('a node that is not the DC any more writes nothing, whether it knows that or not', async () => {
  await putRollout('r1')
  const before = await recordOf('r1')
  const seen = nothing()
  await look(seen, keeperOf(seen, { term: () => undefined }))
  let answers = 0
  const telling = storeWith(store, {
    transaction: async (asked) => {
      const done = await store.transaction(asked)
      expect(done.applied).toBe(false)
      answers += 1
      return done
    },
  })
  await look(seen, keeperOf(seen, { term: () => dc + 1, into: telling }))
  await expect.poll(() => answers, patience).toBeGreaterThan(0)
  // A write that was refused is not tried again at once.
  await new Promise((turn) => setImmediate(turn))
  expect(answers).toBeLessThan(3)
  expect(await recordOf('r1')).toEqual(before)
})

test('a store that fails is asked again, and one that is closed no more', async () => {
  await putRollout('r1')
  const seen = nothing()
  let failures = 0
  const failing = storeWith(store, {
    transaction: async (asked) => {
      if (failures++ === 0) throw new StoreUnavailableError('no leader')
      return await store.transaction(asked)
    },
  })
  const keeper = keeperOf(seen, { into: failing })
  const before = await recordOf('r1')
  await look(seen, keeper)
  await expect.poll(async () => await recordOf('r1'), patience).not.toEqual(before)
  keeper.close()
  const closedAt = failures
  await look(seen, keeper)
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(failures).toBe(closedAt)
})
