import { expect, test } from 'vitest'
import { dummy, meta, place, placement, type SmallCluster, scoresOf, utilizationOf } from './small-cluster.ts'

const prefer = (resource: string, node: string, score: string | number): string =>
  `<rsc_location id="l-${resource}-${node}" rsc="${resource}" node="${node}" score="${score}"/>`
const together = (dependent: string, primary: string, score: string | number): string =>
  `<rsc_colocation id="c-${dependent}-${primary}" rsc="${dependent}" with-rsc="${primary}" score="${score}"/>`

const cases: readonly {
  readonly name: string
  readonly cluster: SmallCluster
  readonly expected: Readonly<Record<string, string>>
}[] = [
  {
    name: 'resources without preferences are spread over the nodes by number and name',
    cluster: { dummies: ['a', 'b', 'c', 'd'] },
    expected: { a: 'n1', b: 'n2', c: 'n3', d: 'n1' },
  },
  {
    name: 'a resource goes to the node with the best location score',
    cluster: { dummies: ['a'], constraints: prefer('a', 'n3', 100) + prefer('a', 'n2', 50) },
    expected: { a: 'n3' },
  },
  {
    name: 'minus INFINITY rules a node out, whatever else speaks for it',
    cluster: {
      dummies: ['a'],
      constraints: prefer('a', 'n1', 'INFINITY') + prefer('a', 'n1', '-INFINITY').replace('l-', 'm-'),
    },
    expected: { a: 'n2' },
  },
  {
    name: 'a resource with a negative score everywhere runs nowhere',
    cluster: { dummies: ['a'], constraints: ['n1', 'n2', 'n3'].map((node) => prefer('a', node, -5)).join('') },
    expected: { a: '-' },
  },
  {
    name: 'in an asymmetric cluster only named nodes are allowed',
    cluster: { dummies: ['a', 'b'], options: { 'symmetric-cluster': 'false' }, constraints: prefer('a', 'n2', 0) },
    expected: { a: 'n2', b: '-' },
  },
  {
    name: 'stickiness keeps a resource where it is',
    cluster: {
      resources: dummy('a', meta('a', { 'resource-stickiness': '60' })),
      running: { a: 'n2' },
      constraints: prefer('a', 'n1', 50),
    },
    expected: { a: 'n2' },
  },
  {
    name: 'a preference that outweighs stickiness moves it',
    cluster: {
      resources: dummy('a', meta('a', { 'resource-stickiness': '40' })),
      running: { a: 'n2' },
      constraints: prefer('a', 'n1', 50),
    },
    expected: { a: 'n1' },
  },
  {
    name: 'migration-threshold failures ban a resource from the node',
    cluster: {
      resources: dummy('a', meta('a', { 'migration-threshold': '3' })),
      running: { a: 'n1' },
      failCounts: { n1: { a: '3' } },
    },
    expected: { a: 'n2' },
  },
  {
    name: 'fewer failures than migration-threshold ban it from nowhere',
    cluster: {
      resources: dummy('a', meta('a', { 'migration-threshold': '3', 'resource-stickiness': '1' })),
      running: { a: 'n1' },
      failCounts: { n1: { a: '2' } },
    },
    expected: { a: 'n1' },
  },
  {
    name: 'target-role Stopped stops it',
    cluster: { resources: dummy('a', meta('a', { 'target-role': 'Stopped' })), running: { a: 'n1' } },
    expected: { a: '-' },
  },
  {
    name: 'an unmanaged resource stays on a node that is banned for it',
    cluster: {
      resources: dummy('a', meta('a', { 'is-managed': 'false' })),
      running: { a: 'n2' },
      constraints: prefer('a', 'n2', '-INFINITY'),
    },
    expected: { a: 'n2' },
  },
  {
    name: 'a node in standby runs nothing',
    cluster: { dummies: ['a'], running: { a: 'n1' }, attributes: { n1: { standby: 'on' } } },
    expected: { a: 'n2' },
  },
  {
    name: 'an offline node runs nothing',
    cluster: { dummies: ['a'], offline: ['n1'], constraints: prefer('a', 'n1', 'INFINITY') },
    expected: { a: 'n2' },
  },
  {
    name: 'stop-all-resources stops everything',
    cluster: { dummies: ['a'], running: { a: 'n1' }, options: { 'stop-all-resources': 'true' } },
    expected: { a: '-' },
  },
  {
    name: 'a mandatory colocation puts the dependent where the primary is',
    cluster: { dummies: ['a', 'b'], constraints: together('a', 'b', 'INFINITY') + prefer('b', 'n3', 10) },
    expected: { a: 'n3', b: 'n3' },
  },
  {
    name: 'a mandatory colocation with something that runs nowhere stops the dependent',
    cluster: {
      resources: dummy('a') + dummy('b', meta('b', { 'target-role': 'Stopped' })),
      constraints: together('a', 'b', 'INFINITY'),
    },
    expected: { a: '-', b: '-' },
  },
  {
    name: 'an anti-colocation keeps two resources apart',
    cluster: {
      dummies: ['a', 'b'],
      constraints: together('a', 'b', '-INFINITY') + prefer('a', 'n1', 10) + prefer('b', 'n1', 10),
    },
    expected: { a: 'n2', b: 'n1' },
  },
  {
    name: 'the dependent pulls the primary to where it can run',
    cluster: { dummies: ['a', 'b'], constraints: together('a', 'b', 'INFINITY') + prefer('a', 'n2', 100) },
    expected: { a: 'n2', b: 'n2' },
  },
  {
    name: 'without influence a running primary stays, and the dependent follows',
    cluster: {
      dummies: ['a', 'b'],
      running: { b: 'n3' },
      constraints: together('a', 'b', 'INFINITY').replace('/>', ' influence="false"/>') + prefer('a', 'n2', 100),
    },
    expected: { a: 'n3', b: 'n3' },
  },
  {
    name: 'the resource of higher priority gets the room',
    cluster: {
      resources:
        dummy('a', utilizationOf('a', { memory: '6' })) +
        dummy('b', meta('b', { priority: '10' }) + utilizationOf('b', { memory: '6' })),
      options: { 'placement-strategy': 'utilization' },
      utilization: { n1: { memory: '10' } },
      nodes: ['n1'],
    },
    expected: { a: '-', b: 'n1' },
  },
  {
    name: 'a colocation by node attribute is content with any node of the same value',
    cluster: {
      dummies: ['a', 'b'],
      attributes: { n1: { rack: 'x' }, n2: { rack: 'y' }, n3: { rack: 'y' } },
      constraints:
        together('a', 'b', 'INFINITY').replace('/>', ' node-attribute="rack"/>') +
        prefer('b', 'n3', 'INFINITY') +
        prefer('a', 'n3', '-INFINITY'),
    },
    expected: { a: 'n2', b: 'n3' },
  },
  {
    name: 'with utilization a node without room is ruled out',
    cluster: {
      resources: dummy('a', utilizationOf('a', { memory: '6' })) + dummy('b', utilizationOf('b', { memory: '6' })),
      options: { 'placement-strategy': 'utilization' },
      utilization: { n1: { memory: '10' }, n2: { memory: '10' } },
      nodes: ['n1', 'n2'],
      constraints: prefer('a', 'n1', 10) + prefer('b', 'n1', 10),
    },
    expected: { a: 'n1', b: 'n2' },
  },
  {
    name: 'without room anywhere it runs nowhere',
    cluster: {
      resources: dummy('a', utilizationOf('a', { memory: '60' })),
      options: { 'placement-strategy': 'balanced' },
      utilization: { n1: { memory: '10' } },
      nodes: ['n1'],
    },
    expected: { a: '-' },
  },
  {
    name: 'a resource that needs a ticket does not run without it',
    cluster: { dummies: ['a'], constraints: '<rsc_ticket id="t" rsc="a" ticket="site" loss-policy="stop"/>' },
    expected: { a: '-' },
  },
  {
    name: 'with the ticket granted it runs',
    cluster: {
      dummies: ['a'],
      constraints: '<rsc_ticket id="t" rsc="a" ticket="site" loss-policy="stop"/>',
      tickets: '<tickets><ticket_state id="site" granted="true"/></tickets>',
    },
    expected: { a: 'n1' },
  },
  {
    name: 'loss-policy freeze leaves a running resource alone',
    cluster: {
      dummies: ['a'],
      running: { a: 'n2' },
      constraints: '<rsc_ticket id="t" rsc="a" ticket="site" loss-policy="freeze"/>',
    },
    expected: { a: 'n2' },
  },
]

for (const { name, cluster, expected } of cases) test(name, () => expect(placement(place(cluster))).toEqual(expected))

test('resource-discovery=exclusive rules out every other node', () => {
  const placed = place({
    dummies: ['a'],
    constraints: '<rsc_location id="l" rsc="a" node="n2" score="0" resource-discovery="exclusive"/>',
  })
  expect(scoresOf(placed, 'a')).toEqual({ n1: -1_000_000, n2: 0, n3: -1_000_000 })
  const [a] = placed.assignment.primitives.values()
  expect(a?.exclusiveDiscovery).toBe(true)
})

test('the contributions to a score add up to it', () => {
  const placed = place({
    resources: dummy('a', meta('a', { 'resource-stickiness': '7' })),
    running: { a: 'n1' },
    constraints: prefer('a', 'n1', 30),
  })
  const [a] = placed.assignment.primitives.values()
  const [n1] = placed.status.nodes
  const parts = n1 === undefined ? [] : (a?.contributionsOn(n1.name) ?? [])
  expect(parts.map(({ source, score }) => [source.kind, score])).toEqual([
    ['location', 30],
    ['stickiness', 7],
  ])
  expect(scoresOf(placed, 'a')).toEqual({ n1: 37, n2: 0, n3: 0 })
})
