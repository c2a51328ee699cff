/** Cluster options that the scheduler hands on with a transition, from the CIB to the moment in which the DC obeys them. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { parseXml } from '../../src/cib/index.ts'
import { type ControllerEffect, defaultControllerTimings, initialController } from '../../src/controller/index.ts'
import { limitsOf } from '../../src/controller/limits.ts'
import { send } from '../../src/controller/send.ts'
import type { ControllerState, DcState } from '../../src/controller/state.ts'
import { nextActions, startWalk, type Walk } from '../../src/controller/walk.ts'
import { schedule } from '../../src/scheduler/index.ts'
import type { GraphAction } from '../../src/transition/index.ts'
import { dummy, meta, type SmallCib, smallCib } from '../scheduler/small-cib.ts'

const many = ['a', 'b', 'c', 'd'].map((id) => dummy(id)).join('')
const movable = (id: string): string => dummy(id, meta(id, { 'allow-migrate': 'true' }))
const device = '<primitive id="f" class="stonith" type="fence_dummy"/>'

const idle: SmallCib = { resources: many, nodes: { n1: {}, n2: {} } }
const moving: SmallCib = {
  resources: ['a', 'b', 'c'].map(movable).join(''),
  constraints: ['a', 'b', 'c']
    .map((id) => `<rsc_location id="l${id}" rsc="${id}" node="n2" score="INFINITY"/>`)
    .join(''),
  nodes: {
    n1: { ran: ['a start', 'b start', 'c start'] },
    n2: { ran: ['a monitor 0 rc=7', 'b monitor 0 rc=7', 'c monitor 0 rc=7'] },
  },
}
const lost: SmallCib = {
  resources: device + dummy('web', meta('web', { priority: '5' })),
  options: { 'fencing-enabled': 'true' },
  nodes: { n1: { ran: ['web monitor 0 rc=7', 'f monitor 0 rc=7'] }, n2: { state: 'lost', ran: ['web start'] } },
}

test('batch-limit: so many actions are under way at the same time', () => {
  const begun = (options: SmallCib['options']) => firstActions({ ...idle, ...(options && { options }) }).length
  expect(begun(undefined)).toBe(8)
  expect(begun({ 'batch-limit': '3' })).toBe(3)
})

test('migration-limit: so many live migrations of a node are under way at the same time', () => {
  const migrations = (options: SmallCib['options']) =>
    firstActions({ ...moving, ...(options && { options }) }).filter((key) => key.includes('migrate_to')).length
  expect(migrations(undefined)).toBe(3)
  expect(migrations({ 'migration-limit': '2' })).toBe(2)
})

test.each(['fencing-timeout', 'stonith-timeout'])('%s: fencing may take so long', (name) => {
  expect(fencingOf({})).toMatchObject({ timeoutMs: 60_000 })
  expect(fencingOf({ [name]: '95s' })).toMatchObject({ timeoutMs: 95_000 })
})

test('priority-fencing-delay: of two nodes, the one on which the more important resources are is fenced later', () => {
  expect(fencingOf({})).toMatchObject({ delayMs: 0 })
  expect(fencingOf({ 'priority-fencing-delay': '15s' })).toMatchObject({ delayMs: 15_000 })
})

test('cluster-delay: the result of an operation is waited for so much longer than it may take', () => {
  const waited = (options: SmallCib['options']) => {
    const { state, walk } = dcWith({ ...idle, ...(options && { options }) })
    const [action] = nextActions(walk, limitsOf(state, walk, 0))
    if (action === undefined) throw new Error('nothing is to be done')
    const [sent] = send(state, { transition: 1, action }, 0).state.dcState?.walks ?? []
    return [...(sent?.underWay.values() ?? [])].map(({ deadline }) => deadline)
  }
  expect(waited(undefined)).toEqual([20_000 + 60_000])
  expect(waited({ 'cluster-delay': '33s' })).toEqual([20_000 + 33_000])
})

function firstActions(cib: SmallCib): readonly string[] {
  const { state, walk } = dcWith(cib)
  return nextActions(walk, limitsOf(state, walk, 0)).map(({ key }) => key)
}

function fencingOf(options: Readonly<Record<string, string>>): ControllerEffect | undefined {
  const { state, walk } = dcWith({ ...lost, options: { ...lost.options, ...options } })
  const action = walk.graph.actions.find(({ operation }: GraphAction) => operation === 'stonith')
  if (action === undefined) throw new Error('nobody is fenced')
  return send(state, { transition: 1, action }, 0).effects.find(({ kind }) => kind === 'fence')
}

/** A DC that walks what the scheduler wants. */
function dcWith(cib: SmallCib): { readonly state: ControllerState; readonly walk: Walk } {
  const parsed = parseXml(smallCib(cib))
  if (!parsed.ok) throw new Error('bad test')
  const md5 = (text: string): string => createHash('md5').update(text).digest('hex')
  const { graph } = schedule({ cib: parsed.value, now: 1_700_000_000, md5, explain: false })
  const plan = {
    number: 1,
    beganAt: 0,
    plannedFrom: 1,
    deletions: [],
    clearsFailures: false,
    lastFailure: () => undefined,
  }
  const walk = startWalk(graph, plan)
  const dcState: DcState = {
    term: 1,
    writes: new Map(),
    mustSee: 0,
    walks: [walk],
    fencing: new Map(),
    waits: new Map(),
    waitingFor: [],
    owing: new Map(),
    unresponsive: new Map(),
    fencedForAnswers: new Map(),
    neededVoters: new Map(),
    recheckAt: 0,
    computedVersion: 1,
    computedHolds: 0,
    computingHolds: 0,
    computingVersion: 1,
    computingRevision: 1,
    blocked: [],
    awaited: [],
    publishAt: 0,
  }
  return { state: { ...initialController(nodeName('n1'), defaultControllerTimings), dcState }, walk }
}
