/** Holds of users with roles: whoever may write what a hold is equivalent to. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { monotonicMs, nodeName } from '../../src/base/index.ts'
import type { AclPermission, XmlElement } from '../../src/cib/index.ts'
import { type ClusterView, emptyView, observe } from '../../src/controller/index.ts'
import { GuardedCib } from '../../src/daemon/access/guarded-cib.ts'
import type { LimitedRights } from '../../src/daemon/access/rights.ts'
import type { Selector } from '../../src/daemon/access/selector.ts'
import { holdHandlers } from '../../src/daemon/api/hold-api.ts'
import { type LimitedHandlers, limitedHandlers } from '../../src/daemon/api/limited-api.ts'
import { readConfigVersion } from '../../src/daemon/configuration/config-history.ts'
import { readConfigurationToPush, saveConfiguration } from '../../src/daemon/configuration/configuration-edit.ts'
import { takenBack } from '../../src/daemon/configuration/unconfirmed-keeper.ts'
import type { Daemon } from '../../src/daemon/lifecycle/daemon.ts'
import { observationOf } from '../../src/daemon/node/observations.ts'
import { putHold } from '../../src/daemon/records/hold-records.ts'
import type { StoreView } from '../../src/daemon/records/store-view.ts'
import type { CallContext } from '../../src/rpc/index.ts'
import { EmbeddedStore } from '../../src/store/index.ts'
import { hold } from '../holds/hold.ts'
import { localHandlers } from '../support/local-client.ts'
import { openStoreView } from '../support/open-store-view.ts'

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
const context = { caller: { kind: 'unknown' } } as CallContext
const cib = `<cib validate-with="pacemaker-3.9"><configuration><crm_config/>
<nodes><node id="1" uname="n1"/><node id="2" uname="n2"/></nodes>
<resources><primitive id="web" class="ocf" provider="pacemaker" type="Dummy"/><primitive id="db" class="ocf" provider="pacemaker" type="Dummy"/></resources>
<constraints/></configuration></cib>`

let folder: string
let store: EmbeddedStore
let seen: StoreView
let view: ClusterView
let isSeeing: boolean
let daemon: Daemon
let all: ReturnType<typeof holdHandlers>
/** The only XPath here is that of the whole. */
const selector = { select: async (whole: XmlElement) => await Promise.resolve(() => [whole]) } as unknown as Selector

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'systole-holds-'))
  store = new EmbeddedStore({ directory: folder })
  view = emptyView
  isSeeing = true
  const listeners = new Set<() => void>()
  seen = await openStoreView(store, (changes, revision) => {
    if (!isSeeing) return
    view = observe(view, changes.map(observationOf), Number(revision)).view
    for (const tell of listeners) tell()
  })
  const node = {
    name: nodeName('n1'),
    file: { nodes: [{ name: 'n1' }, { name: 'n2' }, { name: 'n3' }] },
    quorate: true,
    quorateUntil: monotonicMs(Number.MAX_SAFE_INTEGER),
    store,
    get view() {
      return view
    },
    onState: (tell: () => void) => {
      listeners.add(tell)
      return () => listeners.delete(tell)
    },
  } as unknown as Daemon['node']
  const access = { guardedFor: (rights: LimitedRights) => new GuardedCib(rights, selector) }
  daemon = { node, file: {}, access, log, refuseOnWitness: () => undefined } as unknown as Daemon
  all = holdHandlers(daemon)
  await saveConfiguration(node, { ...readConfigurationToPush(cib), expectedVersion: 0, user: 'root', command: 'test' })
  await expect.poll(() => view.configuration?.version).toBe(1)
})
afterEach(async () => {
  seen.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const may = (kind: AclPermission['kind'], id: string): AclPermission => ({
  id: `p-${kind}-${id}`,
  role: 'r',
  kind,
  on: { by: 'element', id },
})
const everything = (kind: AclPermission['kind']): AclPermission => ({
  id: `p-${kind}`,
  role: 'r',
  kind,
  on: { by: 'xpath', xpath: '/cib' },
})

function of(...permissions: readonly AclPermission[]) {
  const rights = { kind: 'limited' as const, user: 'alice', permissions }
  const handlers: LimitedHandlers = limitedHandlers(
    daemon,
    localHandlers({
      ...all,
      readJournal: () => Promise.resolve({ lines: 'a journal', missing: [] }),
      readOperations: () => Promise.resolve({ lines: ['an output'], missing: [] }),
    }),
    rights,
  )
  return {
    acquire: async (wanted: object, more: object = {}) =>
      await handlers.acquireHolds({ holds: [wanted] as never, user: 'root', ...more }, context),
    renew: async (ids: readonly string[], holder: string) => await handlers.renewHolds({ ids, holder }, context),
    release: async (ids: readonly string[], more: object = {}) =>
      await handlers.releaseHolds({ ids, force: false, user: 'root', ...more }, context),
    push: async (xml: string, confirmWithinMs: number) => {
      const expectedVersion = view.configuration?.version ?? 0
      const answer = await handlers.pushConfiguration(
        { xml, expectedVersion, user: 'root', command: 'test', confirmWithinMs },
        context,
      )
      await expect.poll(() => view.configuration?.version).toBe(answer.version)
      return answer.version
    },
    confirm: async (version: number) => await handlers.confirmChange({ version, also: [] }, context),
    journal: async () => await handlers.readJournal({}, context),
    operations: async () => await handlers.readOperations({ resources: ['web'], most: 1 }, context),
    list: async () => (await handlers.listHolds({}, context)).holds.map(({ id }) => id),
  }
}

const drain = (node: string) => ({ kind: 'drain', node })
const root = async (wanted: object, more: object = {}) =>
  await all.acquireHolds({ holds: [wanted] as never, user: 'root', ...more }, context)

describe('a user with roles', () => {
  test('who may write one node drains and undrains that one, under the own name, and no other', async () => {
    const { acquire, release, list } = of(may('write', '2'))
    const { holds } = await acquire(drain('n2'))
    expect(holds.map(({ owner }) => owner?.user)).toEqual(['alice'])
    expect(await list()).toEqual(['drain-n2'])
    await expect(acquire(drain('n1'))).rejects.toThrow('Permission denied')
    await root(drain('n1'))
    expect(await list()).toEqual(['drain-n2'])
    await expect(release(['drain-n1', 'drain-n2'], { force: true })).rejects.toThrow('Permission denied')
    // One that is there already, given another reason, would otherwise be no change.
    await expect(acquire(drain('n1'), { reason: 'mine' })).rejects.toThrow('Permission denied')
    expect((await release(['drain-n2'])).outcome).toBe('released')
    expect([...view.holds.keys()]).toEqual(['drain-n1'])
  })

  test('who may read sees every hold, and changes none', async () => {
    const { acquire, release, renew, list } = of(everything('read'))
    await root(drain('n2'))
    const kept = await root({ kind: 'ban', resource: 'web', node: 'n1' }, { holder: 'h', ttlMs: 20_000 })
    const [id = ''] = kept.holds.map((one) => one.id)
    expect((await list()).toSorted()).toEqual([id, 'drain-n2'].toSorted())
    await expect(acquire(drain('n1'))).rejects.toThrow('Permission denied')
    await expect(acquire({ kind: 'disable', resource: 'web' })).rejects.toThrow('Permission denied')
    await expect(release(['drain-n2'])).rejects.toThrow('Permission denied')
    await expect(renew([id], 'h')).rejects.toThrow('Permission denied')
    expect(view.holds.size).toBe(2)
  })

  test('what a command of another user keeps is not ended in its name: the id does not tell the holder', async () => {
    const { release, renew, list } = of(everything('write'))
    const holder = 'secret-of-the-command'
    await root({ kind: 'ban', resource: 'web', node: 'n1' }, { holder, ttlMs: 20_000 })
    const [id = ''] = await list()
    expect((await release([id])).outcome).toBe('held')
    for (let length = 1; length <= id.length; length++) {
      const guess = id.slice(0, length)
      expect((await release([id], { holder: guess })).outcome).toBe('held')
      expect((await renew([id], guess)).outcome).toBe('free')
    }
    expect((await release([id], { holder })).outcome).toBe('released')
  })

  test('to whom a node is denied neither sees nor changes what is held there', async () => {
    const { acquire, release, list } = of(everything('write'), may('deny', '2'))
    await root(drain('n1'))
    await root(drain('n2'))
    expect(await list()).toEqual(['drain-n1'])
    await expect(acquire(drain('n2'))).rejects.toThrow('Permission denied')
    await expect(release(['drain-n2'], { force: true })).rejects.toThrow('Permission denied')
    expect((await release(['drain-n1'])).outcome).toBe('released')
  })

  test('who may write one resource stops that one; a ban is a constraint, which is another permission', async () => {
    const { acquire } = of(may('write', 'web'))
    expect((await acquire({ kind: 'disable', resource: 'web' })).outcome).toBe('acquired')
    await expect(acquire({ kind: 'disable', resource: 'db' })).rejects.toThrow("There is no resource 'db'")
    await expect(acquire({ kind: 'ban', resource: 'web', node: 'n1' })).rejects.toThrow('Permission denied')
  })

  test('does not learn whether a resource that is hidden is there', async () => {
    const { acquire } = of(everything('write'), may('deny', 'db'))
    const refusal = async (resource: string): Promise<string> =>
      await acquire({ kind: 'disable', resource }).then(
        () => 'held',
        (error: Error) => error.message.replace(resource, 'X'),
      )
    expect(await refusal('db')).toBe(await refusal('nothing'))
    expect(await refusal('web')).toBe('held')
  })

  test('drains no node that the configuration does not name yet: by what it names, nothing would change', async () => {
    await expect(of(everything('read')).acquire(drain('n3'))).rejects.toThrow('Permission denied')
    expect(view.holds.size).toBe(0)
  })

  test('ends no hold that this node has not seen yet, which nobody could judge', async () => {
    isSeeing = false
    await store.transaction(putHold(hold('drain', { node: 'n2' })))
    expect((await of(everything('read')).release(['drain-n2'], { force: true })).outcome).toBe('free')
    expect(await store.list('/systole/holds/').then(({ entries }) => entries.length)).toBe(1)
  })

  test('ends what a rollout of another holds only with all of the configuration', async () => {
    const owner = { kind: 'rollout', name: 'r7', user: 'root', node: 'n1' }
    const { revision } = await store.transaction(putHold(hold('drain', { node: 'n2', id: 'r7-n2', owner })))
    await expect.poll(() => view.revision).toBeGreaterThanOrEqual(Number(revision))
    await expect(of(may('write', '2')).release(['r7-n2'], { force: true })).rejects.toThrow('rollout or job of another')
    expect((await of(everything('write')).release(['r7-n2'], { force: true })).outcome).toBe('released')
  })
})

describe('what waits for confirmation, and the journal, of a user with roles', () => {
  const changed = async (user: string): Promise<number> => {
    const version = view.configuration?.version ?? 0
    const xml = cib.replace(
      '<constraints/>',
      `<constraints><rsc_location id="l${version}" rsc="web" node="n1" score="1"/></constraints>`,
    )
    const change = { ...readConfigurationToPush(xml), expectedVersion: version, user, command: 'test' }
    const answer = await saveConfiguration(daemon.node, { ...change, confirmWithinMs: 60_000 })
    await expect.poll(() => view.configuration?.version).toBe(answer.version)
    return answer.version
  }

  test('who made a change confirms it; another user needs the permission to write the whole configuration', async () => {
    const version = await changed('alice')
    const others = await changed('bob')
    const { confirm } = of(everything('read'))
    expect(await confirm(version)).toEqual({})
    await expect(confirm(others)).rejects.toThrow('Permission denied')
    expect(await of(everything('write')).confirm(others)).toEqual({})
    await expect(confirm(others)).rejects.toThrow('does not wait for confirmation')
  })

  test('so many of one user wait at a time that others find room, whatever name is in the request', async () => {
    const writer = of(everything('read'), may('write', 'web'))
    const described = (number: number): string => cib.replace('id="web"', `id="web" description="${number}"`)
    const made: number[] = []
    for (let number = 1; number <= 5; number++) made.push(await writer.push(described(number), 3_600_000))
    await expect(writer.push(described(6), 3_600_000)).rejects.toThrow(
      '5 changes of alice wait for confirmation already',
    )
    expect(view.configuration?.version).toBe(made.at(-1))
    await changed('bob')
    const [first = 0] = made
    await writer.confirm(first)
    await writer
      .push(described(7), 3_600_000)
      .catch((error: unknown) => expect(String(error)).toMatch(/Permission denied/))
  })

  test('what is taken back is his own change alone: what he may not write stays as others have changed it meanwhile', async () => {
    const writer = of(everything('read'), may('write', 'web'))
    const version = await writer.push(cib.replace('id="web"', 'id="web" description="mine"'), 5000)
    // Another user changes what alice may not write, and of hers the type.
    const later = cib
      .replace('id="web"', 'id="web" description="mine"')
      .replace('id="db"', 'id="db" description="secret"')
    const change = { ...readConfigurationToPush(later), expectedVersion: version, user: 'root', command: 'test' }
    await saveConfiguration(daemon.node, change)
    await expect.poll(() => view.configuration?.version).toBe(version + 1)
    const record = async (which: number): Promise<string> => (await readConfigVersion(store, which))?.xml ?? ''
    const back = takenBack(
      { version: version + 1, xml: await record(version + 1) },
      { before: await record(version - 1), after: await record(version) },
      version,
    )
    if ('failed' in back) throw new Error(back.failed)
    expect(back.xml).toContain('description="secret"')
    expect(back.xml).not.toContain('description="mine"')
    await expect(writer.push(cib.replace('id="db"', 'id="db" description="mine"'), 5000)).rejects.toThrow(
      'Permission denied',
    )
  })

  test('the journal is shown to whoever reads all, and to nobody else', async () => {
    expect(await of(everything('read')).journal()).toEqual({ lines: 'a journal', missing: [] })
    await expect(of(may('read', 'web')).journal()).rejects.toThrow('Permission denied')
    expect(await of(everything('read')).operations()).toEqual({ lines: ['an output'], missing: [] })
    await expect(of(may('read', 'web')).operations()).rejects.toThrow('Permission denied')
  })
})
