import { expect, test } from 'vitest'
import { dummy, meta, place, placement, type SmallCluster } from './small-cluster.ts'

const prefer = (resource: string, node: string, score: string | number): string =>
  `<rsc_location id="l-${resource}-${node}" rsc="${resource}" node="${node}" score="${score}"/>`
const group = (id: string, members: readonly string[], inside = ''): string =>
  `<group id="${id}">${members.map((member) => dummy(member)).join('')}${inside}</group>`
const clone = (id: string, child: string, pairs: Readonly<Record<string, string>>): string =>
  `<clone id="${id}">${meta(id, pairs)}${child}</clone>`

const cases: readonly {
  readonly name: string
  readonly cluster: SmallCluster
  readonly expected: Readonly<Record<string, string>>
}[] = [
  {
    name: 'the members of a group are on one node',
    cluster: { dummies: ['x'], resources: group('g', ['a', 'b', 'c']) },
    expected: { x: 'n1', a: 'n2', b: 'n2', c: 'n2' },
  },
  {
    name: 'a member that cannot run stops those after it, not those before',
    cluster: {
      resources: `<group id="g">${dummy('a')}${dummy('b', meta('b', { 'target-role': 'Stopped' }))}${dummy('c')}</group>`,
    },
    expected: { a: 'n1', b: '-', c: '-' },
  },
  {
    name: 'the stickiness of all members keeps a group where it is',
    cluster: {
      resources: group('g', ['a', 'b'], meta('g', { 'resource-stickiness': '30' })),
      running: { a: 'n1', b: 'n1' },
      constraints: prefer('g', 'n2', 50),
    },
    expected: { a: 'n1', b: 'n1' },
  },
  {
    name: 'a clone has one instance on every node',
    cluster: { resources: clone('c', dummy('a'), {}) },
    expected: { 'a:0': 'n1', 'a:1': 'n2', 'a:2': 'n3' },
  },
  {
    name: 'clone-max limits the instances in all',
    cluster: { resources: clone('c', dummy('a'), { 'clone-max': '2' }), constraints: prefer('c', 'n3', 10) },
    expected: { 'a:0': 'n3', 'a:1': 'n1' },
  },
  {
    name: 'clone-node-max limits the instances on one node',
    cluster: {
      resources: clone('c', dummy('a'), { 'clone-max': '4', 'clone-node-max': '2', 'globally-unique': 'true' }),
      nodes: ['n1'],
    },
    expected: { 'a:0': 'n1', 'a:1': 'n1', 'a:2': '-', 'a:3': '-' },
  },
  {
    name: 'no instance is promoted where no agent and no constraint asks for it',
    cluster: { resources: clone('c', dummy('a'), { promotable: 'true' }), nodes: ['n1', 'n2'] },
    expected: { 'a:0': 'n1 Unpromoted', 'a:1': 'n2 Unpromoted' },
  },
  {
    name: 'the instance with the best promotion score is promoted',
    cluster: {
      resources: clone('c', dummy('a'), { promotable: 'true' }),
      nodes: ['n1', 'n2'],
      attributes: { n1: { 'master-a': '5' }, n2: { 'master-a': '10' } },
    },
    expected: { 'a:0': 'n2 Promoted', 'a:1': 'n1 Unpromoted' },
  },
  {
    name: 'a location constraint for the promoted role decides without promotion scores',
    cluster: {
      resources: clone('c', dummy('a'), { promotable: 'true' }),
      nodes: ['n1', 'n2'],
      constraints: '<rsc_location id="l" rsc="c" role="Promoted" node="n2" score="100"/>',
    },
    expected: { 'a:0': 'n1 Unpromoted', 'a:1': 'n2 Promoted' },
  },
  {
    name: 'promoted-max allows several to be promoted',
    cluster: {
      resources: clone('c', dummy('a'), { promotable: 'true', 'promoted-max': '2' }),
      nodes: ['n1', 'n2'],
      attributes: { n1: { 'master-a': '5' }, n2: { 'master-a': '5' } },
    },
    expected: { 'a:0': 'n1 Promoted', 'a:1': 'n2 Promoted' },
  },
  {
    name: 'a resource with the promoted instance goes where that is',
    cluster: {
      resources: clone('c', dummy('a'), { promotable: 'true' }) + dummy('vip'),
      nodes: ['n1', 'n2'],
      attributes: { n1: { 'master-a': '5' }, n2: { 'master-a': '10' } },
      constraints: '<rsc_colocation id="k" rsc="vip" with-rsc="c" with-rsc-role="Promoted" score="INFINITY"/>',
    },
    expected: { 'a:0': 'n2 Promoted', 'a:1': 'n1 Unpromoted', vip: 'n2' },
  },
  {
    name: 'a dependent with a high node score moves the promotion',
    cluster: {
      resources: clone('c', dummy('a'), { promotable: 'true' }) + dummy('vip'),
      nodes: ['n1', 'n2'],
      attributes: { n1: { 'master-a': '5' }, n2: { 'master-a': '10' } },
      constraints: `<rsc_colocation id="k" rsc="vip" with-rsc="c" with-rsc-role="Promoted" score="INFINITY"/>${prefer('vip', 'n1', 1000)}`,
    },
    expected: { 'a:0': 'n1 Promoted', 'a:1': 'n2 Unpromoted', vip: 'n1' },
  },
  {
    name: 'without a ticket for the promoted role nothing is promoted',
    cluster: {
      resources: clone('c', dummy('a'), { promotable: 'true' }),
      nodes: ['n1'],
      attributes: { n1: { 'master-a': '5' } },
      constraints: '<rsc_ticket id="t" rsc="c" rsc-role="Promoted" ticket="site" loss-policy="demote"/>',
    },
    expected: { 'a:0': 'n1 Unpromoted' },
  },
  {
    name: 'an interleaved clone has instances only beside those of its primary',
    cluster: {
      resources: clone('p', dummy('a'), {}) + clone('d', dummy('b'), { interleave: 'true' }),
      constraints: `<rsc_colocation id="k" rsc="d" with-rsc="p" score="INFINITY"/>${prefer('p', 'n2', '-INFINITY')}`,
    },
    expected: { 'a:0': 'n1', 'a:1': 'n3', 'a:2': '-', 'b:0': 'n1', 'b:1': 'n3', 'b:2': '-' },
  },
]

for (const { name, cluster, expected } of cases) test(name, () => expect(placement(place(cluster))).toEqual(expected))
