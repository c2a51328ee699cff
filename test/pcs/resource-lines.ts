/** Lines of `resource` and `stonith`, as installers and administrators write them. */
import type { Draw, Form } from './draw.ts'

export const resourceLines: readonly Form[] = [
  { weight: 14, line: create },
  { weight: 4, line: (draw) => createOld(draw) },
  { weight: 4, line: (draw) => createDevice(draw) },
  { weight: 8, line: (draw) => [area(draw), 'update', draw.a('resources'), ...updates(draw)] },
  {
    weight: 6,
    line: (draw) => [area(draw), 'meta', draw.a('resources'), ...metaPairs(draw), ...draw.maybe(5, '--force')],
  },
  { weight: 4, line: (draw) => ['resource', 'op', 'add', draw.a('primitives'), ...operation(draw)] },
  {
    weight: 4,
    line: (draw) => [
      'resource',
      'op',
      draw.one('delete', 'remove'),
      ...draw.piece([draw.a('operations')], [draw.a('primitives'), 'monitor', ...draw.maybe(50, 'interval=10s')]),
    ],
  },
  { weight: 5, line: (draw) => ['resource', ...draw.maybe(40, 'op'), 'defaults', ...defaults(draw)] },
  { weight: 5, line: (draw) => groupAdd(draw) },
  {
    weight: 2,
    line: (draw) => [
      'resource',
      'group',
      draw.one('delete', 'remove'),
      draw.a('groups'),
      ...draw.maybe(50, ...draw.few('primitives')),
    ],
  },
  {
    weight: 2,
    line: (draw) => ['resource', 'ungroup', draw.a('groups'), ...draw.maybe(40, ...draw.few('primitives'))],
  },
  { weight: 4, line: (draw) => clone(draw) },
  { weight: 2, line: (draw) => ['resource', 'unclone', draw.a('clones', 'primitives', 'groups')] },
  { weight: 3, line: (draw) => bundle(draw) },
  { weight: 4, line: (draw) => [area(draw), draw.one('enable', 'disable'), ...draw.few('resources')] },
  {
    weight: 3,
    line: (draw) => [
      area(draw),
      draw.one('manage', 'unmanage'),
      ...draw.few('resources', 'tags'),
      ...draw.maybe(30, '--monitor'),
    ],
  },
  {
    weight: 6,
    line: (draw) => [
      area(draw),
      draw.one('delete', 'remove'),
      ...(draw.chance(80) ? [draw.a('resources')] : draw.few('resources')),
      ...draw.maybe(10, '--force'),
    ],
  },
  {
    weight: 3,
    line: (draw) => [
      'resource',
      'move-with-constraint',
      draw.a('resources'),
      ...draw.maybe(70, draw.a('nodes')),
      ...draw.maybe(15, '--promoted'),
      ...draw.maybe(10, 'lifetime=PT1H'),
    ],
  },
  {
    weight: 3,
    line: (draw) => [
      'resource',
      'ban',
      draw.a('resources'),
      ...draw.maybe(70, draw.a('nodes')),
      ...draw.maybe(15, '--promoted'),
    ],
  },
  { weight: 2, line: (draw) => ['resource', 'clear', draw.a('resources'), ...draw.maybe(40, draw.a('nodes'))] },
  {
    weight: 2,
    line: (draw) => [
      'resource',
      'utilization',
      draw.a('resources'),
      ...draw.piece(['cpu=2'], ['cpu=2', 'mem=512'], ['cpu='], ['cpu=x'], []),
    ],
  },
  { weight: 6, line: (draw) => level(draw) },
]

const area = (draw: Draw): string => draw.one('resource', 'resource', 'resource', 'resource', 'stonith')

const agents = (draw: Draw): readonly string[] =>
  draw.piece(
    ['ocf:heartbeat:Dummy'],
    ['ocf:pacemaker:Dummy', 'fake=1'],
    ['ocf:heartbeat:IPaddr2', `ip=192.0.2.${draw.one('7', '8', '9')}`, 'cidr_netmask=24'],
    ['IPaddr2', 'ip=192.0.2.7', 'nic=lo'],
    ['ocf:pacemaker:Stateful'],
    ['ocf:pacemaker:ping', 'host_list=192.0.2.1', 'dampen=5s', 'multiplier=1000'],
    ['ocf:heartbeat:Filesystem', 'device=/dev/sdb1', 'directory=/srv', 'fstype=ext4'],
    ['ocf:heartbeat:galera', 'wsrep_cluster_address=gcomm://n1,n2'],
    ['rabbitmq-cluster', 'set_policy=ha-all ^(?!amq\\.).* {"ha-mode":"all"}'],
    ['ocf:heartbeat:redis', 'wait_last_known_master=true'],
    ['ocf:heartbeat:apache', 'configfile=/etc/apache2/apache2.conf'],
    ['ocf:heartbeat:Delay', 'startdelay=3'],
    ['systemd:nosuch-unit', '--force'],
    ['lsb:nosuch-script', '--force'],
    ['Dummy'],
    ['ocf:heartbeat:IPaddr2'],
    ['ocf:heartbeat:NoSuch', ...draw.maybe(60, '--force')],
    ['ocf:heartbeat:Dummy', 'nosuch=1', ...draw.maybe(60, '--force')],
  )

const metaPair = (draw: Draw): string =>
  draw.one(
    'target-role=Stopped',
    'target-role=Started',
    'migration-threshold=3',
    'failure-timeout=60s',
    'resource-stickiness=100',
    'is-managed=false',
    'priority=5',
    'allow-migrate=true',
    'notify=true',
    'interleave=true',
    'clone-max=2',
    'promoted-max=1',
    'priority=',
    'target-role=',
    'nosuch=1',
    'critical=false',
    'multiple-active=stop_start',
  )
const metaPairs = (draw: Draw): readonly string[] => [...new Set([metaPair(draw), ...draw.maybe(35, metaPair(draw))])]

const operation = (draw: Draw): readonly string[] => [
  draw.one('monitor', 'monitor', 'monitor', 'start', 'stop', 'promote', 'nosuch'),
  ...draw.maybe(
    75,
    draw.one('interval=10s', 'interval=11s', 'interval=30', 'interval=1min', 'interval=0', 'interval=x'),
  ),
  ...draw.maybe(60, draw.one('timeout=20', 'timeout=200s', 'timeout=1min', 'timeout=x')),
  ...draw.maybe(25, draw.one('on-fail=restart', 'on-fail=block', 'on-fail=fence', 'on-fail=bogus')),
  ...draw.maybe(20, draw.one('role=Promoted', 'role=Unpromoted', 'role=Started', 'role=Master', 'role=bogus')),
  ...draw.maybe(
    10,
    draw.one('OCF_CHECK_LEVEL=10', 'start-delay=5s', 'enabled=false', 'id=my-op', 'nosuch=1', 'record-pending=true'),
  ),
]

const cloned = (draw: Draw): readonly string[] => [
  draw.one('clone', 'clone', 'promotable'),
  ...draw.maybe(15, 'my-clone'),
  ...draw.maybe(50, 'meta', ...metaPairs(draw)),
]

function create(draw: Draw): readonly string[] {
  const place = draw.chance(25)
    ? cloned(draw)
    : draw.maybe(
        30,
        '--future',
        'group',
        draw.chance(70) ? draw.a('groups') : draw.fresh(),
        ...draw.maybe(30, draw.one('before', 'after'), draw.a('primitives')),
      )
  return [
    'resource',
    'create',
    draw.fresh(),
    ...agents(draw),
    ...draw.maybe(45, 'op', ...operation(draw), ...draw.maybe(35, ...operation(draw))),
    ...draw.maybe(35, 'meta', ...metaPairs(draw)),
    ...place,
    ...draw.maybe(8, 'bundle', draw.a('bundles')),
    ...draw.maybe(8, draw.one('--disabled', '--no-default-ops', '--force', '--future', '--wait=5')),
  ]
}

/** In the words that pcs has given up one after the other. */
const createOld = (draw: Draw): readonly string[] => [
  'resource',
  'create',
  draw.fresh(),
  ...agents(draw),
  ...draw.maybe(30, 'meta', ...metaPairs(draw)),
  ...draw.piece(
    ['--clone', ...draw.maybe(50, 'interleave=true')],
    ['clone', ...metaPairs(draw)],
    ['--master', ...draw.maybe(50, 'master-max=1')],
    ['master', 'master-max=1'],
    ['--group', draw.a('groups'), ...draw.maybe(40, draw.one('--before', '--after'), draw.a('primitives'))],
  ),
]

const createDevice = (draw: Draw): readonly string[] => [
  'stonith',
  'create',
  draw.fresh(),
  ...draw.piece(
    ['fence_ipmilan', 'ip=192.0.2.50', 'username=root', 'password=secret', 'lanplus=1'],
    ['fence_ipmilan', 'ipaddr=192.0.2.50', 'login=root', 'passwd=secret'],
    ['fence_ipmilan', 'ip=192.0.2.50', ...draw.maybe(50, '--force')],
    ['fence_apc', 'ip=192.0.2.51', 'username=a', 'password=b', 'plug=1'],
    ['fence_virt', ...draw.maybe(50, 'port=vm1')],
    ['fence_nosuch', ...draw.maybe(60, '--force')],
    [
      'fence_ipmilan',
      'ip=192.0.2.50',
      'username=a',
      `action=${draw.one('off', 'reboot')}`,
      ...draw.maybe(50, '--force'),
    ],
  ),
  ...draw.maybe(
    50,
    draw.one(`pcmk_host_list=${draw.a('nodes')}`, `pcmk_host_map=${draw.a('nodes')}:7`, 'pcmk_host_check=static-list'),
  ),
  ...draw.maybe(15, 'pcmk_reboot_action=off'),
  ...draw.maybe(35, 'op', 'monitor', draw.one('interval=60s', 'interval=30')),
  ...draw.maybe(20, 'meta', ...metaPairs(draw)),
  ...draw.maybe(8, draw.one('--disabled', '--no-default-ops', 'group', '--agent-validation')),
]

const updates = (draw: Draw): readonly string[] => [
  ...draw.maybe(
    60,
    draw.one(
      'fake=2',
      'ip=192.0.2.77',
      'ip=',
      'state=/tmp/x',
      'nosuch=1',
      'nosuch=',
      'pcmk_host_list=n1',
      'cidr_netmask=25',
    ),
  ),
  ...draw.maybe(45, 'op', ...operation(draw)),
  ...draw.maybe(45, 'meta', ...metaPairs(draw)),
  ...draw.maybe(10, '--force'),
]

const defaultPair = (draw: Draw): string =>
  draw.one(
    'resource-stickiness=100',
    'migration-threshold=3',
    'timeout=60s',
    'failure-timeout=',
    'timeout=',
    'nosuch=1',
    'resource-stickiness=',
  )

const defaults = (draw: Draw): readonly string[] =>
  draw.piece(
    ['update', defaultPair(draw), ...draw.maybe(30, defaultPair(draw))],
    ['update', defaultPair(draw)],
    [defaultPair(draw)],
    [
      'set',
      'create',
      ...draw.maybe(40, `id=${draw.fresh()}`),
      ...draw.maybe(40, 'score=10'),
      'meta',
      defaultPair(draw),
    ],
    [
      'set',
      'create',
      'meta',
      'resource-stickiness=5',
      'rule',
      ...draw.piece(
        ['resource', 'ocf:pacemaker:Dummy'],
        ['resource', '::Dummy', 'or', 'resource', 'systemd::'],
        ['date', 'gt', '2025-01-01'],
        ['date-spec', 'hours=9-16', 'weekdays=1-5'],
        ['op', 'monitor', 'interval=10s'],
        [
          'resource',
          'ocf:pacemaker:Dummy',
          'and',
          '(',
          'date',
          'lt',
          '2030-01-01',
          'or',
          'date-spec',
          'hours=1-5',
          ')',
        ],
        ['#uname', 'eq', 'n1'],
      ),
    ],
    ['set', draw.one('delete', 'remove'), draw.a('sets')],
    ['set', 'update', draw.a('sets'), 'meta', defaultPair(draw)],
  )

const groupAdd = (draw: Draw): readonly string[] => [
  'resource',
  'group',
  'add',
  draw.chance(60) ? draw.a('groups') : draw.fresh(),
  ...draw.few('primitives'),
  ...draw.maybe(25, draw.one('--before', '--after', 'before', 'after'), draw.a('primitives')),
]

const clone = (draw: Draw): readonly string[] => [
  'resource',
  draw.one('clone', 'clone', 'promotable'),
  draw.a('primitives', 'groups', 'groups', 'resources'),
  ...draw.maybe(15, 'my-clone'),
  ...draw.piece([], ['meta', ...metaPairs(draw)], metaPairs(draw)),
]

const bundlePart = (draw: Draw): readonly string[] =>
  draw.piece(
    ['container', 'docker', 'image=registry/web:1', `replicas=${draw.one('2', '3', 'x')}`],
    ['network', 'ip-range-start=192.0.2.100', 'control-port=3121'],
    ['network', 'network=host'],
    ['port-map', 'port=80', ...draw.maybe(40, 'internal-port=8080')],
    ['port-map', 'id=my-map', 'range=100-200'],
    ['storage-map', 'source-dir=/srv/a', 'target-dir=/srv/b', ...draw.maybe(40, 'options=ro')],
    ['storage-map', 'source-dir-root=/srv/c', 'target-dir=/srv/d'],
    ['meta', 'target-role=Stopped'],
    ['network', 'bogus=1'],
  )

const bundle = (draw: Draw): readonly string[] =>
  draw.piece(
    [
      'resource',
      'bundle',
      'create',
      draw.fresh(),
      'container',
      draw.one('podman', 'docker', 'rkt'),
      'image=registry/app:2',
      ...draw.maybe(50, 'replicas=3'),
      ...draw.maybe(60, ...bundlePart(draw)),
      ...draw.maybe(60, ...bundlePart(draw)),
    ],
    [
      'resource',
      'bundle',
      'update',
      draw.a('bundles'),
      'container',
      draw.one('image=registry/web:3', 'replicas=2', 'options=', 'run-command=/x'),
    ],
    [
      'resource',
      'bundle',
      'update',
      draw.a('bundles'),
      draw.one('port-map', 'storage-map'),
      ...draw.piece(['add', 'port=81'], ['add', 'source-dir=/e', 'target-dir=/f'], ['delete', 'my-map']),
    ],
    ['resource', 'bundle', 'reset', draw.a('bundles'), 'container', 'image=registry/web:9'],
  )

const target = (draw: Draw): string =>
  draw.one(draw.a('nodes'), draw.a('nodes'), draw.a('nodes'), 'regexp%n.*', 'attrib%rack=3', 'node%n1')

const level = (draw: Draw): readonly string[] =>
  draw.piece(
    [
      'stonith',
      'level',
      'add',
      draw.one('1', '2', '3', '0', 'x'),
      target(draw),
      ...draw.few('devices'),
      ...draw.maybe(10, '--force'),
    ],
    ['stonith', 'level', 'add', draw.one('1', '2'), target(draw), ...draw.few('devices')],
    ['stonith', 'level', 'add', '1', draw.a('nodes'), draw.few('devices').join(',')],
    [
      'stonith',
      'level',
      draw.one('delete', 'remove'),
      '1',
      ...draw.piece(
        [],
        ['target', target(draw)],
        [target(draw)],
        ['stonith', draw.a('devices')],
        ['target', target(draw), 'stonith', draw.a('devices')],
      ),
    ],
    ['stonith', 'level', 'clear', ...draw.piece([], ['target', target(draw)], ['stonith', draw.a('devices')])],
    ['stonith', 'level', 'verify'],
  )
