import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type NodeName, nodeName } from '../../src/base/index.ts'
import { type ClusterView, emptyView } from '../../src/controller/index.ts'
import type { Log } from '../../src/daemon/host/log.ts'
import { RestartNotice } from '../../src/daemon/node/restart-notice.ts'
import { fromBytes } from '../../src/daemon/records/json-value.ts'
import { keys } from '../../src/daemon/records/keys.ts'
import { EmbeddedStore, type Write } from '../../src/store/index.ts'
import { memberRecord, storeWith } from '../support/stores.ts'

const [n1, n2, n3] = [nodeName('n1'), nodeName('n2'), nodeName('n3')]

let folder: string
let real: EmbeddedStore

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-restart-notice-'))
  real = new EmbeddedStore({ directory: folder })
})

afterEach(async () => {
  await real.close()
  rmSync(folder, { recursive: true, force: true })
})

const ignore = (): void => undefined

function noticing(view: () => ClusterView, fails = false) {
  const writes: Write[] = []
  const warned: unknown[] = []
  const log: Log = { debug: ignore, info: ignore, warn: (...told: unknown[]) => warned.push(told), error: ignore }
  const store = storeWith(real, {
    transaction: async (asked) => {
      if (fails) throw new Error('no majority')
      writes.push(...asked.writes)
      return await real.transaction(asked)
    },
  })
  return { notice: new RestartNotice({ self: n1, incarnation: 7, log, store: () => store, view }), writes, warned }
}

type Lives = readonly (readonly [NodeName, number])[]

const viewOf = (restarts: Lives, members: Lives): ClusterView => ({
  ...emptyView,
  restarts: new Map(restarts),
  members: new Map(members.map(([node, incarnation]) => [node, memberRecord(node, { incarnation })])),
})

test('a daemon that restarts announces its own life, and a store that fails keeps it from nothing', async () => {
  const { notice, writes } = noticing(() => emptyView)
  await notice.announce(5000)
  expect(writes.map((write) => [write.kind, 'key' in write && write.key])).toEqual([['put', keys.restart(n1)]])
  const [put] = writes
  expect(put?.kind === 'put' && fromBytes(put.value)).toMatchObject({ incarnation: 7 })
  const entry = await real.get(keys.restart(n1))
  expect(entry && fromBytes(entry.value)).toMatchObject({ incarnation: 7 })
  const failing = noticing(() => emptyView, true)
  await failing.notice.announce(5000)
  expect(failing.warned).toHaveLength(1)
})

test('the life that follows takes the word back once it is registered, once', async () => {
  let view = viewOf([[n1, 6]], [])
  const { notice, writes } = noticing(() => view)
  notice.look()
  expect(writes).toEqual([])
  // Another host's life of that name is not this one.
  view = viewOf([[n1, 6]], [[n1, 6]])
  notice.look()
  expect(writes).toEqual([])
  view = viewOf([[n1, 6]], [[n1, 7]])
  notice.look()
  notice.look()
  expect(writes).toEqual([{ kind: 'delete', key: keys.restart(n1) }])
})

test('its own word stays, and nobody takes back that of another', () => {
  for (const restarts of [[[n1, 7]], [[n2, 6]]] as const) {
    const { notice, writes } = noticing(() => viewOf(restarts, [[n1, 7]]))
    notice.look()
    expect(writes).toEqual([])
  }
})

test('the heartbeats hear of those whose present life has announced its end, or who are gone since', () => {
  const { notice } = noticing(() =>
    viewOf(
      [
        [n1, 7],
        [n2, 3],
        [n3, 5],
      ],
      [
        [n1, 7],
        [n2, 4],
      ],
    ),
  )
  expect(notice.forPulse()).toEqual({ members: [n1, n2], restarting: [n1, n3] })
})

test('a store that does not answer holds the restart up for a moment only', async () => {
  const log: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore }
  const store = storeWith(real, { transaction: async () => await new Promise<never>(() => undefined) })
  const notice = new RestartNotice({ self: n1, incarnation: 7, log, store: () => store, view: () => emptyView })
  await expect(notice.announce(10)).resolves.toBeUndefined()
})
