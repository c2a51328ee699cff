/** What follows from a failed operation: on-fail, migration-threshold, failure-timeout, start-failure-is-fatal. */
import {
  clone,
  combine,
  device,
  dummy,
  group,
  having,
  idle,
  meta,
  op,
  operations,
  order,
  promotable,
  type RuleCase,
  ran,
  stateful,
  stuck,
} from '../words.ts'

const fenced = (fencing: boolean) => ({ 'fencing-enabled': String(fencing) })
const failed: Readonly<Record<string, readonly string[]>> = {
  start: ['web start failure rc=1'],
  stop: ['web start', 'web stop failure rc=1'],
  monitor: ['web start', 'web monitor 10000 rc=1'],
}
const counts: Readonly<Record<string, string>> = { start: 'start_0', stop: 'stop_0', monitor: 'monitor_10000' }
const failures = (operation: string, count: string) => ({
  [`fail-count-web#${counts[operation]}`]: count,
  [`last-failure-web#${counts[operation]}`]: '1600000000',
})

const onFail: RuleCase[] = [
  ...combine(['ignore', 'block', 'stop', 'restart', 'standby', 'fence', 'demote'], ['start', 'stop', 'monitor']),
].flatMap(([reaction, operation]) =>
  [true, false].map((fencing) => ({
    name: `on-fail=${reaction} of a failed ${operation}, fencing ${fencing ? 'on' : 'off'}`,
    cib: {
      options: fenced(fencing),
      resources:
        dummy(
          'web',
          operations(op('web', operation, { interval: operation === 'monitor' ? '10s' : '0s', 'on-fail': reaction })),
        ) + (fencing ? device() : ''),
      nodes: { n1: having(failures(operation, '1'), ...(failed[operation] ?? [])), n2: idle },
    },
  })),
)

const promotion: RuleCase[] = [
  ...combine(['promote', 'demote', 'monitor'], ['restart', 'demote', 'block', 'ignore']),
].map(([operation, reaction]) => ({
  name: `on-fail=${reaction} of a promoted instance's failed ${operation}`,
  ...(reaction === 'block' ? { differs: stuck } : {}),
  cib: {
    resources: promotable(
      'db-clone',
      stateful(
        'db',
        operations(
          op(
            'db',
            operation,
            operation === 'monitor'
              ? { interval: '10s', role: 'Promoted', 'on-fail': reaction }
              : { 'on-fail': reaction },
          ),
        ),
      ),
    ),
    nodes: {
      n1: having(
        { 'master-db': '10', [`fail-count-db#${operation}_${operation === 'monitor' ? '10000' : '0'}`]: '1' },
        'db start',
        ...(operation === 'promote'
          ? ['db promote failure rc=1']
          : operation === 'demote'
            ? ['db promote', 'db demote failure rc=1']
            : ['db promote', 'db monitor 10000 rc=9']),
      ),
      n2: having({ 'master-db': '5' }, 'db start'),
    },
  },
}))

const results: RuleCase[] = [
  ...combine(['1', '2', '3', '4', '5', '6', '7', '8', '9', '190', '191', '198'], ['probe', 'monitor', 'start']),
].map(([rc, operation]) => ({
  name: `a ${operation} that ends with ${rc}`,
  cib: {
    resources: dummy('web', operations(op('web', 'monitor', { interval: '10s' }))),
    nodes: {
      n1: ran(
        ...(operation === 'probe'
          ? [`web monitor 0 rc=${rc}`]
          : operation === 'monitor'
            ? ['web start', `web monitor 10000 rc=${rc}`]
            : [`web start rc=${rc}`]),
      ),
      n2: ran('web monitor 0 rc=7'),
    },
  },
}))

const statuses: RuleCase[] = [...combine(['1', '2', '3', '4', '5', '6', '7', '8', '9'], ['monitor', 'start'])].map(
  ([status, operation]) => ({
    name: `a ${operation} whose execution status is ${status}`,
    cib: {
      resources: dummy('web', operations(op('web', 'monitor', { interval: '10s' }))),
      nodes: {
        n1: ran(
          ...(operation === 'monitor'
            ? ['web start', `web monitor 10000 rc=1 status=${status}`]
            : [`web start rc=1 status=${status}`]),
        ),
        n2: idle,
      },
    },
  }),
)

const thresholds: RuleCase[] = [...combine(['0', '1', '3', 'INFINITY'], ['1', '2', '3', 'INFINITY'])].map(
  ([threshold, count]) => ({
    name: `migration-threshold=${threshold} after ${count} failures`,
    cib: {
      resources: dummy(
        'web',
        meta('web', { 'migration-threshold': threshold }) + operations(op('web', 'monitor', { interval: '10s' })),
      ),
      nodes: { n1: having(failures('monitor', count), 'web start', 'web monitor 10000 rc=7'), n2: idle },
    },
  }),
)

const timeouts: RuleCase[] = [
  ...['0', '60s', '40d', '99999999999'].map((timeout) => ({
    name: `failure-timeout=${timeout}`,
    cib: {
      resources: dummy(
        'web',
        meta('web', { 'migration-threshold': '1', 'failure-timeout': timeout }) +
          operations(op('web', 'monitor', { interval: '10s' })),
      ),
      nodes: { n1: having(failures('monitor', '2'), 'web start', 'web monitor 10000 rc=7'), n2: idle },
    },
  })),
  {
    name: 'failure-timeout forgets a failed start',
    cib: {
      resources: dummy('web', meta('web', { 'failure-timeout': '60s' })),
      nodes: { n1: having(failures('start', 'INFINITY'), 'web start failure rc=1', 'web stop') },
    },
  },
  {
    name: 'failure-timeout does not forget a failed stop that nobody has fenced',
    cib: {
      resources: dummy('web', meta('web', { 'failure-timeout': '60s' })),
      nodes: { n1: having(failures('stop', 'INFINITY'), 'web start', 'web stop failure rc=1'), n2: idle },
    },
  },
  ...['true', 'false'].flatMap((fatal) =>
    ['1', 'INFINITY'].map((count) => ({
      name: `start-failure-is-fatal=${fatal}, ${count} failures to start`,
      cib: {
        resources: dummy('web'),
        options: { 'start-failure-is-fatal': fatal },
        nodes: {
          n1: having(failures('start', count), 'web start failure rc=1', 'web stop'),
          n2: having({ standby: 'true' }),
        },
      },
    })),
  ),
]

const composite: RuleCase[] = [
  {
    name: 'a failed member of a group takes those behind it along',
    cib: {
      resources: group('g', [
        dummy('a'),
        dummy('web', operations(op('web', 'monitor', { interval: '10s' }))),
        dummy('c'),
      ]),
      nodes: {
        n1: having(failures('monitor', '1'), 'a start', 'web start', 'web monitor 10000 rc=7', 'c start'),
        n2: idle,
      },
    },
  },
  {
    name: 'a member over its threshold moves the group',
    cib: {
      resources: group('g', [
        dummy('a'),
        dummy(
          'web',
          meta('web', { 'migration-threshold': '1' }) + operations(op('web', 'monitor', { interval: '10s' })),
        ),
        dummy('c'),
      ]),
      nodes: {
        n1: having(failures('monitor', '1'), 'a start', 'web start', 'web monitor 10000 rc=7', 'c start'),
        n2: idle,
      },
    },
  },
  {
    name: 'a failed instance of a clone restarts where it is',
    cib: {
      resources: clone('c', dummy('web', operations(op('web', 'monitor', { interval: '10s' })))),
      nodes: {
        n1: having(failures('monitor', '1'), 'web start', 'web monitor 10000 rc=7'),
        n2: ran('web start', 'web monitor 10000'),
      },
    },
  },
  {
    name: 'an instance that cannot start leaves the others alone',
    cib: {
      resources: clone('c', dummy('web')),
      nodes: { n1: having(failures('start', 'INFINITY'), 'web start failure rc=1', 'web stop'), n2: ran('web start') },
    },
  },
  {
    name: 'the promoted instance over its threshold hands its role over',
    cib: {
      resources: promotable(
        'c',
        stateful(
          'web',
          meta('web', { 'migration-threshold': '1' }) +
            operations(op('web', 'monitor', { interval: '10s', role: 'Promoted' })),
        ),
      ),
      nodes: {
        n1: having(
          { ...failures('monitor', '1'), 'master-web': '10' },
          'web start',
          'web promote',
          'web monitor 10000 rc=9',
        ),
        n2: having({ 'master-web': '5' }, 'web start'),
      },
    },
  },
  ...(['web start', 'web stop', 'web monitor 10000', 'web migrate_to from=n1 to=n2'] as const).map((pending) => ({
    name: `an operation under way: ${pending}`,
    cib: {
      resources: dummy('web', operations(op('web', 'monitor', { interval: '10s' }))),
      nodes: { n1: ran(...(pending === 'web start' ? [] : ['web start']), `${pending} pending`), n2: idle },
    },
  })),
  {
    name: 'a failed stop without fencing blocks what follows',
    cib: {
      resources: dummy('web') + dummy('app'),
      constraints: order('web', 'app'),
      nodes: {
        n1: having(failures('stop', 'INFINITY'), 'web start', 'app start', 'app stop', 'web stop failure rc=1'),
        n2: idle,
      },
    },
  },
]

export const cases: readonly RuleCase[] = [
  ...onFail,
  ...promotion,
  ...results,
  ...statuses,
  ...thresholds,
  ...timeouts,
  ...composite,
]
