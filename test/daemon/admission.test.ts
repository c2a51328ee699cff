import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { refuseOtherThanDc } from '../../src/daemon/api/peer-api.ts'
import { pathsBelow } from '../../src/daemon/host/paths.ts'
import type { Daemon } from '../../src/daemon/lifecycle/daemon.ts'
import { type ClusterFile, parseClusterFile, printClusterFile } from '../../src/daemon/node-list/cluster-file.ts'
import { RemovalReports } from '../../src/daemon/node-list/removal-reports.ts'
import { Admission } from '../../src/daemon/peers/admission.ts'
import { keys, nodeListKey } from '../../src/daemon/records/keys.ts'
import { listInStore, placeIn } from '../../src/daemon/removal/removal.ts'
import type { NodeCaller } from '../../src/rpc/index.ts'
import { EmbeddedStore } from '../../src/store/index.ts'

const key = (letter: string): string => `${letter.repeat(43)}=`
const caller = (name: string, letter: string): NodeCaller => ({ kind: 'node', name, key: key(letter), role: 'member' })

function file(...nodes: readonly object[]): ClusterFile {
  const parsed = parseClusterFile(JSON.stringify({ clusterName: 'x', nodes }))
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.reports))
  return parsed.value
}

const refusals: readonly (readonly [string, ClusterFile, NodeCaller, string | undefined])[] = [
  ['a node with its key is let in', file({ name: 'a', keys: [key('A')] }), caller('a', 'A'), undefined],
  ['one of two keys is enough', file({ name: 'a', keys: [key('A'), key('B')] }), caller('a', 'B'), undefined],
  ['another key is not', file({ name: 'a', keys: [key('A')] }), caller('a', 'B'), 'other-key'],
  ['nobody is a node that has not joined', file({ name: 'a', keys: [] }), caller('a', 'A'), 'other-key'],
  ['a list of an older build knows names', file({ name: 'a' }), caller('a', 'A'), undefined],
  ['whoever is not listed was removed', file({ name: 'b' }), caller('a', 'A'), 'removed'],
]
for (const [name, listed, from, code] of refusals)
  test(`admission: ${name}`, async () => {
    const warned: unknown[] = []
    const log = { warn: (...told: unknown[]) => warned.push(told) } as never
    const { admit } = new Admission({ log, file: () => listed, refresh: async () => undefined })
    const answer = await admit(from).then(
      () => undefined,
      (error: { readonly code: string }) => error.code,
    )
    expect(answer).toBe(code)
    await admit(from).catch(() => undefined)
    // Told once: whoever calls a thousand times fills no log.
    expect(warned).toHaveLength(code === undefined ? 0 : 1)
  })

const needsQuorum = ['GetAuthorityShares', 'KeepAuthorityShare', 'BringPki', 'WriteFile']
for (const name of [...needsQuorum, 'UpdateClusterFile', 'GetClusterFile', 'StartCluster'])
  test(`without quorum, a node that is in the list ${needsQuorum.includes(name) ? 'gets nowhere with' : 'is heard with'} ${name}`, async () => {
    let isCurrent = false
    const listed = file({ name: 'a', keys: [key('A')] })
    const { admit } = new Admission({
      log: { warn: () => undefined } as never,
      file: () => listed,
      refresh: async () => undefined,
      isCurrent: () => isCurrent,
    })
    const ask = async (): Promise<string> =>
      await admit(caller('a', 'A'), `/systole.Node/${name}`).then(
        () => 'heard',
        (error: { readonly code: string }) => error.code,
      )
    expect(await ask()).toBe(needsQuorum.includes(name) ? 'no-quorum' : 'heard')
    // Its certificate alone makes the connection.
    await admit(caller('a', 'A'))
    isCurrent = true
    expect(await ask()).toBe('heard')
  })

test('who joins a node without quorum during the call is held to the same', async () => {
  let listed = file({ name: 'b', keys: [key('B')] })
  const refresh = async (): Promise<void> => {
    listed = file({ name: 'a', keys: [key('A')] })
  }
  const log = { warn: () => undefined } as never
  const { admit } = new Admission({ log, file: () => listed, refresh, isCurrent: () => false })
  await expect(admit(caller('a', 'A'), '/systole.Node/WriteFile')).rejects.toThrow('no quorum')
})

test('a caller that is new is looked for in the store before it is refused', async () => {
  let listed = file({ name: 'a', keys: [key('A')] })
  let looked = 0
  const refresh = async (): Promise<void> => {
    looked++
    listed = file({ name: 'a', keys: [key('A')] }, { name: 'b', keys: [key('B')] })
  }
  const { admit } = new Admission({ log: { warn: () => undefined } as never, file: () => listed, refresh })
  await admit(caller('b', 'B'))
  expect(looked).toBe(1)
  for (let call = 0; call < 20; call++) await admit(caller('c', 'C')).catch(() => undefined)
  expect(looked).toBe(1)
})

let folder: string
let store: EmbeddedStore
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-admission-'))
  store = new EmbeddedStore({ directory: folder })
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

async function put(at: string, value: string): Promise<number> {
  const write = { kind: 'put' as const, key: at, value: new TextEncoder().encode(value) }
  await store.transaction({ compare: [], writes: [write] })
  return Number((await store.get(at))?.createRevision)
}

test('a command is obeyed where the store names its sender as the DC in that term', async () => {
  const term = await put(keys.dc, JSON.stringify({ node: 'n1' }))
  const known = (dc: object | undefined) => ({ node: { view: { dc }, quorate: true, store } }) as unknown as Daemon
  expect(await refuseOtherThanDc(known({ node: 'n1', term }), 'n1', term)).toBeUndefined()
  // Elected a moment ago: this node has not seen it yet.
  expect(await refuseOtherThanDc(known({ node: 'n2', term: term - 1 }), 'n1', term)).toBeUndefined()
  for (const [from, inTerm] of [
    ['n2', term],
    ['n1', term - 1],
    ['n1', term + 1],
    ['n2', term + 7],
  ] as const)
    expect(await refuseOtherThanDc(known({ node: 'n1', term }), from, inTerm)).toMatchObject({
      accepted: false,
      why: 'old-term',
    })
  expect(await refuseOtherThanDc(known(undefined), 'n2', term)).toMatchObject({ accepted: false })
})

test('whether a host was removed it reads in the store, whoever says so', async () => {
  const own = file({ name: 'a' }, { name: 'b' })
  const place = async () =>
    placeIn(await listInStore({ file: own, self: nodeName('b'), paths: pathsBelow(folder), store }), nodeName('b'))
  expect(await place()).toBe('unknown')
  await put(nodeListKey, printClusterFile(own))
  expect(await place()).toBe('listed')
  await put(nodeListKey, printClusterFile(file({ name: 'a' }, { name: 'b', leaving: true })))
  expect(await place()).toBe('leaving')
  await put(nodeListKey, printClusterFile(file({ name: 'a' })))
  expect(await place()).toBe('removed')
})

test('where the store is closed to it, more than half of the others must say so', () => {
  const word = new RemovalReports()
  word.take('b', true)
  expect(word.agreed(['b', 'c'])).toBe(false)
  word.take('b', true)
  expect(word.agreed(['b', 'c'])).toBe(false)
  word.take('c', true)
  expect(word.agreed(['b', 'c'])).toBe(true)
  word.take('c', false)
  expect(word.agreed(['b', 'c'])).toBe(false)
  expect(word.agreed(['b'])).toBe(true)
})
