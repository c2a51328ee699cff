/** Lines of `property`, `node`, `tag`, `alert` and `acl`. */
import type { Draw, Form } from './draw.ts'

export const otherLines: readonly Form[] = [
  {
    weight: 8,
    line: (draw) => [
      'property',
      'set',
      property(draw),
      ...draw.maybe(20, property(draw)),
      ...draw.maybe(12, '--force'),
    ],
  },
  {
    weight: 4,
    line: (draw) => [
      'property',
      'unset',
      draw.one(draw.a('properties'), 'maintenance-mode', 'nosuch'),
      ...draw.maybe(12, '--force'),
    ],
  },
  {
    weight: 6,
    line: (draw) => [
      'node',
      'attribute',
      draw.a('nodes'),
      draw.one('rack=1', 'osprole=controller', 'rack=', 'a=b c', '=x', 'rack'),
      ...draw.maybe(15, 'z=1'),
      ...draw.maybe(8, '--force'),
    ],
  },
  {
    weight: 4,
    line: (draw) => ['node', 'utilization', draw.a('nodes'), draw.one('cpu=4', 'mem=1024', 'cpu=', 'cpu=x')],
  },
  {
    weight: 5,
    line: (draw) => [
      'node',
      draw.one('standby', 'unstandby', 'maintenance', 'unmaintenance'),
      ...draw.piece([], ['--all'], draw.few('nodes'), draw.few('nodes')),
    ],
  },
  { weight: 6, line: (draw) => tag(draw) },
  { weight: 8, line: (draw) => alert(draw) },
  { weight: 8, line: (draw) => acl(draw) },
]

const property = (draw: Draw): string =>
  draw.one(
    'stonith-enabled=false',
    'stonith-enabled=true',
    'no-quorum-policy=ignore',
    'no-quorum-policy=stop',
    'no-quorum-policy=bogus',
    'maintenance-mode=true',
    'maintenance-mode=maybe',
    'cluster-recheck-interval=1min',
    'cluster-recheck-interval=x',
    'batch-limit=10',
    'start-failure-is-fatal=false',
    'pe-warn-series-max=10',
    'symmetric-cluster=false',
    'placement-strategy=balanced',
    'cluster-name=mine',
    'stonith-watchdog-timeout=10',
    'stonith-watchdog-timeout=0',
    'concurrent-fencing=true',
    'nosuch=1',
    'maintenance-mode=',
    'dc-version=1',
    'have-watchdog=true',
    'priority-fencing-delay=15s',
    'fence-reaction=panic',
    'node-health-strategy=migrate-on-red',
    'stonith-action=off',
    'enable-startup-probes=false',
    'shutdown-lock=true',
  )

const tag = (draw: Draw): readonly string[] =>
  draw.piece(
    ['tag', 'create', draw.fresh(), ...draw.few('resources')],
    [
      'tag',
      'update',
      draw.a('tags'),
      'add',
      ...draw.few('resources'),
      ...draw.maybe(30, draw.one('--before', '--after'), draw.a('resources')),
    ],
    ['tag', 'update', draw.a('tags'), 'remove', ...draw.few('resources')],
    ['tag', 'update', draw.a('tags'), 'add', draw.a('resources'), 'remove', draw.a('resources')],
    ['tag', draw.one('delete', 'remove'), ...draw.few('tags')],
  )

const alert = (draw: Draw): readonly string[] =>
  draw.piece(
    [
      'alert',
      'create',
      `path=${draw.one('/bin/true', '/usr/bin/alert.sh')}`,
      ...draw.maybe(40, `id=${draw.fresh()}`),
      ...draw.maybe(30, 'description=a word'),
      ...alertOptions(draw),
    ],
    ['alert', 'create', ...draw.piece([], ['bogus=1'], ['id=x'])],
    [
      'alert',
      'update',
      draw.a('alerts'),
      ...draw.piece(['path=/bin/false'], ['description='], ['id=x'], []),
      ...alertOptions(draw),
    ],
    ['alert', draw.one('delete', 'remove'), ...draw.few('alerts')],
    [
      'alert',
      'recipient',
      'add',
      draw.a('alerts'),
      `value=${draw.one('me', 'me@example.org', '')}`,
      ...draw.maybe(30, `id=${draw.fresh()}`),
      ...alertOptions(draw),
      ...draw.maybe(8, '--force'),
    ],
    [
      'alert',
      'recipient',
      'update',
      draw.a('recipients'),
      ...draw.piece(['value=you'], ['value='], ['description=x'], []),
      ...alertOptions(draw),
    ],
    ['alert', 'recipient', draw.one('delete', 'remove'), ...draw.few('recipients')],
  )

const alertOptions = (draw: Draw): readonly string[] => [
  ...draw.maybe(30, 'options', draw.one('a=b', 'a=', 'trap_node_states=all')),
  ...draw.maybe(30, 'meta', draw.one('timeout=15s', 'timestamp-format=%H:%M', 'timeout=', 'bogus=1')),
]

const permission = (draw: Draw): readonly string[] => [
  draw.one('read', 'write', 'deny', 'bogus'),
  ...draw.piece(['xpath', '/cib'], ['xpath', '//nodes'], ['id', draw.a('resources')], ['bogus', 'x']),
]

const acl = (draw: Draw): readonly string[] =>
  draw.piece(
    [
      'acl',
      'role',
      'create',
      draw.fresh(),
      ...draw.maybe(40, 'description=a word'),
      ...draw.maybe(60, ...permission(draw), ...draw.maybe(40, ...permission(draw))),
    ],
    ['acl', 'role', draw.one('delete', 'remove'), draw.a('roles'), ...draw.maybe(30, '--autodelete')],
    [
      'acl',
      'role',
      'assign',
      draw.a('roles'),
      ...draw.piece(['to', 'user'], ['to', 'group'], ['to'], ['user'], []),
      draw.a('subjects'),
    ],
    [
      'acl',
      'role',
      'unassign',
      draw.a('roles'),
      ...draw.piece(['from', 'user'], ['from', 'group'], ['from'], []),
      draw.a('subjects'),
      ...draw.maybe(30, '--autodelete'),
    ],
    [
      'acl',
      draw.one('user', 'group'),
      'create',
      draw.one('anna', 'staff', 'new1'),
      ...draw.maybe(60, ...draw.few('roles')),
    ],
    ['acl', draw.one('user', 'group'), draw.one('delete', 'remove'), draw.a('subjects')],
    ['acl', 'permission', 'add', draw.a('roles'), ...permission(draw)],
    ['acl', 'permission', draw.one('delete', 'remove'), draw.a('permissions')],
    ['acl', draw.one('enable', 'disable')],
  )
