import { expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { type ClusterView, emptyView } from '../../src/controller/index.ts'
import { RestartNotice } from '../../src/daemon/node/restart-notice.ts'
import { fromBytes } from '../../src/daemon/records/json-value.ts'
import { keys } from '../../src/daemon/records/keys.ts'
import type { Store, Write } from '../../src/store/index.ts'

const [n1, n2, n3] = [nodeName('n1'), nodeName('n2'), nodeName('n3')]

function noticing(view: () => ClusterView, fails = false) {
  const writes: Write[] = []
  const warned: unknown[] = []
  const transaction = async (asked: { readonly writes: readonly Write[] }) => {
    if (fails) throw new Error('no majority')
    writes.push(...asked.writes)
    return await Promise.resolve({ applied: true, revision: 1 })
  }
  const log = { info: () => undefined, warn: (...told: unknown[]) => warned.push(told) } as never
  const store = (): Store => ({ transaction }) as unknown as Store
  return { notice: new RestartNotice({ self: n1, incarnation: 7, log, store, view }), writes, warned }
}

const viewOf = (restarts: readonly (readonly [string, number])[], members: readonly (readonly [string, number])[]) =>
  ({
    ...emptyView,
    restarts: new Map(restarts),
    members: new Map(members.map(([node, incarnation]) => [node, { node, incarnation }])),
  }) as unknown as ClusterView

test('a daemon that restarts announces its own life, and a store that fails keeps it from nothing', async () => {
  const { notice, writes } = noticing(() => emptyView)
  await notice.announce(5000)
  expect(writes.map((write) => [write.kind, 'key' in write && write.key])).toEqual([['put', keys.restart(n1)]])
  const [put] = writes
  expect(put?.kind === 'put' && fromBytes(put.value)).toMatchObject({ incarnation: 7 })
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
  const log = { info: () => undefined, warn: () => undefined } as never
  const transaction = async () => await new Promise<never>(() => undefined)
  const store = (): Store => ({ transaction }) as unknown as Store
  const notice = new RestartNotice({ self: n1, incarnation: 7, log, store, view: () => emptyView })
  await expect(notice.announce(10)).resolves.toBeUndefined()
})
