import { describe, expect, test } from 'vitest'
import { type NodeName, nodeName } from '../../src/base/index.ts'
import { type NodeStateRecord, parseXml, readConfiguration } from '../../src/cib/index.ts'
import { type ClusterView, emptyView } from '../../src/controller/index.ts'
import { type ClusterFile, defaultPorts, defaultTimings } from '../../src/daemon/node-list/cluster-file.ts'
import { isOutdatedState, marked, withdrawn } from '../../src/daemon/node-list/node-changes.ts'
import {
  isStillGone,
  noRemovals,
  type RemovalState,
  type RemovalView,
  removalCore,
} from '../../src/daemon/removal/removal-core.ts'
import { isAwaited } from '../../src/quorum/index.ts'

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(nodeName) as [NodeName, NodeName, NodeName, NodeName]

function file(leaving: readonly NodeName[] = [], votes = false): ClusterFile {
  const nodes = [a, b, c].map((name, index) => ({
    name,
    id: String(index + 1),
    address: `10.0.0.${index + 1}`,
    ports: defaultPorts,
    votes: !leaving.includes(name) || votes,
    ...(leaving.includes(name) ? { leaving: true as const } : {}),
  }))
  return { clusterName: 'x', nodes, nodesVersion: 1, store: { kind: 'etcd' }, timings: defaultTimings }
}

function view(configured: readonly NodeName[], members: readonly NodeName[]): ClusterView {
  const nodes = configured.map((name, index) => `<node id="${index + 1}" uname="${name}"/>`).join('')
  const parsed = parseXml(`<cib><configuration><crm_config/><nodes>${nodes}</nodes><resources/></configuration></cib>`)
  if (!parsed.ok) throw new Error('bad test')
  const member = (node: NodeName) =>
    [node, { node, id: '1', incarnation: 1, address: '', daemonVersion: '', state: 'member', since: 0 }] as const
  const configuration = { version: 1, cib: parsed.value, typed: readConfiguration(parsed.value) }
  return { ...emptyView, configuration, members: new Map(members.map(member)) }
}

const seenAs = (list: ClusterFile, of: ClusterView): RemovalView => ({
  file: list,
  view: of,
  isUp: (node) => of.members.has(node),
  hasShare: () => false,
})

const look = (seen: RemovalView, state: RemovalState = noRemovals, leads = true) =>
  removalCore(state, { kind: 'look', seen, quorate: true, leads }, 1000)

test('a member that the configuration does not name is named again, by the DC, once at a time', () => {
  const seen = seenAs(file(), view([a, c], [a, b]))
  const first = look(seen)
  expect(first.effects).toEqual([{ kind: 'configure', node: b }])
  expect(look(seen, first.state).effects).toEqual([])
  const ended = removalCore(first.state, { kind: 'ended', node: b }, 1000)
  expect(look(seen, ended.state).effects).toEqual([{ kind: 'configure', node: b }])
  expect(look(seen, noRemovals, false).effects).toEqual([])
  expect(look(seenAs(file(), view([a, b, c], [a, b]))).effects).toEqual([])
  expect(look(seenAs(file(), { ...view([a], [a, b]), configuration: undefined } as never)).effects).toEqual([])
})

test('one that is to leave is named first: it could not leave in order', () => {
  const seen = seenAs(file([b]), view([a, c], [a, b, c]))
  const named = look(seen)
  expect(named.effects).toEqual([{ kind: 'configure', node: b }])
  const after = removalCore(named.state, { kind: 'ended', node: b }, 1000)
  expect(look(seenAs(file([b]), view([a, b, c], [a, b, c])), after.state).effects).toEqual([{ kind: 'stop', node: b }])
})

describe('the state of a node that is in no list', () => {
  const down = { node: d, id: '4', inCcm: false, crmd: 'offline', join: 'down', expected: 'down' } as const
  const recorded = (state: NodeStateRecord, of = view([a, b, c], [a, b, c])): ClusterView => ({
    ...of,
    nodeStates: new Map([[state.node, state]]),
  })

  test('is deleted by the DC where it is down: a write that was repeated came after the removal', () => {
    const seen = seenAs(file(), recorded(down))
    const first = look(seen)
    expect(first.effects).toEqual([{ kind: 'clear', node: d }])
    expect(look(seen, first.state).effects).toEqual([])
    const ended = removalCore(first.state, { kind: 'ended', node: d }, 1000)
    expect(look(seen, ended.state).effects).toEqual([{ kind: 'clear', node: d }])
    expect(look(seen, noRemovals, false).effects).toEqual([])
  })

  const kept: readonly (readonly [string, NodeStateRecord, ClusterView?])[] = [
    ['it is lost: it may run something', { ...down, expected: 'member' }],
    ['it is on its way out', { ...down, join: 'member' }],
    ['it is listed', { ...down, node: c }],
    ['the configuration names it', down, view([a, b, c, d], [a, b, c])],
    ['it is a member', down, view([a, b, c], [a, b, c, d])],
    ['it is a remote node', { ...down, attributes: { remote_node: 'true' } }],
  ]
  for (const [why, state, of] of kept)
    test(`stays where ${why}`, () => {
      const clears = look(seenAs(file(), recorded(state, of))).effects.filter(({ kind }) => kind === 'clear')
      expect(clears).toEqual([])
    })
})

test('what is being forgotten of a node stays where it is back, or is kept', () => {
  expect(isStillGone({ file: file([b]), view: view([a, c], [a, c]) }, b)).toBe(true)
  expect(isStillGone({ file: file([b]), view: view([a, c], [a, b, c]) }, b)).toBe(false)
  expect(isStillGone({ file: file(), view: view([a, c], [a, c]) }, b)).toBe(false)
})

test('the last node cannot be removed as well', () => {
  expect(marked(b)(file([c])).nodes.map(({ leaving }) => leaving === true)).toEqual([false, true, true])
  expect(() => marked(a)(file([b, c]))).toThrow(/All other nodes are being removed, so a has to stay/)
})

test('a node that is added again is not taken for the one before, which is off, but a lost one stays known', () => {
  const down = { node: d, id: '4', inCcm: false, crmd: 'offline', join: 'down', expected: 'down' } as const
  expect(isOutdatedState(down, { keys: [] })).toBe(true)
  // It has joined meanwhile.
  expect(isOutdatedState(down, { keys: ['k'] })).toBe(false)
  expect(isOutdatedState({ ...down, expected: 'member' }, { keys: [] })).toBe(false)
  expect(isOutdatedState(undefined, { keys: [] })).toBe(false)
})

test('what could not be added goes, unless somebody has joined by it meanwhile', () => {
  const added = (keys: readonly string[]) => ({
    ...file(),
    nodes: file().nodes.map((node) => (node.name === c ? { ...node, keys } : node)),
  })
  expect(withdrawn({ name: c, id: '3' })(added([])).nodes.map(({ name }) => name)).toEqual([a, b])
  expect(withdrawn({ name: c, id: '3' })(added(['key'])).nodes.map(({ name }) => name)).toEqual([a, b, c])
})

test('no vote is taken while another still copies the store, but that one’s', () => {
  expect(isAwaited([], b)).toBe(false)
  expect(isAwaited([c], b)).toBe(true)
  expect(isAwaited([c], c)).toBe(false)
})
