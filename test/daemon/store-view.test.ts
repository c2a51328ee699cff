import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { toBytes } from '../../src/daemon/records/json-value.ts'
import type { StoreView } from '../../src/daemon/records/store-view.ts'
import { EmbeddedStore } from '../../src/store/index.ts'
import { openStoreView } from '../support/open-store-view.ts'

let folder: string
let store: EmbeddedStore
let view: StoreView

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'systole-view-'))
  store = new EmbeddedStore({ directory: join(folder, 'store') })
  await put('tasks/a', 'tasks/c', 'tasks/b.1', 'jobs/a', 'dc', 'node-state/n1', 'node-versions/n1')
  view = await openStoreView(store, () => undefined)
})

afterEach(async () => {
  view.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const put = async (...keys: readonly string[]): Promise<void> => {
  const writes = keys.map((key) => ({ kind: 'put', key: `/systole/${key}`, value: toBytes(key) }) as const)
  const { revision } = await store.transaction({ compare: [], writes })
  if (view !== undefined) await seen(revision)
}
const seen = async (revision: number): Promise<void> =>
  await vi.waitFor(() => expect(view.revision()).toBeGreaterThanOrEqual(revision))
const below = (prefix: string): readonly string[] =>
  view.below(`/systole/${prefix}`).map(({ key }) => key.slice('/systole/'.length))

test('what is below a prefix is sorted, also where the prefix is a part of a word, a whole key, or everything', async () => {
  expect(below('tasks/')).toEqual(['tasks/a', 'tasks/b.1', 'tasks/c'])
  expect(below('tasks/b')).toEqual(['tasks/b.1'])
  expect(below('node-')).toEqual(['node-state/n1', 'node-versions/n1'])
  expect(below('dc')).toEqual(['dc'])
  expect(below('')).toHaveLength(7)
  expect(below('plays/')).toEqual([])
  await put('plays/p', 'tasks/aa', 'dcs')
  expect(below('plays/')).toEqual(['plays/p'])
  expect(below('tasks/')).toEqual(['tasks/a', 'tasks/aa', 'tasks/b.1', 'tasks/c'])
  expect(below('dc')).toEqual(['dc', 'dcs'])
  expect(below('')).toHaveLength(10)
  const { revision } = await store.transaction({
    compare: [],
    writes: [
      { kind: 'delete-prefix', prefix: '/systole/tasks/' },
      { kind: 'delete', key: '/systole/dc' },
    ],
  })
  await seen(revision)
  expect([below('tasks/'), below('tasks/b'), below('dc')]).toEqual([[], [], ['dcs']])
  await put('tasks/a')
  expect(below('tasks/')).toEqual(['tasks/a'])
})

test('a list is made again only when something in it has changed', async () => {
  const [tasks, jobs] = [view.below('/systole/tasks/'), view.below('/systole/jobs/')]
  await put('tasks/a')
  expect(view.below('/systole/jobs/')).toBe(jobs)
  expect(view.below('/systole/tasks/')).not.toBe(tasks)
  expect(view.below('/systole/tasks/')).toBe(view.below('/systole/tasks/'))
})
