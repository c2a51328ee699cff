/** Groups, clones, promotable clones, migration, capacity, health, probes, changed parameters, remote and guest nodes, bundles. */
import {
  avoids,
  clone,
  combine,
  device,
  dummy,
  group,
  having,
  idle,
  lost,
  meta,
  op,
  operations,
  order,
  prefers,
  promotable,
  type RuleCase,
  ran,
  stateful,
  together,
  utilization,
} from '../words.ts'

const three = { n1: idle, n2: idle, n3: idle }
const two = { n1: idle, n2: idle }

const clones: RuleCase[] = [
  ...[...combine(['1', '2', '3', '5'], ['1', '2'])].flatMap(([max, nodeMax]) =>
    ['true', 'false'].map((unique) => ({
      name: `clone-max=${max} clone-node-max=${nodeMax} globally-unique=${unique}`,
      cib: {
        resources: clone('c', dummy('web'), { 'clone-max': max, 'clone-node-max': nodeMax, 'globally-unique': unique }),
        nodes: three,
      },
    })),
  ),
  ...['1', '2', '3'].map((min) => ({
    name: `clone-min=${min} before a dependant`,
    cib: {
      resources: clone('c', dummy('web'), { 'clone-min': min }) + dummy('app'),
      constraints: order('c', 'app') + avoids('c', 'n3'),
      nodes: three,
    },
  })),
  ...[...combine(['ordered', 'notify', 'interleave'], ['true', 'false'])].map(([option, value]) => ({
    name: `${option}=${value} of a clone that shrinks and grows`,
    cib: {
      resources: clone('c', dummy('web'), { [option]: value }),
      nodes: { n1: having({ standby: 'true' }, 'web start'), n2: idle, n3: ran('web start') },
    },
  })),
  {
    name: 'a cloned group',
    cib: { resources: clone('c', group('g', [dummy('a'), dummy('b')])), nodes: two },
  },
  {
    name: 'a clone of a group with a member that failed on one node',
    cib: {
      resources: clone('c', group('g', [dummy('a'), dummy('b', operations(op('b', 'monitor', { interval: '10s' })))])),
      nodes: {
        n1: having({ 'fail-count-b#monitor_10000': '1' }, 'a start', 'b start', 'b monitor 10000 rc=7'),
        n2: ran('a start', 'b start', 'b monitor 10000'),
      },
    },
  },
]

const promotables: RuleCase[] = [
  ...[...combine(['0', '1', '2', '3'], ['1', '2'])].map(([max, nodeMax]) => ({
    name: `promoted-max=${max} promoted-node-max=${nodeMax}`,
    cib: {
      resources: promotable('c', stateful('db'), { 'promoted-max': max, 'promoted-node-max': nodeMax }),
      nodes: {
        n1: having({ 'master-db': '10' }, 'db start'),
        n2: having({ 'master-db': '20' }, 'db start'),
        n3: having({ 'master-db': '5' }, 'db start'),
      },
    },
  })),
  ...[
    ['0', '0'],
    ['-1', '10'],
    ['10', '10'],
    ['-INFINITY', '5'],
    ['INFINITY', 'INFINITY'],
  ].map(([first = '', second = '']) => ({
    name: `promotion scores ${first} and ${second}`,
    cib: {
      resources: promotable('c', stateful('db')),
      nodes: { n1: having({ 'master-db': first }, 'db start'), n2: having({ 'master-db': second }, 'db start') },
    },
  })),
  {
    name: 'without promotion scores nobody is promoted',
    cib: { resources: promotable('c', stateful('db')), nodes: { n1: ran('db start'), n2: ran('db start') } },
  },
  ...['10', '30'].map((stickiness) => ({
    name: `a better score elsewhere against resource-stickiness=${stickiness}`,
    cib: {
      resources: promotable('c', stateful('db'), { 'resource-stickiness': stickiness }),
      nodes: {
        n1: having({ 'master-db': '10' }, 'db start', 'db promote'),
        n2: having({ 'master-db': '25' }, 'db start'),
      },
    },
  })),
  {
    name: 'the promoted node is lost',
    cib: {
      resources: promotable('c', stateful('db')) + device(),
      options: { 'fencing-enabled': 'true' },
      nodes: {
        n1: { ...lost, attributes: { 'master-db': '10' }, ran: ['db start', 'db promote'] },
        n2: having({ 'master-db': '5' }, 'db start'),
      },
    },
  },
  {
    name: 'two are promoted where one may be',
    cib: {
      resources: promotable('c', stateful('db')),
      nodes: {
        n1: having({ 'master-db': '10' }, 'db start', 'db promote'),
        n2: having({ 'master-db': '20' }, 'db start', 'db promote'),
      },
    },
  },
  {
    name: 'notify around a promotion',
    cib: {
      resources: promotable('c', stateful('db'), { notify: 'true' }),
      nodes: {
        n1: having({ 'master-db': '10' }, 'db start'),
        n2: having({ 'master-db': '5' }, 'db start', 'db promote'),
      },
    },
  },
  {
    name: 'a location makes up for a promotion score',
    cib: {
      resources: promotable('c', stateful('db')),
      constraints: prefers('c', 'n1', '50', { role: 'Promoted' }),
      nodes: { n1: having({ 'master-db': '10' }, 'db start'), n2: having({ 'master-db': '20' }, 'db start') },
    },
  },
]

const groups: RuleCase[] = [
  ...['first', 'middle', 'last'].flatMap((place, index) =>
    (['disabled', 'unmanaged', 'banned here'] as const).map((what) => ({
      name: `the ${place} member of a group is ${what}`,
      cib: {
        resources: group(
          'g',
          ['a', 'b', 'c'].map((id, position) =>
            dummy(
              id,
              position !== index || what === 'banned here'
                ? ''
                : meta(id, what === 'disabled' ? { 'target-role': 'Stopped' } : { 'is-managed': 'false' }),
            ),
          ),
        ),
        constraints: what === 'banned here' ? avoids(['a', 'b', 'c'][index] ?? '', 'n1') : '',
        nodes: { n1: ran('a start', 'b start', 'c start'), n2: idle },
      },
    })),
  ),
  {
    name: 'stickiness of members adds up',
    cib: {
      resources: group('g', [dummy('a'), dummy('b'), dummy('c')], { 'resource-stickiness': '40' }),
      constraints: prefers('g', 'n2', '100'),
      nodes: { n1: ran('a start', 'b start', 'c start'), n2: idle },
    },
  },
  {
    name: 'a group that runs on two nodes comes together',
    cib: { resources: group('g', [dummy('a'), dummy('b')]), nodes: { n1: ran('a start'), n2: ran('b start') } },
  },
]

const movable = (id: string) => dummy(id, meta(id, { 'allow-migrate': 'true' }))
const migration: RuleCase[] = [
  {
    name: 'what may migrate does not stop',
    cib: { resources: movable('vm'), constraints: avoids('vm', 'n1'), nodes: { n1: ran('vm start'), n2: idle } },
  },
  {
    name: 'what may not migrate stops and starts',
    cib: { resources: dummy('vm'), constraints: avoids('vm', 'n1'), nodes: { n1: ran('vm start'), n2: idle } },
  },
  ...['moves along', 'stays'].map((what) => ({
    name: `migration with an order, where the first ${what}`,
    cib: {
      resources: dummy('store') + movable('vm'),
      constraints: order('store', 'vm') + avoids('vm', 'n1') + (what === 'stays' ? '' : avoids('store', 'n1')),
      nodes: { n1: ran('store start', 'vm start'), n2: idle },
    },
  })),
  ...['stop', 'stay'].map((what) => ({
    name: `dependants of what migrates: they ${what}`,
    cib: {
      resources: movable('vm') + (what === 'stop' ? dummy('app') : movable('app')),
      constraints: order('vm', 'app') + together('app', 'vm') + avoids('vm', 'n1'),
      nodes: { n1: ran('vm start', 'app start'), n2: idle },
    },
  })),
  {
    name: 'a migration that has left and not arrived',
    cib: { resources: movable('vm'), nodes: { n1: ran('vm start', 'vm migrate_to from=n1 to=n2'), n2: idle } },
  },
  {
    name: 'a migration that failed to arrive',
    cib: {
      resources: movable('vm'),
      nodes: { n1: ran('vm start', 'vm migrate_to from=n1 to=n2'), n2: ran('vm migrate_from rc=1 from=n1 to=n2') },
    },
  },
  {
    name: 'a migration that failed to leave',
    cib: { resources: movable('vm'), nodes: { n1: ran('vm start', 'vm migrate_to rc=1 from=n1 to=n2'), n2: idle } },
  },
  {
    name: 'a migration that has arrived, with its source not yet stopped',
    cib: {
      resources: movable('vm'),
      nodes: { n1: ran('vm start', 'vm migrate_to from=n1 to=n2'), n2: ran('vm migrate_from from=n1 to=n2') },
    },
  },
  {
    name: 'nothing migrates away from a node that is lost',
    cib: {
      resources: movable('vm') + device(),
      options: { 'fencing-enabled': 'true' },
      nodes: { n1: { ...lost, ran: ['vm start'] }, n2: idle },
    },
  },
  ...['true', 'false'].map((value) => ({
    name: `allow-migrate=${value} of a member of a clone`,
    cib: {
      resources: clone('c', dummy('vm', meta('vm', { 'allow-migrate': value })), { 'clone-max': '1' }),
      constraints: avoids('c', 'n1'),
      nodes: { n1: ran('vm start'), n2: idle },
    },
  })),
]

const load = (id: string, cpu: string) => dummy(id, utilization(id, { cpu }))
const capacity: RuleCase[] = [
  ...combine(['default', 'utilization', 'balanced', 'minimal'], [
    'fits',
    'too much',
    'grouped',
    'by priority',
  ] as const),
].map(([strategy, what]) => ({
  name: `placement-strategy=${strategy}: ${what}`,
  cib: {
    options: { 'placement-strategy': strategy },
    resources:
      what === 'grouped'
        ? group('g', [load('a', '2'), load('b', '3')]) + load('c', '4')
        : what === 'by priority'
          ? dummy('a', utilization('a', { cpu: '4' })) +
            dummy('b', meta('b', { priority: '10' }) + utilization('b', { cpu: '4' }))
          : load('a', '2') + load('b', what === 'fits' ? '2' : '9') + load('c', '1'),
    nodes:
      what === 'by priority'
        ? { n1: { utilization: { cpu: '4' } }, n2: { utilization: { cpu: '2' } } }
        : { n1: { utilization: { cpu: '4' } }, n2: { utilization: { cpu: '6' } } },
  },
}))

const health: RuleCase[] = [
  ...combine(['none', 'migrate-on-red', 'only-green', 'progressive', 'custom'], ['green', 'yellow', 'red', '-15']),
].map(([strategy, colour]) => ({
  name: `node-health-strategy=${strategy}, ${colour}`,
  cib: {
    resources: dummy('web'),
    options: { 'node-health-strategy': strategy },
    nodes: { n1: having({ '#health-smart': colour }, 'web start'), n2: idle },
  },
}))

const changes: RuleCase[] = [
  {
    name: 'a parameter that has changed restarts',
    cib: { resources: dummy('web'), nodes: { n1: ran('web start digest=other') } },
  },
  {
    name: 'a changed parameter restarts those behind it',
    cib: { resources: group('g', [dummy('a'), dummy('b')]), nodes: { n1: ran('a start digest=other', 'b start') } },
  },
  {
    name: 'a changed parameter of a monitor alone renews the monitor',
    cib: {
      resources: dummy('web', operations(op('web', 'monitor', { interval: '10s', timeout: '30s' }))),
      nodes: { n1: ran('web start', 'web monitor 10000 digest=other') },
    },
  },
  {
    name: 'another agent under the same name: stopped with the old, started with the new',
    cib: { resources: dummy('web'), nodes: { n1: { ran: ['web start'], agents: { web: 'heartbeat:apache' } } } },
  },
  {
    name: 'another class under the same name',
    cib: { resources: dummy('web'), nodes: { n1: { ran: ['web start'], classes: { web: 'lsb' } } } },
  },
]

const defaults: RuleCase[] = [
  {
    name: 'a default target-role',
    cib: {
      resources: dummy('a') + dummy('b', meta('b', { 'target-role': 'Started' })),
      defaults: { 'target-role': 'Stopped' },
      nodes: two,
    },
  },
  {
    name: 'a default of is-managed',
    cib: {
      resources: dummy('a') + dummy('b'),
      defaults: { 'is-managed': 'false' },
      nodes: { n1: ran('a start'), n2: idle },
    },
  },
  {
    name: 'a default resource-stickiness',
    cib: {
      resources: dummy('a'),
      defaults: { 'resource-stickiness': '200' },
      constraints: prefers('a', 'n2', '100'),
      nodes: { n1: ran('a start'), n2: idle },
    },
  },
  {
    name: 'a default migration-threshold',
    cib: {
      resources: dummy('a'),
      defaults: { 'migration-threshold': '1' },
      nodes: { n1: having({ 'fail-count-a#monitor_10000': '1' }, 'a start', 'a monitor 10000 rc=7'), n2: idle },
    },
  },
  {
    name: 'a default priority does not choose',
    cib: { resources: dummy('a') + dummy('b'), defaults: { priority: '5' }, nodes: two },
  },
]

const remote = (id: string, more = ''): string =>
  `<primitive id="${id}" class="ocf" provider="pacemaker" type="remote">${more}</primitive>`
const remotes: RuleCase[] = [
  {
    name: 'a remote node is connected before anything runs there',
    cib: { resources: remote('r1') + dummy('web'), constraints: prefers('web', 'r1', '100'), nodes: two },
  },
  {
    name: 'what runs on a remote node stops before its connection',
    cib: {
      resources: remote('r1', meta('r1', { 'target-role': 'Stopped' })) + dummy('web'),
      nodes: {
        n1: { ran: ['r1 start'], agents: { r1: 'pacemaker:remote' } },
        n2: idle,
        r1: { remote: true, ran: ['web start'] },
      },
    },
  },
  {
    name: 'a failed connection without reconnect interval is fenced',
    cib: {
      resources: remote('r1', operations(op('r1', 'monitor', { interval: '10s' }))) + dummy('web') + device(),
      options: { 'fencing-enabled': 'true' },
      nodes: {
        n1: {
          ran: ['r1 start', 'r1 monitor 10000 rc=1 status=4'],
          agents: { r1: 'pacemaker:remote' },
          attributes: { 'fail-count-r1#monitor_10000': '1' },
        },
        n2: idle,
        r1: { remote: true, ran: ['web start'] },
      },
    },
  },
  {
    name: "a remote node's connection moves without touching what runs there",
    cib: {
      resources: remote('r1') + dummy('web'),
      constraints: avoids('r1', 'n1') + prefers('web', 'r1', '100'),
      nodes: {
        n1: { ran: ['r1 start'], agents: { r1: 'pacemaker:remote' } },
        n2: idle,
        r1: { remote: true, ran: ['web start'] },
      },
    },
  },
  {
    name: 'a guest node comes with its container',
    cib: {
      resources: dummy('vm', meta('vm', { 'remote-node': 'guest' })) + dummy('web'),
      constraints: prefers('web', 'guest', '100'),
      nodes: two,
    },
  },
  {
    name: 'a guest node goes with its container',
    cib: {
      resources: dummy('vm', meta('vm', { 'remote-node': 'guest', 'target-role': 'Stopped' })) + dummy('web'),
      nodes: {
        n1: { ran: ['vm start', 'guest start'], containers: { guest: 'vm' } },
        n2: idle,
        guest: { remote: true, ran: ['web start'] },
      },
    },
  },
]

const bundle = (inside: string, replicas = '2', more = ''): string =>
  `<bundle id="b"><podman image="img" replicas="${replicas}" ${more}/><network ip-range-start="10.0.0.10" control-port="3121"/>${inside}</bundle>`
const bundles: RuleCase[] = [
  ...['1', '2', '3'].map((replicas) => ({
    name: `a bundle of ${replicas} without a resource`,
    cib: { resources: bundle('', replicas), nodes: two },
  })),
  ...['1', '2'].map((replicas) => ({
    name: `a bundle of ${replicas} with a resource`,
    cib: { resources: bundle(dummy('web'), replicas), nodes: two },
  })),
  {
    name: 'a bundle with a promotable resource',
    cib: { resources: bundle(stateful('db'), '2', 'promoted-max="1"'), nodes: two },
  },
  {
    name: 'two replicas on a host',
    cib: { resources: bundle(dummy('web'), '4', 'replicas-per-host="2"'), nodes: two },
  },
]

export const cases: readonly RuleCase[] = [
  ...clones,
  ...promotables,
  ...groups,
  ...migration,
  ...capacity,
  ...health,
  ...changes,
  ...defaults,
  ...remotes,
  ...bundles,
]
