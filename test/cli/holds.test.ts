import { beforeEach, describe, expect, test } from 'vitest'
import { parseXml, printXml, type XmlElement } from '../../src/cib/index.ts'
import type { ClusterAccess } from '../../src/cli/call/access.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { acquiring, releasing } from '../../src/daemon/api/hold-api.ts'
import type { StoredHold } from '../../src/daemon/records/hold-records.ts'
import { composeHolds, type HoldRecord, parseHold, withoutHolds } from '../../src/holds/index.ts'
import { type Messages, refuse } from '../../src/rpc/index.ts'
import { hold } from '../holds/hold.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

/** Drains and moves by a daemon that keeps holds in memory, by the rules of the real one. */
const ran = (resource: string, node: string) =>
  `<lrm_resource id="${resource}" class="ocf" provider="pacemaker" type="Dummy"><lrm_rsc_op id="${resource}_last_0" operation_key="${resource}_start_0" operation="start"
  transition-key="4:1:0:6e1e2ba0-27a8-4a71-9d32-000000000001" transition-magic="0:0;4:1:0:6e1e2ba0-27a8-4a71-9d32-000000000001" call-id="1" rc-code="0" op-status="0" interval="0"
  op-digest="f2317cad3d54cec5d7d7aa7d0bf35cf8" on_node="${node}"/></lrm_resource>`
const state = (id: number, resources: string) =>
  `<node_state id="${id}" uname="n${id}" in_ccm="true" crmd="online" join="member" expected="member"><lrm id="${id}"><lrm_resources>${resources}</lrm_resources></lrm></node_state>`
const text = `<cib crm_feature_set="3.19.0" validate-with="pacemaker-3.9" epoch="5" num_updates="0" admin_epoch="0" have-quorum="1" dc-uuid="1"><configuration>
<crm_config><cluster_property_set id="o"><nvpair id="o-f" name="stonith-enabled" value="false"/></cluster_property_set></crm_config>
<nodes><node id="1" uname="n1"/><node id="2" uname="n2"/></nodes>
<resources><primitive id="web" class="ocf" provider="pacemaker" type="Dummy"/></resources><constraints/></configuration>
<status>${state(1, ran('web', 'n1'))}${state(2, '')}</status></cib>`

let cib: XmlElement
let stored: HoldRecord[]
let pushed: number
let isOlder: boolean
let startFails: boolean
let told: string[]
/** Each hold that was in force at some time. */
let seen: HoldRecord[]

beforeEach(() => {
  const read = parseXml(text)
  if (!read.ok) throw new Error('not XML')
  cib = read.value
  stored = []
  seen = []
  pushed = 0
  isOlder = false
  startFails = false
  told = []
})

/** What the cluster does until it has settled: web follows the preference or the ban, unless its start fails there. */
function settle(): void {
  const isMeant = stored.some(
    ({ kind, node }) => (kind === 'prefer' && node === 'n2') || (kind === 'ban' && node === 'n1'),
  )
  if (startFails || !(isMeant || printXml(cib).includes('cli-prefer-web'))) return
  const moved = parseXml(`<status>${state(1, '')}${state(2, ran('web', 'n2'))}</status>`)
  if (!moved.ok) throw new Error('not XML')
  const { value } = moved
  cib = { ...cib, children: cib.children.map((one) => (one.kind === 'element' && one.name === 'status' ? value : one)) }
}

const entries = (): readonly StoredHold[] =>
  stored.map((one) => ({ hold: one, entry: { key: one.id, modRevision: 1 } as unknown as StoredHold['entry'] }))
const answer = (outcome: string, holds: readonly HoldRecord[]): Messages['HoldsAnswer'] => ({
  outcome,
  revision: 7,
  holds: holds.map(({ holder, renewed: _, ...one }) => ({ ...one, kept: holder !== undefined })),
})

const live = {
  getState: () => Promise.resolve({ configured: true, started: true, localNode: 'n1', quorate: true }),
  watchState: (_: unknown, send: (state: unknown) => void) => {
    settle()
    send({
      quorate: true,
      dc: 'n1',
      members: [],
      transition: {
        state: 'idle',
        computedVersion: 99,
        computedHolds: 7,
        pending: [],
        blockedBy: [],
        blockedResources: [],
      },
    })
    return Promise.resolve()
  },
  acquireHolds: ({ holds, ...more }: Messages['AcquireHoldsRequest']) => {
    if (isOlder) throw refuse('older-nodes', 'A version of Systole that knows no holds runs on n2.')
    const owner = more.holder === undefined ? { kind: 'user', name: 'root' } : { kind: 'command', name: more.command }
    const wanted = holds.flatMap((one) => {
      const id = more.holder === undefined ? `${one.kind}-${one.node}` : `${more.holder}-1`
      return (
        parseHold({
          ...more,
          ...one,
          id,
          owner: { ...owner, user: 'root', node: 'n1' },
          since: '2026-11-23T14:02:00Z',
        }) ?? []
      )
    }) as readonly HoldRecord[]
    const { outcome, holds: made } = acquiring(entries(), wanted)
    if (outcome !== 'held') stored = [...stored.filter(({ id }) => !made.some((one) => one.id === id)), ...made]
    seen = [...seen, ...made]
    return Promise.resolve(answer(outcome, made))
  },
  releaseHolds: (asked: Messages['ReleaseHoldsRequest']) => {
    const { outcome, holds } = releasing(entries(), asked)
    if (outcome === 'released') stored = stored.filter(({ id }) => !asked.ids.includes(id))
    return Promise.resolve(answer(outcome, holds))
  },
  listHolds: () => Promise.resolve(answer('listed', stored)),
}

async function type(line: string, files: Readonly<Record<string, string>> = {}) {
  const access: ClusterAccess = {
    live: live as unknown as NonNullable<ClusterAccess['live']>,
    readCib: () => Promise.resolve({ cib: composeHolds(cib, stored), version: 5 + pushed }),
    push: ({ cib: after }) => {
      cib = withoutHolds(after)
      pushed++
      return Promise.resolve({ kind: 'saved', version: 5 + pushed } as const)
    },
    close: () => undefined,
  }
  return await runLine({
    commands: allCommands,
    line: line.split(' '),
    terminal: {
      ...scriptedTerminal(),
      progress: (line) => told.push(line),
      readFile: (path) => Promise.resolve(files[path] ?? ''),
    },
    openCluster: () => access,
  })
}

const ofRollout = hold('drain', {
  node: 'n2',
  id: 'r7-n2',
  owner: { kind: 'rollout', name: 'r7', user: 'root', node: 'n1' },
})

describe('node drain', () => {
  test('what would run nowhere is named, and --force drains all the same', async () => {
    const { standardError, exitCode } = await type('node drain n1 n2')
    expect(standardError).toMatch(/web would run nowhere.*Add --force to drain n1, n2 anyway/)
    expect([exitCode, stored]).toEqual([1, []])
    expect((await type('node drain n1 n2 --force')).exitCode).toBe(0)
    expect(stored.map(({ id }) => id)).toEqual(['drain-n1', 'drain-n2'])
  })

  test('a preview shows what moves, and drains nothing', async () => {
    const { standardOutput } = await type('node drain n1 --preview')
    expect(standardOutput).toContain('move web from n1 to n2')
    expect(stored).toEqual([])
    expect((await type('node drain n1 --preview --for=soon')).exitCode).toBe(1)
  })

  test('of a node that a rollout drains, undrain says so, and --force ends it', async () => {
    stored = [ofRollout]
    const { standardError, exitCode } = await type('node undrain n2')
    expect(standardError).toContain('n2 is drained by the rollout r7 of root since 2026-11-23 14:02:00 UTC')
    expect(exitCode).toBe(1)
    expect((await type('node undrain n2 --force')).standardOutput).toBe('n2 is no longer drained.\n')
    expect(stored).toEqual([])
  })

  test('undrain --all ends all drains', async () => {
    stored = [hold('drain', { node: 'n1' }), hold('drain', { node: 'n2' })]
    expect((await type('node undrain --all')).exitCode).toBe(0)
    expect(stored).toEqual([])
    expect((await type('node undrain --all')).standardOutput).toBe('Nothing to change: no node is drained.\n')
  })

  test('unstandby of a drained node names who drains it; its own standby is taken away all the same', async () => {
    stored = [ofRollout]
    expect((await type('node unstandby n2')).standardError).toContain('n2 is drained by the rollout r7')
    await type('node standby n2')
    expect(printXml(cib)).toContain('name="standby"')
    told = []
    expect((await type('node unstandby n2')).exitCode).toBe(0)
    expect(told.join()).toContain('n2 is drained by the rollout r7')
    expect(printXml(cib)).not.toContain('standby')
  })
})

describe('a change of what is held', () => {
  const stops = hold('disable', { resource: 'web', reason: 'a restore runs' })

  test('is stored, with the word that it has no effect yet and how to end the hold', async () => {
    await type('resource disable web')
    stored = [stops]
    told = []
    expect((await type('resource enable web')).exitCode).toBe(0)
    expect(printXml(cib)).not.toContain('target-role')
    expect(told.join()).toContain(
      'This has no effect yet: web is held stopped by root since 2026-11-23 14:02:00 UTC: a restore runs. To end it: systole hold release disable-web',
    )
  })

  test('is refused where the hold alone is in its way', async () => {
    stored = [stops]
    const { exitCode, standardError } = await type('resource enable web')
    expect([exitCode, pushed]).toEqual([1, 0])
    expect(standardError).toContain('web is held stopped by root')
    stored = [hold('maintenance', { resource: 'web' })]
    expect((await type('resource enable web')).exitCode).toBe(0)
  })
})

test('a document that was read while something was held is pushed back without it', async () => {
  stored = [hold('drain', { node: 'n2' }), hold('disable', { resource: 'web' })]
  const read = printXml(composeHolds(cib, stored)).replace(
    '<constraints/>',
    '<constraints><rsc_location id="l" rsc="web" node="n1" score="5"/></constraints>',
  )
  expect((await type('cluster cib-push f.xml', { 'f.xml': read })).standardError).toBe('')
  expect(pushed).toBe(1)
  expect(printXml(cib)).toContain('id="l"')
  expect(printXml(cib)).not.toContain('hold-')
})

test('a drain with a time says when it ends, a hold that a command renews that it runs', async () => {
  const hour = 3_600_000
  stored = [hold('drain', { node: 'n2', ttlMs: 2 * hour, reason: 'kernel update' })]
  const since = 'n2 is drained by root since 2026-11-23 14:02:00 UTC, until '
  expect((await type('hold list')).standardOutput).toBe(`drain-n2  ${since}16:02:00 UTC: kernel update\n`)
  expect((await type('why n2')).standardOutput).toContain(`${since}16:02:00 UTC: kernel update.`)
  stored = [hold('drain', { node: 'n2', ttlMs: 24 * hour })]
  expect((await type('hold list')).standardOutput).toBe(`drain-n2  ${since}2026-11-24 14:02:00 UTC\n`)
  stored = [hold('drain', { node: 'n2', ttlMs: hour, owner: { ...ofRollout.owner, kind: 'command' } })]
  expect((await type('hold list')).standardOutput).not.toContain('until')
})

test('a second drain without a time says that the first had one', async () => {
  stored = [hold('drain', { node: 'n2', ttlMs: 60_000 })]
  expect((await type('node drain n2')).standardOutput).toContain('It no longer ends by itself')
  expect((await type('node drain n2')).standardOutput).not.toContain('no longer')
})

test('a hold of another is released by force only', async () => {
  stored = [ofRollout]
  expect((await type('hold release r7-n2')).standardError).toContain('Add --force to end it.')
  expect((await type('hold release r7-n3')).standardError).toContain("There is no hold 'r7-n3'")
  expect((await type('hold release r7-n2 --force')).standardOutput).toBe('Released: r7-n2.\n')
  expect((await type('hold list')).standardOutput).toBe('Nothing is held.\n')
})

describe('resource move', () => {
  test('makes no version of the configuration, and holds nothing once it is done', async () => {
    expect((await type('resource move web n2')).exitCode).toBe(0)
    expect(pushed).toBe(0)
    expect(seen).toMatchObject([
      {
        kind: 'prefer',
        resource: 'web',
        node: 'n2',
        owner: { kind: 'command', name: 'resource move web n2' },
        ttlMs: 20_000,
      },
    ])
    expect(stored).toEqual([])
  })

  test('that leaves it where it was has failed, although the cluster has settled', async () => {
    startFails = true
    const { exitCode, standardOutput } = await type('resource move web n2')
    expect(standardOutput).toContain('web did not move to n2.')
    expect([exitCode, stored]).toEqual([1, []])
  })

  test('away from where it runs is a ban that is held', async () => {
    await type('resource move web')
    expect(seen).toMatchObject([{ kind: 'ban', resource: 'web', node: 'n1' }])
    expect([pushed, stored]).toEqual([0, []])
  })

  test('an earlier ban of its target goes, as with any move', async () => {
    await type('resource ban web n2')
    expect(pushed).toBe(1)
    await type('resource move web n2')
    expect(printXml(cib)).not.toContain('cli-ban')
    expect(seen).toHaveLength(1)
    expect(stored).toEqual([])
  })

  test('onto a drained node is refused with who drains it', async () => {
    stored = [hold('drain', { node: 'n2', reason: 'kernel update' })]
    const { exitCode, standardError } = await type('resource move web n2')
    expect(standardError).toContain(
      'web would not move to n2: n2 is drained by root since 2026-11-23 14:02:00 UTC: kernel update. To end it: systole node undrain n2. Add --force',
    )
    expect([exitCode, seen]).toEqual([1, []])
  })

  test('while a node of an older version takes part, it is a constraint that is taken away', async () => {
    isOlder = true
    expect((await type('resource move web n2')).exitCode).toBe(0)
    expect(pushed).toBe(2)
    expect(printXml(cib)).not.toContain('cli-prefer')
  })

  test('what clears a resource ends the move of another that is under way', async () => {
    const owner = { kind: 'command', name: 'resource move web n2', user: 'root', node: 'n1' }
    stored = [hold('prefer', { resource: 'web', node: 'n2', owner, holder: 'h', ttlMs: 20_000 })]
    expect((await type('resource clear web')).standardOutput).toContain('Removed: prefer-web-n2.')
    expect([pushed, stored]).toEqual([0, []])
  })
})

test('why names who holds a node, since when and why, and not the remedy of another command', async () => {
  stored = [hold('drain', { node: 'n2', reason: 'kernel update' })]
  const line = 'n2 is drained by root since 2026-11-23 14:02:00 UTC: kernel update'
  expect((await type('why n2')).standardOutput).toContain(`  ${line}.\n  > To end it: systole node undrain n2`)
  expect((await type('why n2')).standardOutput).not.toContain('unstandby')
})
