/** What stands where in the console's picture. */
import { expect, test } from 'vitest'
import type { NodeName } from '../../src/base/index.ts'
import type { NodeFacts, ResourceFacts } from '../../src/cli/index.ts'
import {
  blocksOf,
  cellOf,
  columnsOf,
  markOf,
  needsAttention,
  type Row,
  rowMark,
  rowsOf,
  seenRows,
  stateOfNode,
} from '../../src/console/now/picture.ts'

const resource = (id: string, more: Partial<ResourceFacts> = {}): ResourceFacts => ({
  id,
  agent: 'ocf:pacemaker:Dummy',
  role: 'Started',
  nodes: ['n1'],
  failed: false,
  managed: true,
  blocked: false,
  orphan: false,
  verified: [],
  failCounts: {},
  inside: [],
  kinds: [],
  configured: id.replace(/:\d+$/, ''),
  ...more,
})

const only = (resources: readonly ResourceFacts[]): Row => {
  const [row, ...others] = rowsOf(resources)
  if (row === undefined || others.length > 0) throw new Error(`${others.length + 1} rows`)
  return row
}

test('groups, clones and bundles are one row each; instances are one row with their names in the configuration', () => {
  const shop = { inside: ['shop-clone', 'shop:0'], kinds: ['clone', 'group'] as const }
  const other = { inside: ['shop-clone', 'shop:1'], kinds: ['clone', 'group'] as const }
  const rows = rowsOf([
    resource('web'),
    resource('ping:0', { inside: ['ping-clone'], kinds: ['clone'] }),
    resource('ping:1', { inside: ['ping-clone'], kinds: ['clone'], nodes: ['n2'] }),
    resource('fs:0', shop),
    resource('db:0', shop),
    resource('fs:1', other),
    resource('db:1', other),
    resource('front-docker-0', { inside: ['front'], kinds: ['bundle'] }),
  ])
  const shape = (row: Row): unknown => [row.name, row.kind, ...row.rows.map(shape)]
  expect(rows.map(shape)).toEqual([
    ['web', 'primitive'],
    ['ping-clone', 'clone'],
    ['shop-clone', 'clone', ['shop', 'group', ['fs', 'primitive'], ['db', 'primitive']]],
    ['front', 'bundle', ['front-docker-0', 'primitive']],
  ])
})

test.each([
  ['started', {}],
  ['promoted', { role: 'Promoted' }],
  ['unpromoted', { role: 'Unpromoted' }],
  ['failed', { failed: true }],
  ['blocked', { failed: true, blocked: true }],
  ['pending', { pending: 'start on n1' }],
  ['started', { pending: 'monitor on n1' }],
  ['unmanaged', { managed: false }],
  ['stopped', { nodes: [] }],
  ['disabled', { nodes: [], targetRole: 'Stopped' }],
] as const)('a resource is %s: %j', (mark, more) => {
  expect(markOf(resource('web', more))).toBe(mark)
})

test('a fold shows the worst of what is in it, and how many of it are there', () => {
  const inside = { inside: ['shop'], kinds: ['group'] as const }
  const row = only([resource('a', inside), resource('b', inside), resource('c', { ...inside, failed: true })])
  expect(cellOf(row, 'n1')).toEqual({ mark: 'failed', active: 3, text: '3 active, failed' })
  expect(cellOf(row, 'n2')).toBeUndefined()
  expect(rowMark(row)).toBe('failed')
})

test('what is on its way stands where it will be, and a failure where it was', () => {
  const starting = only([resource('web', { nodes: [], pending: 'start on n2' })])
  expect(cellOf(starting, 'n2')).toEqual({ mark: 'pending', active: 0, text: 'start …' })
  const failedThere = only([resource('web', { failCounts: { n2: 1 } })])
  expect(cellOf(failedThere, 'n2')).toMatchObject({ mark: 'failed', text: 'failed here' })
  expect(cellOf(failedThere, 'n1')).toMatchObject({ mark: 'started' })
})

test('an instance of a clone without a place is no trouble as long as another has one', () => {
  const inside = { inside: ['c'], kinds: ['clone'] as const }
  const row = only([resource('p:0', inside), resource('p:1', { ...inside, nodes: [] })])
  expect([rowMark(row), needsAttention(row, [])]).toEqual(['started', false])
  const away = only([resource('p:0', { ...inside, nodes: [] })])
  expect([rowMark(away), needsAttention(away, [])]).toEqual(['stopped', true])
})

test('what the cluster calls attention to is trouble, notes are not', () => {
  const row = only([resource('web')])
  const said = { text: '', resources: ['web'], nodes: [], next: [] }
  expect(needsAttention(row, [{ level: 'warning', ...said }])).toBe(true)
  expect(needsAttention(row, [{ level: 'note', ...said }])).toBe(false)
})

const node = (name: string, more: Partial<NodeFacts> = {}): NodeFacts => ({
  name,
  id: name,
  type: 'member',
  online: true,
  standby: false,
  standbyOnFail: false,
  maintenance: false,
  unclean: false,
  pending: false,
  shutdown: false,
  dc: false,
  health: 'green',
  attributes: {},
  ...more,
})

test.each([
  ['online', {}],
  ['UNCLEAN', { unclean: true, online: false }],
  ['offline', { online: false }],
  ['joining', { pending: true }],
  ['stopping', { shutdown: true }],
  ['maintenance', { maintenance: true }],
  ['standby', { standby: true }],
] as const)('a node is %s: %j', (word, more) => {
  expect(stateOfNode(node('n1', more), []).word).toBe(word)
})

test('a node that is being fenced says so', () => {
  const record = { id: '1', target: 'n1', action: 'reboot', begun: '', outcome: 'pending' as const }
  expect(stateOfNode(node('n1', { unclean: true }), [record]).word).toBe('being fenced')
  // Without quorum the last that is known of others is old.
  const alone = { quorate: false, notHeard: ['n2'] }
  expect(stateOfNode(node('n2'), [], { quorum: alone }).word).toBe('not heard')
  expect(stateOfNode(node('n1'), [], { quorum: alone }).word).toBe('online')
  expect(stateOfNode(node('n2'), [], { quorum: { ...alone, quorate: true } }).word).toBe('online')
})

test('a node in standby because of a drain is drained, and another is not', () => {
  const owner = { kind: 'user', name: '', user: 'root', node: 'n1' as NodeName } as const
  const drain = { id: 'h1', kind: 'drain', node: 'n1' as NodeName, owner, since: '2026-11-28T00:00:00Z' } as const
  const standby = { standby: true }
  expect(stateOfNode(node('n1', standby), [], { holds: [drain] }).word).toBe('drained')
  expect(stateOfNode(node('n2', standby), [], { holds: [drain] }).word).toBe('standby')
})

test('remote nodes are columns as long as there is room, and a heat map beyond', () => {
  const members = ['n1', 'n2'].map((name) => node(name))
  const remotes = Array.from({ length: 40 }, (_, at) => node(`r${at}`, { type: 'remote' }))
  expect(columnsOf([...members, ...remotes.slice(0, 3)])).toMatchObject({ columns: { length: 5 }, heat: [] })
  expect(columnsOf([...members, ...remotes])).toMatchObject({ columns: { length: 2 }, heat: { length: 40 } })
})

test('500 rows in four blocks lose none, and a fold stays with what is in it', () => {
  const inside = { inside: ['g'], kinds: ['group'] as const }
  const rows = rowsOf([
    ...Array.from({ length: 492 }, (_, at) => resource(`r${at}`)),
    ...Array.from({ length: 7 }, (_, at) => resource(`m${at}`, inside)),
  ])
  const seen = seenRows(rows, { isOpen: () => true, keep: () => true })
  const blocks = blocksOf(seen, 4)
  expect(seen.length).toBe(500)
  expect(blocks.length).toBe(4)
  expect(blocks.flat()).toEqual(seen)
  expect(blocks.every(([first]) => first?.depth === 0)).toBe(true)
})
