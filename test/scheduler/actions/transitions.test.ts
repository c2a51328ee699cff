import { expect, test } from 'vitest'
import { playGraph } from '../../../src/scheduler/simulate/play.ts'
import { dummy, meta, type SmallCluster } from '../assignment/small-cluster.ts'
import { apart, away, changes, type HappeningCase, happens, monitored, order, planOf, stopped } from './what-happens.ts'

const orders: readonly HappeningCase[] = [
  {
    name: 'what runs where it belongs is left alone',
    cluster: { dummies: ['web'], running: { web: 'n1' } },
    happens: [],
  },
  {
    name: 'a resource that moves stops before it starts elsewhere, and is monitored after that',
    cluster: {
      nodes: ['n1', 'n2'],
      resources: monitored('web'),
      running: { web: 'n1' },
      constraints: away('web', 'n1'),
    },
    happens: ['web_stop_0 n1', 'web_start_0 n2', 'web_monitor_10000 n2'],
  },
  {
    name: 'a monitor that does not run yet is set up without a restart',
    cluster: { nodes: ['n1'], resources: monitored('web'), running: { web: 'n1' } },
    happens: ['web_monitor_10000 n1'],
  },
  {
    name: 'a disabled monitor is not set up',
    cluster: { nodes: ['n1'], resources: monitored('web', 'enabled="false"'), running: { web: 'n1' } },
    happens: [],
  },
  {
    name: 'nobody starts a resource before it was asked everywhere whether it runs',
    cluster: { nodes: ['n1', 'n2'], dummies: ['web'] },
    happens: ['web_monitor_0 n2', 'web_monitor_0 n1', 'web_start_0 n1'],
  },
  {
    name: 'a mandatory order brings the second down before the first, and up after it',
    cluster: {
      nodes: ['n1', 'n2'],
      dummies: ['db', 'web'],
      running: { db: 'n1', web: 'n2' },
      constraints: order('db', 'web') + away('db', 'n1'),
    },
    happens: ['web_stop_0 n2', 'db_stop_0 n1', 'db_start_0 n2', 'web_start_0 n1'],
  },
  {
    name: 'an optional order restarts nothing',
    cluster: {
      nodes: ['n1', 'n2'],
      dummies: ['db', 'web'],
      running: { db: 'n1', web: 'n2' },
      constraints: order('db', 'web', 'kind="Optional"') + away('db', 'n1') + away('web', 'n1'),
    },
    happens: ['db_stop_0 n1', 'db_start_0 n2'],
  },
  {
    name: 'a group starts from its first member on',
    cluster: {
      nodes: ['n1'],
      resources: `<group id="g">${dummy('a')}${dummy('b')}${dummy('c')}</group>`,
      options: { 'enable-startup-probes': 'false' },
    },
    happens: ['a_start_0 n1', 'b_start_0 n1', 'c_start_0 n1'],
  },
  {
    name: 'a group stops from its last member on',
    cluster: {
      nodes: ['n1'],
      resources: `<group id="g">${meta('g', { 'target-role': 'Stopped' })}${dummy('a')}${dummy('b')}</group>`,
      running: { a: 'n1', b: 'n1' },
    },
    happens: ['b_stop_0 n1', 'a_stop_0 n1'],
  },
  {
    name: 'a live migration takes the place of stop and start',
    cluster: {
      nodes: ['n1', 'n2'],
      resources: dummy('vm', meta('vm', { 'allow-migrate': 'true' })),
      running: { vm: 'n1' },
      constraints: away('vm', 'n1'),
    },
    happens: ['vm_migrate_to_0 n1', 'vm_migrate_from_0 n2', 'vm_stop_0 n1'],
  },
  {
    name: 'of two that must be apart, one leaves before the other comes',
    cluster: {
      nodes: ['n1', 'n2'],
      resources: stopped('old') + dummy('new'),
      options: { 'enable-startup-probes': 'false' },
      running: { old: 'n1' },
      constraints: apart('new', 'old') + away('new', 'n2'),
    },
    happens: ['old_stop_0 n1', 'new_start_0 n1'],
  },
  {
    name: 'what is not managed is left where it is',
    cluster: {
      nodes: ['n1', 'n2'],
      resources: dummy('web', meta('web', { 'is-managed': 'false' })),
      running: { web: 'n1' },
      constraints: away('web', 'n1'),
    },
    happens: [],
  },
]

for (const { name, cluster, happens: expected } of orders) {
  test(name, () => expect(happens(cluster)).toEqual(expected))
}

const reasons: readonly {
  readonly name: string
  readonly cluster: SmallCluster
  readonly changes: readonly string[]
}[] = [
  {
    name: 'a move names both nodes',
    cluster: { nodes: ['n1', 'n2'], dummies: ['web'], running: { web: 'n1' }, constraints: away('web', 'n1') },
    changes: ['Move web ( n1 -> n2 )'],
  },
  {
    name: 'a stop without a node to go to says so',
    cluster: { nodes: ['n1'], dummies: ['web'], running: { web: 'n1' }, constraints: away('web', 'n1') },
    changes: ['Stop web ( n1 ) due to node availability'],
  },
  {
    name: 'a start that waits for quorum is blocked',
    cluster: { nodes: ['n1'], dummies: ['web'], quorum: false },
    changes: ['Start web ( n1 ) due to no quorum (blocked)'],
  },
  {
    name: 'a restart names the start that makes it necessary',
    cluster: {
      nodes: ['n1', 'n2'],
      dummies: ['db', 'web'],
      running: { db: 'n1', web: 'n2' },
      constraints: order('db', 'web') + away('db', 'n1') + away('web', 'n1'),
    },
    changes: ['Move db ( n1 -> n2 )', 'Restart web ( n2 ) due to required db start'],
  },
  {
    name: 'what follows something that stays down stops, and says what is missing',
    cluster: {
      nodes: ['n1'],
      resources: stopped('db') + dummy('web'),
      running: { db: 'n1', web: 'n1' },
      constraints: order('db', 'web'),
    },
    changes: ['Stop db ( n1 ) due to node availability', 'Stop web ( n1 ) due to required db start'],
  },
  {
    name: 'what must be with something that cannot start is told to be blocked by it',
    cluster: {
      nodes: ['n1'],
      resources: stopped('net') + dummy('db') + dummy('web'),
      running: { net: '-', db: '-', web: '-' },
      constraints: `${order('net', 'db')}<rsc_colocation id="w-d" rsc="web" with-rsc="db" score="INFINITY"/>`,
    },
    changes: [
      'Start db ( n1 ) due to unrunnable net start (blocked)',
      'Start web ( n1 ) due to colocation with db (blocked)',
    ],
  },
]

for (const { name, cluster, changes: expected } of reasons) {
  test(name, () => expect(changes(cluster)).toEqual(expected))
}

test('a node that is lost is fenced before what it ran starts elsewhere; its stop is implied by that', () => {
  const { graph } = planOf({
    nodes: ['n1', 'n2'],
    resources: `<primitive id="power" class="stonith" type="fence_x"/>${dummy('web')}`,
    options: { 'stonith-enabled': 'true' },
    running: { web: 'n1', power: 'n2' },
    lost: ['n1'],
  })
  const keys = playGraph(graph).map(({ action }) => action.key)
  expect(keys).toContain('stonith-n1-reboot')
  expect(keys.indexOf('web_start_0')).toBeGreaterThan(keys.indexOf('stonith-n1-reboot'))
  expect(graph.actions.find(({ key }) => key === 'web_stop_0')?.kind).toBe('pseudo')
})
