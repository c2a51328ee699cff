/** What an administrator puts in for `<node>`, `<meta options>` and their like. A name that no row knows is a mistake: the fuzzer says so. */
import type { Draw } from '../draw.ts'

type Maker = (draw: Draw) => readonly string[]

const word =
  (make: (draw: Draw) => string): Maker =>
  (draw) => [make(draw)]
const of = (...words: readonly string[]): Maker => word((draw) => draw.one(...words))
/** One to three of these pairs. */
const pairs =
  (...pairs: readonly string[]): Maker =>
  (draw) => [
    ...new Set([draw.one(...pairs), ...draw.maybe(40, draw.one(...pairs)), ...draw.maybe(15, draw.one(...pairs))]),
  ]

const resource = word((draw) => draw.a('resources'))
const device = word((draw) => draw.a('devices'))
const node = word((draw) => draw.a('nodes'))
const meta = pairs(
  'target-role=Stopped',
  'target-role=Started',
  'is-managed=false',
  'resource-stickiness=100',
  'migration-threshold=3',
  'failure-timeout=60s',
  'priority=5',
  'clone-max=2',
  'promoted-max=1',
  'interleave=true',
  'notify=true',
  'target-role=',
  'multiple-active=block',
  'allow-migrate=1',
  'nosuch=1',
  'requires=fencing',
  'maintenance=true',
  'is-managed=maybe',
)
const options = pairs(
  'fake=1',
  'op_sleep=2',
  'state=/run/x',
  'ip=192.0.2.77',
  'fake=',
  'nosuch=1',
  'passwd=geheim',
  'a=b c',
)
const set = pairs('id=my-set', 'score=10', 'score=x', 'id=busy')
const rulePart = (draw: Draw): readonly string[] =>
  draw.piece(
    ['#uname', draw.one('eq', 'ne', 'lt'), draw.a('nodes')],
    [draw.one('defined', 'not_defined'), 'pingd'],
    [
      'pingd',
      draw.one('lt', 'gt', 'lte', 'gte'),
      ...draw.maybe(40, draw.one('integer', 'number', 'version', 'string')),
      '3',
    ],
    ['date', draw.one('gt', 'lt', 'eq', 'ne', 'lte'), draw.one('2027-01-01', '2020-05-05', 'nodate')],
    ['date', 'in_range', '2026-01-01', 'to', draw.one('2027-01-01', '2020-01-01')],
    ['date', 'in_range', '2026-01-01', 'to', 'duration', 'hours=1'],
    ['date-spec', draw.one('hours=9-16', 'weekdays=1-5', 'years=2026', 'hours=x'), ...draw.maybe(30, 'months=1-6')],
    ['resource', draw.one('ocf:heartbeat:Dummy', '::IPaddr2', 'ocf::')],
    ['op', 'monitor', ...draw.maybe(50, 'interval=30s')],
  )
const rule: Maker = (draw) => nested(draw, 3)

/** Parts in brackets, which stand in the words next to them or alone, as shells and people have it. */
function nested(draw: Draw, depth: number): readonly string[] {
  const part = (): readonly string[] => {
    if (depth === 0 || !draw.chance(18)) return rulePart(draw)
    const inner = nested(draw, depth - 1)
    return draw.chance(80) ? ['(', ...inner, ')'] : [`(${inner[0]}`, ...inner.slice(1, -1), `${inner.at(-1)})`]
  }
  const more = draw.chance(15) ? [draw.one('and', 'or'), ...part()] : []
  return [...part(), ...(draw.chance(30) ? [draw.one('and', 'or'), ...part(), ...more] : [])]
}

const makers: readonly (readonly [names: string, make: Maker])[] = [
  [
    'resource, resource1, resource2, resourceN, resourceX, resource-id, resource id, stonith id, id of a resource, source resource id, target resource id, other resource, resource1 id, resource2 id',
    resource,
  ],
  ['resource id|group id|bundle id|clone id', resource],
  [
    'resource id | group id | clone id, resource id | group id, clone id | resource id | group id, resource | group, clone | resource, resource id | stonith id',
    resource,
  ],
  ['resource id | tag id, resource | tag', word((draw) => draw.a('resources', 'resources', 'tags'))],
  [
    'resource reference',
    word((draw) => draw.one(draw.a('resources'), `resource%${draw.a('resources')}`, 'regexp%^w.*')),
  ],
  ['fence device', device],
  ['node, destination node, node-name, node name, node1, node or address', node],
  ['node, address or resource, node identifier', word((draw) => draw.a('nodes', 'resources'))],
  ['group id, group-id', word((draw) => draw.one(draw.a('groups'), draw.a('groups'), draw.fresh()))],
  ['clone id, clone-id', word((draw) => draw.one(draw.a('clones'), draw.fresh(), draw.fresh()))],
  ['bundle, bundle id, bundle-id', word((draw) => draw.one(draw.a('bundles'), draw.a('bundles'), draw.fresh()))],
  ['role id', word((draw) => draw.one(draw.a('roles'), draw.a('roles'), draw.fresh()))],
  ['tag, tag id', word((draw) => draw.one(draw.a('tags'), draw.a('tags'), draw.fresh()))],
  ['alert, alert-id', word((draw) => draw.one(draw.a('alerts'), draw.a('alerts'), draw.fresh()))],
  ['recipient id, recipient-id', word((draw) => draw.one(draw.a('recipients'), draw.a('recipients'), draw.fresh()))],
  [
    'user, username, username/group, group, user/group',
    word((draw) => draw.one(draw.a('subjects'), draw.a('groups'), 'paul', 'crew')),
  ],
  ['permission id, permission', word((draw) => draw.one(draw.a('permissions'), 'read xpath /cib'))],
  ['operation id', word((draw) => draw.a('operations'))],
  [
    'constraint, constraint id',
    word((draw) => draw.one(draw.a('constraints'), draw.a('constraints'), draw.a('rules'))),
  ],
  ['set, set id', word((draw) => draw.a('sets'))],
  ['ticket', word((draw) => draw.one(draw.a('tickets'), 'ticketB'))],
  [
    'id, rule id, constraint-id, level id',
    word((draw) => draw.one(draw.fresh(), draw.fresh(), draw.a('constraints', 'resources'))),
  ],
  [
    'agent, standard:provider',
    of('ocf:heartbeat:Dummy', 'ocf:pacemaker:Stateful', 'IPaddr2', 'ocf:heartbeat', 'nosuch'),
  ],
  [
    'stonith agent, stonith device type, fence agent',
    of('fence_ipmilan', 'fence_apc', 'fence_dummy', 'nosuch', 'ocf:heartbeat:Dummy'),
  ],
  ['standard', of('ocf', 'ocf', 'lsb', 'systemd', 'stonith', 'nosuch')],
  ['provider', of('heartbeat', 'heartbeat', 'pacemaker', 'nosuch')],
  ['type', of('Dummy', 'Dummy', 'Dummy', 'Stateful', 'IPaddr2', 'ping', 'apache', 'nosuch')],
  ['resource options, parameter options', options],
  [
    'stonith device options, stonith options',
    pairs(
      'ip=192.0.2.9',
      'username=a',
      'password=b',
      'pcmk_host_list=n1',
      'pcmk_delay_max=5s',
      'pcmk_host_map=n1:1',
      'nosuch=1',
      'ip=',
      'action=off',
      'method=cycle',
    ),
  ],
  [
    'meta options, clone meta options, promotable meta options, clone options, promotable options, meta operations',
    meta,
  ],
  ['meta-option', pairs('timeout=15s', 'timestamp-format=%s', 'enabled=false', 'nosuch=1', 'timeout=')],
  ['operation, operation action, operation name', of('monitor', 'start', 'stop', 'promote', 'notify', 'nosuch')],
  [
    'operation options, operation properties',
    pairs(
      'interval=10s',
      'interval=0',
      'timeout=30',
      'timeout=x',
      'role=Promoted',
      'on-fail=ignore',
      'on-fail=bogus',
      'enabled=false',
      'interval-origin=2026-01-01',
      'OCF_CHECK_LEVEL=10',
      'id=my-op',
      'nosuch=1',
      'record-pending=true',
    ),
  ],
  ['set options', set],
  ['expression', rule],
  ['container type', of('docker', 'podman', 'podman', 'rkt', 'nosuch')],
  [
    'container options',
    pairs(
      'image=img:1',
      'replicas=2',
      'replicas=0',
      'promoted-max=1',
      'network=host',
      'run-command=/bin/x',
      'nosuch=1',
      'masters=1',
      'replicas-per-host=2',
    ),
  ],
  [
    'network options',
    pairs(
      'ip-range-start=192.0.2.100',
      'control-port=3121',
      'control-port=x',
      'host-netmask=24',
      'host-interface=eth0',
      'add-host=false',
      'nosuch=1',
    ),
  ],
  ['port options', pairs('port=80', 'internal-port=8080', 'range=80-90', 'id=my-port', 'port=x', 'nosuch=1')],
  [
    'storage options',
    pairs('source-dir=/a', 'target-dir=/b', 'source-dir-root=/c', 'options=rw', 'id=my-storage', 'nosuch=1'),
  ],
  [
    'options',
    pairs(
      'kind=Optional',
      'kind=Mandatory',
      'symmetrical=false',
      'require-all=true',
      'id=my-constraint',
      'sequential=false',
      'action=start',
      'role=Promoted',
      'score=100',
      'nosuch=1',
      'loss-policy=stop',
      'role=bogus',
      'influence=false',
    ),
  ],
  [
    'constraint_options',
    pairs(
      'id=my-constraint',
      'kind=Serialize',
      'symmetrical=true',
      'score=INFINITY',
      'score=x',
      'ticket=T1',
      'loss-policy=fence',
      'nosuch=1',
    ),
  ],
  ['action', of('start', 'stop', 'promote', 'demote', 'nosuch')],
  ['role', of('Promoted', 'Unpromoted', 'Started', 'Stopped', 'Master', 'promoted', 'nosuch')],
  ['score, kind | score', of('INFINITY', '-INFINITY', '100', '-50', '0', 'x')],
  ['level', of('1', '2', '9', '10', '0', 'x', '01')],
  [
    'target',
    word((draw) =>
      draw.one(
        draw.a('nodes'),
        draw.a('nodes'),
        `node%${draw.a('nodes')}`,
        'regexp%n[12]',
        'attrib%rack=1',
        'attrib%x',
      ),
    ),
  ],
  [
    'property, name of a property',
    of(
      'no-quorum-policy',
      'stonith-enabled',
      'maintenance-mode',
      'cluster-name',
      'nosuch',
      'cluster-delay',
      'stonith-watchdog-timeout',
      'batch-limit',
    ),
  ],
  ['option', of('always', 'never', 'exclusive', 'nosuch', 'reason', 'fake')],
  [
    'name, parameter, attribute, node attribute',
    of('cpu', 'rack', 'fake', 'target-role', 'timeout', 'resource-stickiness', 'a b', 'nosuch', 'migration-threshold'),
  ],
  ['value, text, what', of('1', '10s', 'true', 'x', '', 'two words', '-1', 'Stopped', 'freeze', '0')],
  ['description', of('some words', '', 'one')],
  ['n, seconds, timeout, number', of('1', '0', 'x', '2min')],
  ['interval', of('10s', '10', '0', 'x')],
  ['duration, lifetime', of('PT1H', 'P1D', 'nonsense', '5m')],
  ['path', of('/usr/bin/mail.sh', '/nosuch/x.sh', 'x')],
  ['recipient-value, recipient', of('root@example.org', 'x', '')],
  ['query, xpath', of('/cib', '//nvpair', '//primitive[@id="web"]', '[')],
  ['state', of('started', 'stopped', 'managed', 'promoted', 'nosuch')],
  ['filter', of('Dummy', 'ocf:pacemaker', 'nosuch')],
  ['node address, address', of('192.0.2.91', 'nosuchhost.invalid')],
  ['scope, section', of('resources', 'constraints', 'configuration', 'nosuch', 'crm_config')],
  ['kind', of('Optional', 'Mandatory', 'Serialize', 'optional', 'nosuch')],
  ['port', of('3121', 'x', '0')],
  ['program', of('/usr/bin/mail.sh')],
  ['image', of('img:1')],
  ['device-path', of('/dev/disk/by-id/a', '/dev/sda')],
  ['version', of('3.9', 'x')],
  ['filename', of('/nosuch/cib.xml')],
]

const known = new Map(
  makers.flatMap(([names, make]) => names.split(/, (?!address or)/).map((name) => [name, make] as const)),
)

export const makerOf = (name: string): Maker | undefined => known.get(name.trim())

/** What stands in `[]` in pcs's usage and for something, although it has no `<>`. */
const bare: ReadonlySet<string> = new Set([
  'destination node',
  'resource options',
  'operation properties',
  'stonith device options',
  'stonith options',
  'resource id',
  'filter',
  'resourceN',
  'resource1',
  'resource2',
  'constraint_options',
  'options',
  'action',
  'node',
])

export const isBareSlot = (words: string): boolean => bare.has(words)
