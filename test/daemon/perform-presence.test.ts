import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodeName, resourceId } from '../../src/base/index.ts'
import { openLog } from '../../src/daemon/host/log.ts'
import { performPresenceEffect } from '../../src/daemon/node/perform-presence.ts'
import { toBytes } from '../../src/daemon/records/json-value.ts'
import { keys, nodeListKey } from '../../src/daemon/records/keys.ts'
import { createStore, type Store } from '../../src/store/index.ts'

const alpha = nodeName('alpha')
let directory: string
let store: Store

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'systole-presence-'))
  store = createStore({ kind: 'embedded', directory })
})

afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true })
})

/** Whether it was written. */
async function registers(resultsWritten: () => Promise<void> = async () => undefined): Promise<boolean> {
  const { lease } = await store.grantLease(5000)
  return await new Promise<boolean>((written) =>
    performPresenceEffect(
      { kind: 'register', as: 'joining', lease },
      {
        store,
        log: openLog('alpha', 'silent'),
        member: { node: alpha, id: '1', incarnation: 7, address: 'a', daemonVersion: '' },
        resultsWritten,
        written,
      },
    ),
  )
}

test('a node registers under its lease, after the results that were not written yet', async () => {
  const result = keys.history(alpha, resourceId('web'), 'web_last_0')
  const ok = await registers(async () => {
    for (let turns = 0; turns < 20; turns++) await turn()
    await store.transaction({ compare: [], writes: [{ kind: 'put', key: result, value: toBytes({}) }] })
  })
  const [history, member] = [await store.get(result), await store.get(keys.member(alpha))]
  expect(ok).toBe(true)
  expect(member?.lease).toBeDefined()
  expect(history?.modRevision).toBeLessThan(member?.createRevision ?? 0)
})

test('a node that was removed while it was away does not register', async () => {
  const nodes = [{ name: 'beta', id: '2', address: 'b', votes: true }]
  const list = toBytes({ clusterName: 'x', nodes, nodesVersion: 2 })
  await store.transaction({ compare: [], writes: [{ kind: 'put', key: nodeListKey, value: list }] })
  expect(await registers()).toBe(false)
  expect(await store.get(keys.member(alpha))).toBeUndefined()
})

test('what could not be written counts as not written', async () =>
  expect(await registers(async () => await Promise.reject(new Error('the disk is full')))).toBe(false))
