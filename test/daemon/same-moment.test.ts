/** Two changes at the same moment, and a view that lags behind the store: neither change is lost, and nothing is confirmed of another life. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { emptyView } from '../../src/controller/index.ts'
import { confirmFencing } from '../../src/daemon/records/confirm-fencing.ts'
import { fromBytes, toBytes } from '../../src/daemon/records/json-value.ts'
import { keys } from '../../src/daemon/records/keys.ts'
import { changeTicket } from '../../src/daemon/records/ticket-after.ts'
import { createStore, type Store } from '../../src/store/index.ts'

let folder: string
let store: Store

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-same-moment-'))
  store = createStore({ kind: 'embedded', directory: join(folder, 'store') })
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

async function recordAt(key: string): Promise<unknown> {
  const entry = await store.get(key)
  return entry && fromBytes(entry.value)
}

test('of changes of one ticket at the same moment none is lost', async () => {
  const change = (attributes: Readonly<Record<string, string>>, granted?: boolean) =>
    changeTicket(store, { id: 'north', attributes, forget: false, ...(granted === undefined ? {} : { granted }) }, 1000)
  await Promise.all([change({ owner: '1' }), change({ expires: '9' }), change({}, true), change({ 'booth-cfg': 'x' })])
  expect(await recordAt(keys.ticket('north'))).toEqual({
    id: 'north',
    granted: true,
    lastGranted: 1000,
    attributes: { owner: '1', expires: '9', 'booth-cfg': 'x' },
  })
})

test('a ticket that is forgotten and changed at the same moment has only what came later', async () => {
  await changeTicket(store, { id: 'north', attributes: { old: '1' }, forget: false, granted: true }, 1000)
  await Promise.all([
    changeTicket(store, { id: 'north', attributes: {}, forget: true }, 1001),
    changeTicket(store, { id: 'north', attributes: { fresh: '1' }, forget: false }, 1001),
  ])
  const left = await recordAt(keys.ticket('north'))
  expect([undefined, { id: 'north', granted: false, attributes: { fresh: '1' } }]).toContainEqual(left)
})

const beta = nodeName('beta')
const life = (incarnation: number) => ({ node: beta, incarnation })
const seen = (incarnation: number | undefined) => ({
  ...emptyView,
  members: new Map(incarnation === undefined ? [] : [[beta, life(incarnation) as never]]),
})

const confirmations = [
  { name: 'a node that is gone', stored: undefined, seenAs: undefined, taken: true },
  {
    name: 'a node whose record the view has lost already, and the store too',
    stored: undefined,
    seenAs: 1,
    taken: true,
  },
  { name: 'a node whose record has not ended yet', stored: 1, seenAs: 1, taken: true },
  { name: 'a node that has started again, which the view has not seen', stored: 2, seenAs: 1, taken: false },
  {
    name: 'a node that was gone and has started, which the view has not seen',
    stored: 2,
    seenAs: undefined,
    taken: false,
  },
] as const

test.each(confirmations)('$name: confirmed to be off $taken', async ({ stored, seenAs, taken }) => {
  if (stored !== undefined)
    await store.transaction({
      compare: [],
      writes: [{ kind: 'put', key: keys.member(beta), value: toBytes(life(stored)) }],
    })
  const confirmed = confirmFencing({ store, view: seen(seenAs) }, beta, 5000)
  if (taken) await confirmed
  else await expect(confirmed).rejects.toThrow('beta has started again')
  expect(await recordAt(keys.fencingConfirmed(beta))).toEqual(
    taken ? { node: 'beta', time: '1970-01-01T00:00:05.000Z', fencedAt: 5 } : undefined,
  )
})
