import { expect, test } from 'vitest'
import { dummy, meta, type SmallCluster } from '../assignment/small-cluster.ts'
import { away, changes, clone, type HappeningCase, happens, monitored, planOf } from './what-happens.ts'

const device = (id: string, pairs: Readonly<Record<string, string>> = {}): string =>
  `<primitive id="${id}" class="stonith" type="fence_x">${meta(id, pairs)}</primitive>`

const unfencing: SmallCluster = {
  nodes: ['n1'],
  resources: device('key', { provides: 'unfencing' }) + dummy('disk', meta('disk', { requires: 'unfencing' })),
  options: { 'enable-startup-probes': 'false' },
}

const cases: readonly HappeningCase[] = [
  {
    name: 'a node is unfenced before what requires it starts there, and before the device does',
    cluster: { ...unfencing, options: { ...unfencing.options, 'stonith-enabled': 'true' } },
    happens: ['stonith-n1-on n1', 'key_start_0 n1', 'disk_start_0 n1'],
  },
  {
    name: 'without fencing nobody is unfenced',
    cluster: unfencing,
    happens: ['key_start_0 n1', 'disk_start_0 n1'],
  },
  {
    name: 'without quorum, freeze leaves what runs and starts nothing',
    cluster: {
      nodes: ['n1'],
      dummies: ['up', 'down'],
      running: { up: 'n1', down: '-' },
      quorum: false,
      options: { 'no-quorum-policy': 'freeze' },
    },
    happens: [],
  },
  {
    name: 'without quorum, stop stops everything',
    cluster: {
      nodes: ['n1'],
      dummies: ['up', 'down'],
      running: { up: 'n1', down: '-' },
      quorum: false,
      options: { 'no-quorum-policy': 'stop' },
    },
    happens: ['up_stop_0 n1'],
  },
  {
    name: 'without quorum, ignore goes on as if there were',
    cluster: {
      nodes: ['n1'],
      dummies: ['up', 'down'],
      running: { up: 'n1', down: '-' },
      quorum: false,
      options: { 'no-quorum-policy': 'ignore' },
    },
    happens: ['down_start_0 n1'],
  },
  {
    name: 'a monitor for the role Stopped runs where the resource shall not be',
    cluster: { nodes: ['n1', 'n2'], resources: monitored('web', 'role="Stopped"'), running: { web: 'n1' } },
    happens: ['web_monitor_10000 n2'],
  },
  {
    name: 'of two operations with one name and interval none runs',
    cluster: {
      nodes: ['n1'],
      resources: dummy(
        'web',
        '<operations><op id="a" name="monitor" interval="10s"/><op id="b" name="monitor" interval="10s"/></operations>',
      ),
      running: { web: 'n1' },
    },
    happens: [],
  },
  {
    name: 'an instance hears of the start of another, before and after',
    cluster: {
      nodes: ['n1', 'n2'],
      resources: clone('all', dummy('agent'), { notify: 'true' }),
      running: { agent: 'n1' },
    },
    happens: [
      'agent:0_pre_notify_start_0 n1',
      'agent:1_start_0 n2',
      'agent:0_post_notify_start_0 n1',
      'agent:1_post_notify_start_0 n2',
    ],
  },
  {
    name: 'one that stops hears of it before, and the others before and after',
    cluster: {
      nodes: ['n1', 'n2'],
      resources: clone('all', dummy('agent'), { notify: 'true' }),
      running: { agent: 'n1' },
      constraints: away('all', 'n1'),
      offline: ['n2'],
    },
    happens: ['agent:0_pre_notify_stop_0 n1', 'agent:0_stop_0 n1'],
  },
]

for (const { name, cluster, happens: expected } of cases) {
  test(name, () => expect(happens(cluster)).toEqual(expected))
}

test('planning twice says the same: nothing of a plan is left behind', () => {
  const cluster: SmallCluster = {
    nodes: ['n1', 'n2'],
    resources: clone('all', monitored('agent'), { notify: 'true' }),
    constraints: away('all', 'n2'),
  }
  expect(JSON.stringify(planOf(cluster).graph)).toBe(JSON.stringify(planOf(cluster).graph))
  expect(changes(cluster)).toEqual(changes(cluster))
})
