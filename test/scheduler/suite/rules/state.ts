/** What a resource's own options and the states of nodes do: target roles, maintenance, standby, quorum, orphans, several active. */
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
  offline,
  op,
  operations,
  promotable,
  type RuleCase,
  ran,
  stateful,
  stuck,
} from '../words.ts'

const web = (values = {}) => dummy('web', meta('web', values))
const running = { n1: ran('web start'), n2: idle }
const stopped = { n1: idle, n2: idle }

const roles: RuleCase[] = [
  ...[...combine(['Started', 'Stopped', 'Promoted', 'Unpromoted'], ['stopped', 'running'] as const)].map(
    ([role, now]) => ({
      name: `target-role=${role} of what is ${now}`,
      cib: { resources: web({ 'target-role': role }), nodes: now === 'running' ? running : stopped },
    }),
  ),
  ...['Started', 'Stopped', 'Promoted', 'Unpromoted'].map((role) => ({
    name: `target-role=${role} of a promotable clone`,
    cib: {
      resources: promotable('db-clone', stateful('db'), { 'target-role': role }),
      nodes: {
        n1: having({ 'master-db': '10' }, 'db start', 'db promote'),
        n2: having({ 'master-db': '5' }, 'db start'),
      },
    },
  })),
  {
    name: 'target-role=Stopped of a group stops all members, the last first',
    cib: {
      resources: group('g', [dummy('a'), dummy('b')], { 'target-role': 'Stopped' }),
      nodes: { n1: ran('a start', 'b start') },
    },
  },
  {
    name: 'target-role=Stopped of a member stops it and those behind it',
    cib: {
      resources: group('g', [dummy('a'), dummy('b', meta('b', { 'target-role': 'Stopped' })), dummy('c')]),
      nodes: { n1: ran('a start', 'b start', 'c start') },
    },
  },
  {
    name: "a member's target-role overrides its group's",
    cib: {
      resources: group('g', [dummy('a', meta('a', { 'target-role': 'Started' })), dummy('b')], {
        'target-role': 'Stopped',
      }),
      nodes: { n1: idle },
    },
  },
  {
    name: 'stop-all-resources stops everything but fence devices',
    cib: {
      resources: web() + device(),
      options: { 'stop-all-resources': 'true', 'fencing-enabled': 'true' },
      nodes: { n1: { ran: ['web start', 'fence start'], classes: { fence: 'stonith' } } },
    },
  },
]

const management: RuleCase[] = [
  ...[
    ...combine(
      [{ 'is-managed': 'false' }, { maintenance: 'true' }] as const,
      ['stopped', 'running', 'failed'] as const,
    ),
  ].map(([values, now]) => ({
    name: `${Object.entries(values)[0]?.join('=')} of what is ${now}`,
    cib: {
      resources: dummy('web', meta('web', values) + operations(op('web', 'monitor', { interval: '10s' }))),
      nodes: {
        n1:
          now === 'stopped'
            ? idle
            : now === 'running'
              ? ran('web start', 'web monitor 10000')
              : ran('web start', 'web monitor 10000 rc=7'),
        n2: idle,
      },
    },
  })),
  ...[
    'maintenance-mode',
    'stop-orphan-resources',
    'symmetric-cluster',
    'enable-startup-probes',
    'start-failure-is-fatal',
  ].flatMap((option) =>
    ['true', 'false'].map((value) => ({
      name: `${option}=${value}`,
      cib: { resources: web(), options: { [option]: value }, nodes: { n1: ran('web start', 'gone start'), n2: idle } },
    })),
  ),
  {
    name: 'the monitor of what is not managed is cancelled in maintenance alone',
    cib: {
      resources: dummy(
        'web',
        meta('web', { 'is-managed': 'false' }) + operations(op('web', 'monitor', { interval: '10s' })),
      ),
      options: { 'maintenance-mode': 'true' },
      nodes: { n1: ran('web start', 'web monitor 10000') },
    },
  },
  {
    name: 'an orphan that is not managed stays',
    cib: {
      resources: web(),
      options: { 'stop-orphan-resources': 'true' },
      defaults: { 'is-managed': 'false' },
      nodes: { n1: ran('gone start') },
    },
  },
  {
    name: 'an orphan that runs on two nodes is stopped on both',
    cib: { resources: web(), nodes: { n1: ran('gone start'), n2: ran('gone start') } },
  },
  {
    name: 'an orphan that has stopped leaves nothing to do',
    cib: { resources: web(), nodes: { n1: ran('gone start', 'gone stop last') } },
  },
  {
    name: 'a monitor that is no longer configured is cancelled',
    cib: { resources: web(), nodes: { n1: ran('web start', 'web monitor 10000') } },
  },
  {
    name: 'a monitor with another interval takes the place of the old one',
    cib: {
      resources: dummy('web', operations(op('web', 'monitor', { interval: '20s' }))),
      nodes: { n1: ran('web start', 'web monitor 10000') },
    },
  },
  {
    name: 'an operation that is not enabled is not run',
    cib: {
      resources: dummy('web', operations(op('web', 'monitor', { interval: '20s', enabled: 'false' }))),
      nodes: { n1: ran('web start') },
    },
  },
  {
    name: 'a disabled member of a clone runs nowhere',
    cib: {
      resources: clone('c', web({ 'target-role': 'Stopped' })),
      nodes: { n1: ran('web start'), n2: ran('web start') },
    },
  },
]

const attributes = ['standby', 'maintenance'] as const
const nodes: RuleCase[] = [
  ...[...combine(attributes, ['running', 'stopped', 'clone', 'promoted'] as const)].map(([attribute, what]) => ({
    name: `a node with ${attribute}=true, ${what}`,
    ...(attribute === 'maintenance' && what === 'promoted' ? { differs: stuck } : {}),
    cib: {
      resources: what === 'clone' ? clone('c', web()) : what === 'promoted' ? promotable('c', stateful('web')) : web(),
      nodes: {
        n1: having(
          { [attribute]: 'true', 'master-web': '10' },
          ...(what === 'stopped' ? [] : ['web start']),
          ...(what === 'promoted' ? ['web promote'] : []),
        ),
        n2: having({ 'master-web': '5' }, ...(what === 'clone' || what === 'promoted' ? ['web start'] : [])),
      },
    },
  })),
  {
    name: 'all nodes in standby: nothing runs',
    cib: { resources: web(), nodes: { n1: having({ standby: 'true' }, 'web start'), n2: having({ standby: 'true' }) } },
  },
  ...['true', 'false'].flatMap((fencing) =>
    (['lost', 'offline', 'unseen'] as const).map((state) => ({
      name: `a node that is ${state}, fencing-enabled=${fencing}`,
      cib: {
        resources: web() + (fencing === 'true' ? device() : ''),
        options: { 'fencing-enabled': fencing },
        nodes: { n1: { state, ran: state === 'unseen' ? [] : ['web start'] }, n2: idle },
      },
    })),
  ),
  {
    name: 'startup-fencing=false leaves alone whom nobody has seen',
    cib: {
      resources: web() + device(),
      options: { 'fencing-enabled': 'true', 'startup-fencing': 'false' },
      nodes: { n1: { state: 'unseen' }, n2: idle },
    },
  },
  {
    name: 'a node whose shutdown was asked for is emptied',
    cib: { resources: web(), nodes: { n1: having({ shutdown: '1600000000' }, 'web start'), n2: idle } },
  },
  {
    name: 'a node whose fencing was asked for is fenced',
    cib: {
      resources: web() + device(),
      options: { 'fencing-enabled': 'true' },
      nodes: { n1: having({ terminate: 'true' }, 'web start'), n2: idle },
    },
  },
  {
    name: 'whoever has left in order keeps nothing',
    cib: { resources: web(), nodes: { n1: { ...offline, ran: ['web start', 'web stop last'] }, n2: idle } },
  },
  {
    name: 'what ran on a lost node waits for its fencing',
    cib: {
      resources: web() + dummy('free') + device(),
      options: { 'fencing-enabled': 'true' },
      nodes: { n1: { ...lost, ran: ['web start'] }, n2: idle },
    },
  },
]

const quorum: RuleCase[] = [
  ...combine(['stop', 'ignore', 'freeze', 'demote', 'fence'], ['running', 'promoted', 'lost elsewhere'] as const),
].map(([policy, what]) => ({
  name: `no-quorum-policy=${policy}, ${what}`,
  cib: {
    quorum: false,
    options: { 'no-quorum-policy': policy, 'fencing-enabled': 'true' },
    resources: (what === 'promoted' ? promotable('db-clone', stateful('db')) : web() + dummy('other')) + device(),
    nodes:
      what === 'promoted'
        ? { n1: having({ 'master-db': '10' }, 'db start', 'db promote'), n2: { state: 'lost' as const } }
        : {
            n1: what === 'running' ? ran('web start') : idle,
            n2: { state: 'lost' as const, ran: what === 'running' ? [] : ['web start'] },
          },
  },
}))

const several: RuleCase[] = ['block', 'stop_only', 'stop_start', 'stop_unexpected'].flatMap((choice) => [
  {
    name: `multiple-active=${choice}`,
    cib: { resources: web({ 'multiple-active': choice }), nodes: { n1: ran('web start'), n2: ran('web start') } },
  },
  {
    name: `multiple-active=${choice} in a group`,
    cib: {
      resources: group('g', [dummy('a', meta('a', { 'multiple-active': choice })), dummy('b')]),
      nodes: { n1: ran('a start', 'b start'), n2: ran('a start') },
    },
  },
  {
    name: `multiple-active=${choice} of a primitive with a dependant`,
    cib: {
      resources: web({ 'multiple-active': choice }) + dummy('app'),
      constraints: `<rsc_order id="o1" first="web" then="app"/>${avoids('web', 'n2')}`,
      nodes: { n1: ran('web start', 'app start'), n2: ran('web start') },
    },
  },
])

export const cases: readonly RuleCase[] = [...roles, ...management, ...nodes, ...quorum, ...several]
