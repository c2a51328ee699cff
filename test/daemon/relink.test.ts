import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Log } from '../../src/daemon/host/log.ts'
import { toBytes } from '../../src/daemon/records/json-value.ts'
import { relinkTurnKey } from '../../src/daemon/records/keys.ts'
import { Relink } from '../../src/daemon/votes/relink.ts'
import { EmbeddedStore, type LeaseId, StoreTimeoutError } from '../../src/store/index.ts'

let folder: string
let store: EmbeddedStore
const nodes: Node[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-relink-'))
  store = new EmbeddedStore({ directory: folder })
})
afterEach(async () => {
  for (const node of nodes.splice(0)) node.relink.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const log: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

/** A node whose member is to be started anew, and does what the test says when its turn has come. */
class Node {
  lease: LeaseId | undefined
  must = true
  stops = 0
  /** How often it has looked whether it may act. */
  looks = 0
  /** Before the member stops. */
  before: () => Promise<void> = async () => undefined
  after: () => Promise<void> = async () => undefined
  readonly relink: Relink

  constructor(self: string) {
    this.relink = new Relink({
      self,
      log,
      store: () => store,
      lease: () => {
        this.looks += 1
        return this.lease
      },
      mustRelink: () => this.must,
      relink: async (hasTurn) => {
        await this.before()
        if (!(await hasTurn())) throw new Error('no turn any more')
        this.stops += 1
        await this.after()
        this.must = false
      },
      mayChange: () => false,
    })
    nodes.push(this)
  }

  async begin(): Promise<void> {
    this.lease = (await store.grantLease(60_000)).lease
    this.relink.look()
  }
}

const turn = async (): Promise<LeaseId | undefined> => (await store.get(relinkTurnKey))?.lease

test('members are brought to new links one after the other, and the turn is given back', async () => {
  const [one, two] = [new Node('n1'), new Node('n2')]
  await one.begin()
  await two.begin()
  await expect.poll(() => [one.must, two.must]).toEqual([false, false])
  await expect.poll(turn).toBeUndefined()
  expect([one.stops, two.stops]).toEqual([1, 1])
})

test('whose lease ended before its member stopped leaves it alone, and takes nobody’s turn away', async () => {
  const [one, two] = [new Node('n1'), new Node('n2')]
  one.before = async () => {
    if (one.lease === undefined) return
    await store.revokeLease(one.lease)
    one.lease = undefined
    two.after = () => new Promise(() => undefined)
    await two.begin()
    await expect.poll(() => two.stops).toBe(1)
    one.lease = (await store.grantLease(60_000)).lease
    one.before = async () => undefined
  }
  await one.begin()
  await expect.poll(() => two.stops).toBe(1)
  const { looks } = one
  await expect.poll(() => one.looks).toBeGreaterThan(looks + 5)
  expect(one.stops).toBe(0)
  expect(await turn()).toBe(two.lease)
})

test('a member that does not come back keeps the turn, so that no other stops', async () => {
  const [one, two] = [new Node('n1'), new Node('n2')]
  one.after = async () => {
    throw new Error('it does not answer')
  }
  await one.begin()
  await expect.poll(() => one.stops).toBeGreaterThan(0)
  await two.begin()
  await expect.poll(() => one.stops).toBeGreaterThan(2)
  expect([two.stops, await turn()]).toEqual([0, one.lease])
  one.after = async () => undefined
  await expect.poll(() => [one.must, two.must]).toEqual([false, false])
})

test('a turn that was written without an answer is this node’s', async () => {
  const written = store.transaction.bind(store)
  vi.spyOn(store, 'transaction').mockImplementationOnce(async (transaction) => {
    await written(transaction)
    throw new StoreTimeoutError('no answer')
  })
  const one = new Node('n1')
  await one.begin()
  await expect.poll(() => one.must).toBe(false)
  await expect.poll(turn).toBeUndefined()
})

test('the turn of a node that has gone without giving it back ends with its lease', async () => {
  const { lease } = await store.grantLease(60_000)
  await store.transaction({
    compare: [],
    writes: [{ kind: 'put', key: relinkTurnKey, value: toBytes({ node: 'n2' }), lease }],
  })
  const one = new Node('n1')
  await one.begin()
  await store.revokeLease(lease)
  await expect.poll(() => one.must).toBe(false)
})
