import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { monotonicMs, nodeName } from '../../src/base/index.ts'
import { parseXml, printXml, type XmlElement } from '../../src/cib/index.ts'
import { type ClusterView, cibOfView, emptyView, observe } from '../../src/controller/index.ts'
import { changeCib } from '../../src/daemon/agent-tools/change-cib.ts'
import { acquiring, holdHandlers } from '../../src/daemon/api/hold-api.ts'
import { listConfigVersions } from '../../src/daemon/configuration/config-history.ts'
import { readConfigurationToPush, saveConfiguration } from '../../src/daemon/configuration/configuration-edit.ts'
import { HoldKeeper } from '../../src/daemon/holds/hold-keeper.ts'
import { observationOf } from '../../src/daemon/node/observations.ts'
import type { StoredHold } from '../../src/daemon/records/hold-records.ts'
import { toBytes } from '../../src/daemon/records/json-value.ts'
import { keys, rolloutKey } from '../../src/daemon/records/keys.ts'
import type { StoreView } from '../../src/daemon/records/store-view.ts'
import { type HoldRecord, mostHolds } from '../../src/holds/index.ts'
import type { CallContext } from '../../src/rpc/index.ts'
import { EmbeddedStore } from '../../src/store/index.ts'
import { hold } from '../holds/hold.ts'
import { clusterFile } from '../support/cluster-file.ts'
import { openStoreView } from '../support/open-store-view.ts'

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
const context = { caller: { kind: 'unknown' } } as CallContext
const cib = `<cib validate-with="pacemaker-3.9"><configuration><crm_config/>
<nodes><node id="1" uname="n1"/><node id="2" uname="n2"/></nodes>
<resources><primitive id="web" class="ocf" provider="pacemaker" type="Dummy"/></resources>
<constraints><rsc_location id="cli-prefer-web" rsc="web" node="n1" score="INFINITY"/></constraints></configuration></cib>`

let folder: string
let store: EmbeddedStore
let seen: StoreView
let view: ClusterView
let listeners: Set<() => void>
let node: Parameters<typeof holdHandlers>[0]['node']
let holds: ReturnType<typeof holdHandlers>
let warned: unknown[]
const warn = (...told: unknown[]): void => {
  warned.push(told)
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'systole-holds-'))
  store = new EmbeddedStore({ directory: folder })
  view = emptyView
  listeners = new Set()
  warned = []
  seen = await openStoreView(store, (changes, revision) => {
    view = observe(view, changes.map(observationOf), Number(revision)).view
    for (const tell of listeners) tell()
  })
  node = {
    name: nodeName('n1'),
    file: clusterFile('n1', 'n2'),
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
  }
  holds = holdHandlers({ node, file: node.file, refuseOnWitness: () => undefined, log: { ...log, warn } })
  await saveConfiguration(node, { ...readConfigurationToPush(cib), expectedVersion: 0, user: 'root', command: 'test' })
  await expect.poll(() => view.configuration?.version).toBe(1)
})
afterEach(async () => {
  seen.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const composed = (): XmlElement =>
  cibOfView(view, true) ?? { kind: 'element', name: 'cib', attributes: {}, children: [] }
const text = (): string => printXml(composed())
const acquire = async (wanted: readonly object[], more: object = {}) =>
  await holds.acquireHolds({ holds: wanted as never, user: 'root', ...more }, context)
const release = async (ids: readonly string[], more: object = {}) =>
  await holds.releaseHolds({ ids, force: false, user: 'root', ...more }, context)
const drain = { kind: 'drain', node: 'n2' }
const keptMove = { holder: 'h1', command: 'resource move web n2', ttlMs: 20_000 }

describe('the configuration while something is held', () => {
  test('shows it, and is neither another version nor another epoch nor in the history', async () => {
    const before = text()
    const { revision } = await acquire([drain], { reason: 'kernel update' })
    expect(text()).toContain('id="hold-drain-n2-systole-standby"')
    expect(view.holdsRevision).toBe(revision)
    expect(composed().attributes.epoch).toBe(parsed(before).attributes.epoch)
    expect(view.configuration?.version).toBe(1)
    await release(['drain-n2'])
    expect(withoutCounts(text())).toBe(withoutCounts(before))
    expect(await listConfigVersions(store)).toHaveLength(1)
  })

  test('is drained again with another time or none; the reason stays where none is named', async () => {
    const [first] = (await acquire([drain], { reason: 'kernel update', ttlMs: 3_600_000 })).holds
    const [longer] = (await acquire([drain], { user: 'anna', ttlMs: 7_200_000 })).holds
    expect(longer).toMatchObject({ reason: 'kernel update', ttlMs: 7_200_000, owner: { user: 'anna' } })
    expect(Date.parse(longer?.since ?? '')).toBeGreaterThan(Date.parse(first?.since ?? ''))
    const [endless] = (await acquire([drain], { reason: 'new disks' })).holds
    expect(endless).toMatchObject({ reason: 'new disks', since: longer?.since })
    expect(endless).not.toHaveProperty('ttlMs')
  })

  test('is stored without it, whoever pushes what was read meanwhile', async () => {
    await acquire([drain])
    const read = text()
    await release(['drain-n2'])
    const pushed = readConfigurationToPush(read)
    expect(pushed.xml).not.toContain('hold-')
    await saveConfiguration(node, { ...pushed, expectedVersion: 1, user: 'root', command: 'cib-push' })
    await expect.poll(() => view.configuration?.version).toBe(2)
    expect(text()).not.toContain('hold-')
  })

  test('is not computed again for a renewal', async () => {
    const { holds: made } = await acquire([{ kind: 'prefer', resource: 'web', node: 'n2' }], keptMove)
    const known = view.configuration
    const { outcome } = await holds.renewHolds({ ids: made.map(({ id }) => id), holder: 'h1' }, context)
    expect(outcome).toBe('renewed')
    expect(view.configuration).toBe(known)
    expect((await holds.renewHolds({ ids: made.map(({ id }) => id), holder: 'h2' }, context)).outcome).toBe('free')
  })
})

const parsed = (xml: string): XmlElement => {
  const read = parseXml(xml)
  if (!read.ok) throw new Error('not XML')
  return read.value
}
const withoutCounts = (xml: string): string => xml.replace(/num_updates="\d+"/, '')

describe("a client's change of what is held", () => {
  const edit = async (pattern: RegExp, by: string, how: object = {}) =>
    await changeCib(node, (document) => parsed(printXml(document).replace(pattern, by)), {
      command: 'test',
      whole: true,
      ...how,
    })

  test('a preference that is taken away is released, and nothing is stored', async () => {
    await acquire([{ kind: 'prefer', resource: 'web', node: 'n2' }], keptMove)
    expect(await edit(/<rsc_location id="hold[\s\S]*?<\/rsc_location>/, '')).toBeUndefined()
    expect(view.holds.size).toBe(0)
    expect(view.configuration?.version).toBe(1)
  })

  test('a drain that is taken away or switched off is refused, with who drained and how to end it', async () => {
    await acquire([drain], { reason: 'kernel update' })
    for (const [pattern, by] of [
      [/<instance_attributes id="hold[\s\S]*?<\/instance_attributes>/, ''],
      [/name="standby" value="on"/, 'name="standby" value="off"'],
    ] as const)
      expect((await edit(pattern, by))?.errors).toMatch(
        /^n2 is drained by root since .*: kernel update\. To end it: systole node undrain n2/,
      )
    expect(view.holds.size).toBe(1)
  })

  test('a document that replaces everything says nothing about holds', async () => {
    await acquire([drain])
    const replaced = cib.replace('score="INFINITY"', 'score="5"')
    expect(await edit(/^[\s\S]*$/, replaced, { replaces: true })).toBeUndefined()
    expect(view.configuration?.version).toBe(2)
    expect(text()).toContain('hold-drain-n2')
  })

  test('what else is changed beside it is stored', async () => {
    await acquire([drain])
    expect(await edit(/cli-prefer-web/, 'cli-prefer-web-2')).toBeUndefined()
    expect(printXml(view.stored?.cib ?? composed())).not.toContain('hold-')
    expect(text()).toContain('cli-prefer-web-2')
    expect(text()).toContain('hold-drain-n2')
  })

  test("a command that looks for what it changes finds the operator's own first", async () => {
    await acquire([drain])
    const standby = (value: string) => async () =>
      await changeCib(node, (document) => withStandby(document, value), { command: 'crm_standby' })
    expect((await standby('off')())?.errors).toContain('n2 is drained by root')
    expect(await standby('on')()).toBeUndefined()
    // Its own is changed, and the node would stay where it is.
    expect((await standby('off')())?.errors).toContain('n2 is drained by root')
    await release(['drain-n2'])
    expect(text()).toContain('name="standby" value="on"')
  })
})

/** As crm_standby does: the pair that is there, or a new one. */
function withStandby(document: XmlElement, value: string): XmlElement {
  const written = printXml(document)
  if (written.includes('name="standby"'))
    return parsed(written.replace(/name="standby" value="\w+"/, `name="standby" value="${value}"`))
  if (value === 'off') return document
  const set = `<instance_attributes id="nodes-2"><nvpair id="nodes-2-standby" name="standby" value="${value}"/></instance_attributes>`
  return parsed(written.replace(/<node id="2" uname="n2"\/>/, `<node id="2" uname="n2">${set}</node>`))
}

describe('who may end a hold', () => {
  test('everybody those of users; those of commands and rollouts only their owners, or by force', async () => {
    await acquire([drain])
    const { holds: made } = await acquire([{ kind: 'ban', resource: 'web', node: 'n1' }], keptMove)
    const ids = made.map(({ id }) => id)
    expect((await release(ids)).outcome).toBe('held')
    expect((await release([...ids, 'drain-n2'])).outcome).toBe('held')
    expect((await release(ids, { holder: 'h2' })).outcome).toBe('held')
    expect((await release(ids, { holder: 'h1' })).outcome).toBe('released')
    expect((await release(ids)).outcome).toBe('free')
    expect((await release(['drain-n2'])).outcome).toBe('released')
  })

  test('a release by force is in the log, with who made it and whose the hold was', async () => {
    await acquire([{ kind: 'ban', resource: 'web', node: 'n1' }], keptMove)
    await release(['drain-n2'], { force: true, user: 'anna' })
    expect(warned).toEqual([])
    await release([...view.holds.keys()], { force: true, user: 'anna' })
    expect(warned).toEqual([
      [
        'holds were released by force',
        { user: 'anna', holds: [expect.stringMatching(/^kept-[0-9a-f]{16}-1 \(command /)] },
      ],
    ])
  })

  test('a name that a command holds is nobody else’s; asked for again, it is held since the first time', () => {
    const [since, later] = ['2026-11-23T14:00:00.000Z', '2026-11-23T15:00:00.000Z']
    const stored = (record: HoldRecord): StoredHold => ({ entry: { key: keys.hold(record.id) } as never, hold: record })
    const first = hold('drain', { node: 'n2', since })
    const again = hold('drain', { node: 'n2', since: later })
    expect(acquiring([stored(first)], [again]).holds.map((one) => one.since)).toEqual([since])
    // One that has a time begins it again.
    expect(acquiring([stored(first)], [{ ...again, ttlMs: 5000 }]).holds.map((one) => one.since)).toEqual([later])
    const owner = { kind: 'command', name: 'resource move', user: 'root', node: 'n1' }
    expect(acquiring([stored(hold('drain', { node: 'n2', owner }))], [again]).outcome).toBe('held')
  })

  test('there are 1000 holds at most, and those that are there already are renewed all the same', () => {
    const records = Array.from({ length: mostHolds }, (_, index) => hold('drain', { node: `n${index}` }))
    const stored = records.map((record) => ({ entry: { key: keys.hold(record.id) } as never, hold: record }))
    expect(() => acquiring(stored, [hold('drain', { node: 'one-more' })])).toThrow('There are 1000 holds already')
    expect(acquiring(stored, records.slice(0, 1)).outcome).toBe('renewed')
    expect(acquiring(stored.slice(1), [hold('drain', { node: 'one-more' })]).outcome).toBe('acquired')
  })

  test('what is wrong is refused before anything is written', async () => {
    const wrong: readonly (readonly [readonly object[], object, RegExp])[] = [
      [[], {}, /Between one and 100/],
      [[{ kind: 'drain', node: 'n9' }], {}, /There is no node 'n9'/],
      [[{ kind: 'ban', node: 'n1', resource: 'no' }], {}, /There is no resource 'no'/],
      [[{ kind: 'freeze', node: 'n1' }], {}, /'freeze' is not a kind of hold/],
      [[{ kind: 'drain', resource: 'web' }], {}, /needs another node or resource/],
      [[{ kind: 'ban', node: 'n1', resource: 'web', role: 'Chief' }], {}, /'Chief' is not a role/],
      [[drain], { reason: 'r'.repeat(201) }, /The reason .* has 201 bytes/],
      [[drain], { reason: 'a\u0001' }, /control character/],
      [[drain], { ttlMs: 10 }, /one second at least/],
      [[drain], { holder: 'h', ttlMs: 3_600_000 }, /with a holder a minute/],
      [[drain], { holder: 'h' }, /needs a time/],
      [[drain], { holder: 'a/b', ttlMs: 5000 }, /is not an id/],
    ]
    for (const [wanted, more, sentence] of wrong)
      await expect(acquire(wanted, more), JSON.stringify([wanted, more])).rejects.toThrow(sentence)
    expect(view.holds.size).toBe(0)
  })

  test('a hold on another resource whose id would be the same stays what it is', async () => {
    const resources =
      '<primitive id="é-b" class="ocf" provider="pacemaker" type="Dummy"/><primitive id="_-b" class="ocf" provider="pacemaker" type="Dummy"/>'
    const { xml } = readConfigurationToPush(cib.replace('<resources>', `<resources>${resources}`))
    await saveConfiguration(node, { xml, expectedVersion: 1, user: 'root', command: 'test' })
    await expect.poll(() => view.configuration?.version).toBe(2)
    expect((await acquire([{ kind: 'disable', resource: '_-b' }])).outcome).toBe('acquired')
    expect((await acquire([{ kind: 'disable', resource: 'é-b' }])).outcome).toBe('held')
    expect([...view.holds.values()].map(({ resource }) => resource)).toEqual(['_-b'])
  })

  test('while a node of an older version takes part, nothing is held, and what was held before is released', async () => {
    await acquire([{ kind: 'drain', node: 'n1' }])
    const member = { node: 'n2', state: 'member', incarnation: 1 }
    const { revision } = await store.transaction({
      compare: [],
      writes: [{ kind: 'put', key: keys.member(nodeName('n2')), value: toBytes(member) }],
    })
    await expect.poll(() => view.revision).toBeGreaterThanOrEqual(Number(revision))
    await expect(acquire([drain])).rejects.toThrow('knows no holds runs on n2')
    expect((await release(['drain-n1'])).outcome).toBe('released')
    expect(view.holds.size).toBe(0)
  })
})

test('the DC frees what nobody renews, and what a rollout held that is over; a node that leads no more frees nothing', async () => {
  let term: number | undefined
  const { revision } = await store.transaction({
    compare: [],
    writes: [
      { kind: 'put', key: keys.dc, value: toBytes({ node: 'n1' }) },
      { kind: 'put', key: rolloutKey('r7'), value: toBytes({ id: 'r7' }) },
      {
        kind: 'put',
        key: keys.hold('r7-n1'),
        value: toBytes({
          ...hold('drain', { node: 'n1', owner: { kind: 'rollout', name: 'r7', user: 'root', node: 'n1' } }),
          id: 'r7-n1',
        }),
      },
    ],
  })
  await acquire([{ kind: 'ban', resource: 'web', node: 'n1' }], keptMove)
  await acquire([drain])
  let now = monotonicMs(0)
  const keeper = new HoldKeeper({
    log: log as never,
    store: () => store,
    below: seen.below,
    term: () => term,
    now: () => now,
    calendarMs: Date.now,
  })
  const ids = () => [...view.holds.keys()].sort()
  const frees = async (expected: readonly string[]) => {
    keeper.look()
    await expect.poll(ids).toEqual(expected)
  }
  await frees(['drain-n2', 'kept-33112ee14ee469c3-1', 'r7-n1'])
  now = monotonicMs(60_000)
  await frees(['drain-n2', 'kept-33112ee14ee469c3-1', 'r7-n1'])
  term = Number(revision) + 1
  keeper.look()
  now = monotonicMs(90_000)
  // Of another term: the comparison fails.
  await frees(['drain-n2', 'kept-33112ee14ee469c3-1', 'r7-n1'])
  term = Number(revision)
  await frees(['drain-n2', 'r7-n1'])
  const ended = await store.transaction({
    compare: [],
    writes: [{ kind: 'put', key: rolloutKey('r7'), value: toBytes({ id: 'r7', ended: 5 }) }],
  })
  await expect.poll(() => view.revision).toBeGreaterThanOrEqual(Number(ended.revision))
  await frees(['drain-n2'])
  keeper.close()
})
