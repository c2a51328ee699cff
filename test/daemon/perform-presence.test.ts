import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { nodeName, resourceId } from '../../src/base/index.ts'
import { openLog } from '../../src/daemon/host/log.ts'
import { performPresenceEffect } from '../../src/daemon/node/perform-presence.ts'
import { toBytes } from '../../src/daemon/records/json-value.ts'
import { keys } from '../../src/daemon/records/keys.ts'
import { createStore } from '../../src/store/index.ts'

test('a node registers after the results that were not written yet', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'systole-presence-'))
  const store = createStore({ kind: 'embedded', directory })
  const alpha = nodeName('alpha')
  const result = keys.history(alpha, resourceId('web'), 'web_last_0')
  const { lease } = await store.grantLease(5000)
  const ok = await new Promise<boolean>((written) =>
    performPresenceEffect(
      { kind: 'register', as: 'joining', lease },
      {
        store,
        log: openLog('alpha', 'silent'),
        member: { node: alpha, id: '1', incarnation: 7, address: 'a', daemonVersion: '' },
        resultsWritten: async () => {
          for (let turns = 0; turns < 20; turns++) await turn()
          await store.transaction({ compare: [], writes: [{ kind: 'put', key: result, value: toBytes({}) }] })
        },
        written,
      },
    ),
  )
  const [history, member] = [await store.get(result), await store.get(keys.member(alpha))]
  expect(ok).toBe(true)
  expect(history?.modRevision).toBeLessThan(member?.createRevision ?? 0)
  await store.close()
  rmSync(directory, { recursive: true })
})
