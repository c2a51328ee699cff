/** Changes that are taken back: typed as commands, kept in a real store, by the handlers and the keeper of the daemon. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { monotonicMs, nodeName } from '../../src/base/index.ts'
import { accessThrough } from '../../src/cli/access/live-access.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { type ClusterView, cibOfView, emptyView, observe } from '../../src/controller/index.ts'
import { configurationHandlers } from '../../src/daemon/api/configuration-api.ts'
import { stoppedState } from '../../src/daemon/cluster-state/cluster-state.ts'
import { readApplied } from '../../src/daemon/configuration/applied.ts'
import { readConfigurationToPush, saveConfiguration } from '../../src/daemon/configuration/configuration-edit.ts'
import {
  forSomebodyWithRoles,
  refuseUnconfirmable,
  unconfirmedNotes,
  unconfirmedWrites,
  versionsWithWaiting,
} from '../../src/daemon/configuration/unconfirmed.ts'
import { UnconfirmedKeeper } from '../../src/daemon/configuration/unconfirmed-keeper.ts'
import { observationOf } from '../../src/daemon/node/observations.ts'
import { toBytes } from '../../src/daemon/records/json-value.ts'
import { keys, unconfirmedDocumentsPrefix, unconfirmedPrefix } from '../../src/daemon/records/keys.ts'
import type { StoreView } from '../../src/daemon/records/store-view.ts'
import { EmbeddedStore } from '../../src/store/index.ts'
import { scriptedTerminal } from '../cli/scripted-terminal.ts'
import { clusterFile } from '../support/cluster-file.ts'
import { localClient } from '../support/local-client.ts'
import { openStoreView } from '../support/open-store-view.ts'

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
const cib = `<cib validate-with="pacemaker-3.9"><configuration><crm_config/>
<nodes><node id="1" uname="n1"/><node id="2" uname="n2"/></nodes>
<resources><primitive id="web" class="ocf" provider="pacemaker" type="Dummy"/></resources>
<constraints/></configuration></cib>`

let folder: string
let store: EmbeddedStore
let seen: StoreView
let view: ClusterView
let node: Parameters<typeof configurationHandlers>[0]['node']
let keeper: UnconfirmedKeeper
let term: number
let clock: number
let listeners: Set<() => void>

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'systole-unconfirmed-'))
  store = new EmbeddedStore({ directory: folder })
  view = emptyView
  listeners = new Set()
  clock = 0
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
  await saveConfiguration(node, { ...readConfigurationToPush(cib), expectedVersion: 0, user: 'root', command: 'test' })
  const dc = await store.transaction({ compare: [], writes: [{ kind: 'put', key: keys.dc, value: toBytes({}) }] })
  term = Number(dc.revision)
  keeper = new UnconfirmedKeeper({
    self: 'n2',
    log,
    store: () => store,
    below: (prefix) => seen.below(prefix),
    term: () => term,
    versionsKept: () => 1000,
    now: () => monotonicMs(clock),
    calendarMs: () => Date.now() + clock,
  })
  await expect.poll(() => view.configuration?.version).toBe(1)
})
afterEach(async () => {
  keeper.close()
  seen.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

async function type(line: string, files: Readonly<Record<string, string>> = {}) {
  const handlers = configurationHandlers({ node, file: node.file, log, refuseOnWitness: () => undefined })
  const own = Object.entries(handlers).map(([name, handle]) => [
    name,
    async (asked: never) => await handle(asked, { caller: { kind: 'unknown' }, signal: new AbortController().signal }),
  ])
  const live = localClient({
    ...Object.fromEntries(own),
    getState: () => Promise.resolve({ ...stoppedState(undefined, 'n1', true), configured: true, started: true }),
    whoAmI: () => Promise.resolve({ user: 'root', limited: false }),
  })
  const version = view.configuration?.version
  const outcome = await runLine({
    commands: allCommands,
    line: line.split(' '),
    terminal: { ...scriptedTerminal(), readFile: (path) => Promise.resolve(files[path] ?? '') },
    openCluster: () => accessThrough(live, 'root'),
  })
  // This node reads what it has just written.
  const { versions } = await handlers.listConfigVersions({}, { caller: { kind: 'unknown' } } as never)
  await expect.poll(() => view.configuration?.version ?? version).toBe(versions.at(-1)?.version)
  return outcome
}

const text = (): string => JSON.stringify(cibOfView(view, true))
const has = (word: string): boolean => text().includes(word)
const passes = async (ms: number): Promise<void> => {
  clock += ms
  keeper.look()
}
const until = async (wanted: () => boolean): Promise<void> => {
  await expect
    .poll(
      () => {
        keeper.look()
        return wanted()
      },
      { timeout: 10_000 },
    )
    .toBe(true)
}
const history = async (): Promise<string> => (await type('config history')).standardOutput

describe('config revert', () => {
  test('takes one change back, and what was changed later stays', async () => {
    await type('resource meta web priority=1')
    await type('property set maintenance-mode=true')
    await type('resource create other ocf:pacemaker:Dummy')
    expect(await type('config revert 2')).toMatchObject({
      exitCode: 0,
      standardOutput: expect.stringContaining('Took back the change of version 2.'),
    })
    expect([has('priority'), has('maintenance-mode'), has('"other"')]).toEqual([false, true, true])
    // Of a removal the resource comes back whole, with what named it.
    await type('constraint location other prefers n2=50')
    await type('resource delete other --force')
    expect(has('"other"')).toBe(false)
    const removal = view.configuration?.version ?? 0
    await type('property set symmetric-cluster=false')
    await type(`config revert ${removal}`)
    expect([has('"other"'), has('location-other-n2-50'), has('symmetric-cluster')]).toEqual([true, true, true])
  })

  test('names what a later version changed, and does nothing', async () => {
    await type('resource meta web priority=1')
    await type('resource meta web priority=2')
    await type('resource meta web priority=3')
    const { exitCode, standardError } = await type('config revert 3')
    expect(exitCode).toBe(1)
    expect(standardError).toContain("web: priority is '3' now. Version 3 changed it from '1' to '2'.")
    expect(view.configuration?.version).toBe(4)
    expect((await type('config revert 1')).standardError).toContain('nothing before it')
    expect((await type('config revert 99')).standardError).toContain('no version 99')
  })
})

describe('--confirm-within', () => {
  test('the DC takes the change back when nobody has confirmed it, and tells whose it was', async () => {
    const { standardOutput } = await type('resource meta web priority=1 --confirm-within=5m')
    expect(standardOutput).toContain("It is taken back after 5m unless you run 'systole config confirm 2'.")
    expect(await history()).toMatch(/^2 .*unless confirmed\)$/m)
    expect(unconfirmedNotes(seen.below(unconfirmedPrefix))).toEqual([
      expect.stringMatching(
        /^Version 2 of the configuration \(by root@n1\) is taken back at .* unless 'systole config confirm 2' is run\.$/,
      ),
    ])
    await passes(299_000)
    expect(has('priority')).toBe(true)
    await passes(2000)
    await until(() => !has('priority'))
    expect(await history()).toContain('config revert 2 (root@n1 did not confirm it within 300 s)')
    await expect.poll(() => seen.below(unconfirmedPrefix)).toEqual([])
    expect((await store.list(unconfirmedDocumentsPrefix)).entries).toEqual([])
    expect((await type('config confirm 2')).standardError).toContain('does not wait for confirmation')
  })

  test('it is told which token’s it was, as the name of a token is no secret', async () => {
    const read = readConfigurationToPush(
      cib.replace('<crm_config/>', '<crm_config><cluster_property_set id="o"/></crm_config>'),
    )
    const more = { command: 'property set', confirmWithinMs: 5000, expectedVersion: 1, user: 'token:ops' }
    await saveConfiguration(node, { ...read, ...more })
    await expect.poll(() => view.configuration?.version).toBe(2)
    await passes(6000)
    await until(() => view.configuration?.version === 3)
    expect(await history()).toContain('config revert 2 (token ops@n1 did not confirm it within 5 s)')
  })

  test('a confirmed change stays', async () => {
    await type('resource meta web priority=1 --confirm-within=10s')
    expect(await type('config confirm')).toMatchObject({ exitCode: 0 })
    await expect.poll(() => seen.below(unconfirmedPrefix)).toEqual([])
    await passes(60_000)
    expect(has('priority')).toBe(true)
    expect((await type('config confirm')).standardError).toContain('No change of the configuration waits')
    await type('resource meta web priority=2 --confirm-within=1h')
    await type('resource meta web priority=3 --confirm-within=1h')
    expect((await type('config confirm')).standardError).toContain('Versions 3, 4 wait for confirmation')
  })

  test('what others changed later stays, and what they changed of the same is named', async () => {
    await type('resource create other ocf:pacemaker:Dummy meta priority=1 --confirm-within=10s')
    await type('property set maintenance-mode=true')
    await passes(11_000)
    await until(() => !has('"other"'))
    expect(has('maintenance-mode')).toBe(true)
    await type('resource meta web priority=1 resource-stickiness=5 --confirm-within=10s')
    await type('resource meta web priority=2')
    await passes(11_000)
    await until(() => !has('resource-stickiness'))
    expect(has('"2"')).toBe(true)
    expect(await history()).toContain('kept, because changed later: priority of web')
  })

  test('where a later change relies on it nothing is done, and status says so until it is confirmed', async () => {
    await type('resource create other ocf:pacemaker:Dummy --confirm-within=10s')
    await type('constraint location other prefers n2=50')
    await passes(11_000)
    await until(() =>
      unconfirmedNotes(seen.below(unconfirmedPrefix)).some((note) => note.includes('could not be taken back')),
    )
    expect([has('"other"'), view.configuration?.version]).toEqual([true, 3])
    expect(await history()).toContain('could not be taken back: later changes rely on it')
    // By what it is kept, and what was typed, may be hidden from whoever has roles.
    const whole = await versionsWithWaiting(store)
    const inPart = whole.map(forSomebodyWithRoles)
    expect([whole, inPart].map((versions) => /other|n2/.test(JSON.stringify(versions)))).toEqual([true, false])
    expect(inPart[1]).toMatchObject({ command: '', undoFailed: 'later changes rely on it.' })
    await passes(60_000)
    await type('config confirm 2')
    await expect.poll(() => seen.below(unconfirmedPrefix)).toEqual([])
  })

  test('a file that is taken back is as it was before it was applied', async () => {
    const file = (priority: number) => ({
      'shop.yaml': `resources: {shop: {agent: ocf:pacemaker:Dummy, meta: {priority: ${priority}}}}\n`,
    })
    expect(await type('apply shop.yaml', file(1))).toMatchObject({ exitCode: 0 })
    await type('apply shop.yaml --confirm-within=10s', file(2))
    expect(await readApplied(store, 'shop.yaml')).toMatchObject({ version: 3 })
    await passes(11_000)
    await until(() => view.configuration?.version === 4)
    expect(await readApplied(store, 'shop.yaml')).toMatchObject({ version: 2 })
    expect((await type('plan shop.yaml', file(2))).standardOutput).toContain('"1" -> "2"')
  })

  test('a DC whose term is over takes nothing back', async () => {
    await type('resource meta web priority=1 --confirm-within=10s')
    await store.transaction({ compare: [], writes: [{ kind: 'delete', key: keys.dc }] })
    await store.transaction({ compare: [], writes: [{ kind: 'put', key: keys.dc, value: toBytes({}) }] })
    await passes(11_000)
    await passes(1000)
    await type('resource meta web resource-stickiness=5')
    expect(has('priority')).toBe(true)
  })

  test('at most 20 changes wait at a time', async () => {
    for (let priority = 1; priority <= 20; priority++)
      expect((await type(`resource meta web priority=${priority} --confirm-within=1h`)).exitCode).toBe(0)
    expect((await type('resource meta web priority=21 --confirm-within=1h')).standardError).toContain(
      '20 changes wait for confirmation already',
    )
    expect(view.configuration?.version).toBe(21)
  })

  test('wrong times, files, and clusters with an older node are refused, and nothing is changed', async () => {
    for (const wrong of ['4s', '25h', 'soon', '-5m'])
      expect((await type(`resource meta web priority=1 --confirm-within=${wrong}`)).standardError).toContain(
        'specify a time from 5s to 24h',
      )
    const older = { state: 'member', node: 'n2', id: '2', incarnation: 1, address: 'n2', since: 1 }
    await store.transaction({
      compare: [],
      writes: [{ kind: 'put', key: keys.member(nodeName('n2')), value: toBytes(older) }],
    })
    await expect.poll(() => view.members.size).toBe(1)
    expect((await type('resource meta web priority=1 --confirm-within=5m')).standardError).toContain('runs on n2')
    expect(view.configuration?.version).toBe(1)
  })
})

test('twenty changes wait at most, and none where a node runs that takes nothing back', async () => {
  const wait = async (version: number): Promise<void> => {
    const change = { version, since: new Date().toISOString(), withinMs: 60_000, user: 'root', node: nodeName('n1') }
    await store.transaction({ compare: [], writes: unconfirmedWrites(change, { before: cib, after: cib }) })
  }
  for (let version = 100; version < 119; version++) await wait(version)
  await refuseUnconfirmable(node, 60_000)
  await wait(119)
  await expect(refuseUnconfirmable(node, 60_000)).rejects.toMatchObject({ code: 'too-many' })
  const old = { node: nodeName('old'), knowsConfirmation: false }
  const beside = {
    ...node,
    store,
    view: { ...view, members: new Map([[nodeName('old'), old]]) },
  } as unknown as typeof node
  await expect(refuseUnconfirmable(beside, 60_000)).rejects.toMatchObject({ code: 'older-nodes' })
  for (const wrong of [4999, 86_400_001, Number.NaN])
    await expect(refuseUnconfirmable(node, wrong)).rejects.toMatchObject({ code: 'bad-time' })
})
