import { expect, test } from 'vitest'
import { dummy, meta, type SmallCluster } from '../assignment/small-cluster.ts'
import { away, clone, type HappeningCase, happens, order, planOf, stopped } from './what-happens.ts'

const unprobed = { 'enable-startup-probes': 'false' }

const set = (id: string, members: string, more = ''): string =>
  `<resource_set id="${id}" ${more}>${members
    .split(' ')
    .map((member) => `<resource_ref id="${member}"/>`)
    .join('')}</resource_set>`

const cases: readonly HappeningCase[] = [
  {
    name: 'Mandatory: the second starts after the first',
    cluster: { nodes: ['n1'], dummies: ['web', 'db'], options: unprobed, constraints: order('db', 'web') },
    happens: ['db_start_0 n1', 'web_start_0 n1'],
  },
  {
    name: 'Mandatory: without the first the second stops, and before it',
    cluster: {
      nodes: ['n1'],
      resources: stopped('db') + dummy('web'),
      running: { db: 'n1', web: 'n1' },
      constraints: order('db', 'web'),
    },
    happens: ['web_stop_0 n1', 'db_stop_0 n1'],
  },
  {
    name: 'Mandatory: when the first starts, a second that is up restarts after it',
    cluster: {
      nodes: ['n1'],
      dummies: ['db', 'web'],
      running: { db: '-', web: 'n1' },
      constraints: order('db', 'web'),
    },
    happens: ['db_start_0 n1', 'web_stop_0 n1', 'web_start_0 n1'],
  },
  {
    name: 'Optional: both start, one after the other',
    cluster: {
      nodes: ['n1'],
      dummies: ['web', 'db'],
      options: unprobed,
      constraints: order('db', 'web', 'kind="Optional"'),
    },
    happens: ['db_start_0 n1', 'web_start_0 n1'],
  },
  {
    name: 'Optional: the second does without the first',
    cluster: {
      nodes: ['n1'],
      resources: stopped('db') + dummy('web'),
      running: { db: 'n1', web: 'n1' },
      constraints: order('db', 'web', 'kind="Optional"'),
    },
    happens: ['db_stop_0 n1'],
  },
  {
    name: 'asymmetrical: the second does not start without the first',
    cluster: {
      nodes: ['n1'],
      resources: stopped('db') + dummy('web'),
      running: { db: '-', web: '-' },
      constraints: order('db', 'web', 'symmetrical="false"'),
    },
    happens: [],
  },
  {
    name: 'asymmetrical: the second stays up without the first, and goes down in any order',
    cluster: {
      nodes: ['n1'],
      resources: stopped('db') + dummy('web'),
      running: { db: 'n1', web: 'n1' },
      constraints: order('db', 'web', 'symmetrical="false"'),
    },
    happens: ['db_stop_0 n1'],
  },
  {
    name: 'a set that is sequential starts one after the other',
    cluster: {
      nodes: ['n1'],
      dummies: ['c', 'b', 'a'],
      options: unprobed,
      constraints: `<rsc_order id="o">${set('s', 'a b c')}</rsc_order>`,
    },
    happens: ['a_start_0 n1', 'b_start_0 n1', 'c_start_0 n1'],
  },
  {
    name: 'a set of which all are required waits for nobody if one is down',
    cluster: {
      nodes: ['n1'],
      resources: stopped('a') + dummy('b') + dummy('web'),
      running: { a: '-', b: '-', web: '-' },
      constraints: `<rsc_order id="o">${set('s', 'a b', 'sequential="false"')}${set('t', 'web')}</rsc_order>`,
    },
    happens: ['b_start_0 n1'],
  },
  {
    name: 'a set of which one is enough lets the next begin after that one',
    cluster: {
      nodes: ['n1'],
      resources: stopped('a') + dummy('b') + dummy('web'),
      running: { a: '-', b: '-', web: '-' },
      constraints: `<rsc_order id="o">${set('s', 'a b', 'sequential="false" require-all="false"')}${set('t', 'web')}</rsc_order>`,
    },
    happens: ['b_start_0 n1', 'web_start_0 n1'],
  },
  {
    name: 'what follows a clone waits for all of its instances',
    cluster: {
      nodes: ['n1', 'n2'],
      resources: clone('all', dummy('agent')) + dummy('web'),
      options: unprobed,
      constraints: order('all', 'web') + away('web', 'n2'),
    },
    happens: ['agent:0_start_0 n1', 'agent:1_start_0 n2', 'web_start_0 n1'],
  },
  {
    name: 'clone-min: with fewer instances than that, what follows does not start',
    cluster: {
      nodes: ['n1', 'n2'],
      resources: clone('all', dummy('agent'), { 'clone-min': '2' }) + dummy('web'),
      options: unprobed,
      constraints: order('all', 'web') + away('all', 'n2'),
    },
    happens: ['agent:0_start_0 n1'],
  },
  {
    name: 'an interleaved clone waits for the instance beside it only',
    cluster: {
      nodes: ['n1', 'n2'],
      resources: clone('base', dummy('b')) + clone('top', dummy('t'), { interleave: 'true' }),
      options: unprobed,
      constraints: `${order('base', 'top')}<rsc_colocation id="k" rsc="top" with-rsc="base" score="INFINITY"/>${away('base', 'n2')}`,
    },
    happens: ['b:0_start_0 n1', 't:0_start_0 n1'],
  },
  {
    name: 'an ordered clone starts one instance after the other',
    cluster: {
      nodes: ['n1', 'n2'],
      resources: clone('all', dummy('agent'), { ordered: 'true' }),
      options: unprobed,
    },
    happens: ['agent:0_start_0 n1', 'agent:1_start_0 n2'],
  },
  {
    name: 'everything is started before anything is promoted',
    cluster: {
      nodes: ['n1', 'n2'],
      resources: clone('all', dummy('db'), { promotable: 'true' }),
      options: unprobed,
      attributes: { n2: { 'master-db': '10' } },
    },
    happens: ['db:0_start_0 n2', 'db:1_start_0 n1', 'db:0_promote_0 n2'],
  },
  {
    name: 'what follows a promotion starts after it',
    cluster: {
      nodes: ['n1'],
      resources: clone('all', dummy('db'), { promotable: 'true' }) + dummy('web'),
      options: unprobed,
      attributes: { n1: { 'master-db': '10' } },
      constraints: order('all', 'web', 'first-action="promote" then-action="start"'),
    },
    happens: ['db:0_start_0 n1', 'db:0_promote_0 n1', 'web_start_0 n1'],
  },
  {
    name: 'two that must not start at the same time do so in some order',
    cluster: {
      nodes: ['n1'],
      dummies: ['a', 'b'],
      options: unprobed,
      constraints: order('a', 'b', 'kind="Serialize"'),
    },
    happens: ['a_start_0 n1', 'b_start_0 n1'],
  },
  {
    name: 'a member that was put in before one that is active makes that one start again',
    cluster: {
      nodes: ['n1'],
      resources: `<group id="g">${meta('g', {})}${dummy('new')}${dummy('old')}</group>`,
      running: { new: '-', old: 'n1' },
    },
    happens: ['old_stop_0 n1', 'new_start_0 n1', 'old_start_0 n1'],
  },
]

for (const { name, cluster, happens: expected } of cases) {
  test(name, () => expect(happens(cluster)).toEqual(expected))
}

/** Which of the starts is an input of another one. */
function startsInOrder(cluster: SmallCluster): readonly string[] {
  const starts = planOf(cluster).graph.actions.filter((action) => action.operation === 'start')
  const nameOf = (id: number): string => starts.find((start) => start.id === id)?.key.replace('_start_0', '') ?? ''
  const edges = starts.flatMap(({ id, inputs }) => inputs.map((input) => `${nameOf(input)}>${nameOf(id)}`))
  return edges.filter((edge) => !edge.startsWith('>')).toSorted()
}

const betweenSets = [
  { written: '', edges: ['a>b', 'a>c', 'a>d', 'b>c', 'b>d', 'c>d'] },
  { written: 'sequential="true"', edges: ['a>b', 'b>c', 'c>d'] },
] as const

for (const { written, edges } of betweenSets)
  test(`each waits for its predecessors between sets ${written === '' ? 'that say nothing' : 'with'} ${written}`, () => {
    const constraints = `<rsc_order id="o">${set('s', 'a b', written)}${set('t', 'c d', written)}</rsc_order>`
    const cluster = { nodes: ['n1'], dummies: ['a', 'b', 'c', 'd'], options: unprobed, constraints }
    expect(startsInOrder(cluster)).toEqual(edges)
  })
