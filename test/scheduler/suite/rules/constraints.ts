/** Where resources run and in which order: location, rules, colocation, orders, sets, tickets, tags and templates. */
import {
  avoids,
  clone,
  colocatedSets,
  combine,
  dummy,
  expression,
  group,
  having,
  idle,
  meta,
  order,
  orderedSets,
  prefers,
  promotable,
  type RuleCase,
  ran,
  resourceSet,
  ruled,
  stateful,
  stuck,
  together,
  type Values,
} from '../words.ts'

const two = { n1: idle, n2: idle }
const three = { n1: idle, n2: idle, n3: idle }

const location: RuleCase[] = [
  ...['1', '100', 'INFINITY', '-1', '-100', '-INFINITY', '1000000', '-2000000', '0'].map((score) => ({
    name: `a score of ${score} for the second node`,
    cib: { resources: dummy('web'), constraints: prefers('web', 'n2', score), nodes: two },
  })),
  ...[...combine(['0', '50', '100', '150', 'INFINITY'], ['100', 'INFINITY'])].map(([stickiness, score]) => ({
    name: `resource-stickiness=${stickiness} against ${score} elsewhere`,
    cib: {
      resources: dummy('web', meta('web', { 'resource-stickiness': stickiness })),
      constraints: prefers('web', 'n2', score),
      nodes: { n1: ran('web start'), n2: idle },
    },
  })),
  ...['always', 'never', 'exclusive'].map((discovery) => ({
    name: `resource-discovery=${discovery}`,
    cib: {
      resources: dummy('web'),
      constraints: prefers('web', 'n2', '100', { 'resource-discovery': discovery }),
      nodes: three,
    },
  })),
  {
    name: 'an asymmetric cluster runs what has leave',
    cib: {
      resources: dummy('web') + dummy('db'),
      constraints: prefers('db', 'n2', '1'),
      options: { 'symmetric-cluster': 'false' },
      nodes: two,
    },
  },
  {
    name: 'resources without wishes are spread',
    cib: { resources: ['a', 'b', 'c', 'd'].map((id) => dummy(id)).join(''), nodes: two },
  },
  {
    name: 'the higher priority chooses first',
    cib: {
      resources: dummy('a', meta('a', { priority: '1' })) + dummy('b', meta('b', { priority: '5' })),
      nodes: three,
    },
  },
  {
    name: 'a pattern of names bans all that match',
    cib: {
      resources: dummy('web1') + dummy('web2') + dummy('db'),
      constraints: '<rsc_location id="l" rsc-pattern="^web" node="n1" score="-INFINITY"/>',
      nodes: two,
    },
  },
  {
    name: 'a ban of the role moves the role alone',
    cib: {
      resources: promotable('c', stateful('web')),
      constraints: prefers('c', 'n1', '-INFINITY', { role: 'Promoted' }),
      nodes: {
        n1: having({ 'master-web': '10' }, 'web start', 'web promote'),
        n2: having({ 'master-web': '5' }, 'web start'),
      },
    },
  },
  {
    name: 'a set of resources shares a location',
    cib: {
      resources: dummy('a') + dummy('b'),
      constraints: `<rsc_location id="l" node="n2" score="100">${resourceSet('s', ['a', 'b'])}</rsc_location>`,
      nodes: two,
    },
  },
]

const comparisons: readonly (readonly [string, Values])[] = [
  ['defined', { operation: 'defined' }],
  ['not_defined', { operation: 'not_defined' }],
  ...['eq', 'ne', 'lt', 'lte', 'gt', 'gte'].flatMap((operation) => [
    [`${operation} 10 as a number`, { operation, value: '10', type: 'number' }] as const,
    [`${operation} 10 as text`, { operation, value: '10', type: 'string' }] as const,
    [`${operation} 1.10 as a version`, { operation, value: '1.10', type: 'version' }] as const,
  ]),
]
const rules: RuleCase[] = [
  ...comparisons.map(([words, values]) => ({
    name: `a rule: load ${words}`,
    cib: {
      resources: dummy('web'),
      constraints: ruled('web', '100', expression({ attribute: 'load', ...values })),
      nodes: {
        n1: idle,
        n2: having({ load: values.type === 'version' ? '1.9' : '9' }),
        n3: having({ load: values.type === 'version' ? '1.10' : '10' }),
        n4: having({ load: values.type === 'version' ? '1.11' : '100' }),
      },
    },
  })),
  ...['and', 'or'].map((operator) => ({
    name: `two expressions with ${operator}`,
    cib: {
      resources: dummy('web'),
      constraints: ruled(
        'web',
        '100',
        expression({ attribute: 'a', operation: 'defined' }) + expression({ attribute: 'b', operation: 'defined' }),
        { 'boolean-op': operator },
      ),
      nodes: { n1: idle, n2: having({ a: '1' }), n3: having({ a: '1', b: '1' }) },
    },
  })),
  {
    name: 'score-attribute takes the score of the node',
    cib: {
      resources: dummy('web'),
      constraints: `<rsc_location id="l" rsc="web"><rule id="r" score-attribute="speed">${expression({ attribute: 'speed', operation: 'defined' })}</rule></rsc_location>`,
      nodes: { n1: having({ speed: '10' }), n2: having({ speed: '200' }), n3: idle },
    },
  },
  ...['#uname', '#id', '#kind'].map((attribute) => ({
    name: `a rule about ${attribute}`,
    cib: {
      resources: dummy('web'),
      constraints: ruled(
        'web',
        '100',
        expression({ attribute, operation: 'eq', value: attribute === '#kind' ? 'cluster' : 'n2' }),
      ),
      nodes: two,
    },
  })),
  ...(['gt', 'lt'] as const).map((operation) => ({
    name: `a date that is ${operation} 2020`,
    cib: {
      resources: dummy('web'),
      constraints: ruled(
        'web',
        '-INFINITY',
        `<date_expression id="d" operation="${operation}" ${operation === 'gt' ? 'start' : 'end'}="2020-01-01"/>`,
      ),
      nodes: two,
    },
  })),
  ...[
    ['2020-01-01', '2030-01-01'],
    ['2030-01-01', '2031-01-01'],
    ['2010-01-01', '2011-01-01'],
  ].map(([start, end]) => ({
    name: `a date from ${start} to ${end}`,
    cib: {
      resources: dummy('web'),
      constraints: ruled(
        'web',
        '-INFINITY',
        `<date_expression id="d" operation="in_range" start="${start}" end="${end}"/>`,
      ),
      nodes: two,
    },
  })),
  ...[
    { hours: '0-23' },
    { hours: '0-21' },
    { weekdays: '2' },
    { weekdays: '3' },
    { months: '11', monthdays: '14' },
    { years: '2023' },
    { weeks: '46' },
  ].map((spec) => ({
    name: `a date whose ${Object.entries(spec)
      .map((pair) => pair.join(' are '))
      .join(' and ')}`,
    cib: {
      resources: dummy('web'),
      constraints: ruled(
        'web',
        '-INFINITY',
        `<date_expression id="d" operation="date_spec"><date_spec id="s" ${Object.entries(spec)
          .map(([key, value]) => `${key}="${value}"`)
          .join(' ')}/></date_expression>`,
      ),
      nodes: two,
    },
  })),
]

const scores = ['INFINITY', '100', '-100', '-INFINITY'] as const
const colocation: RuleCase[] = [
  ...[...combine(scores, ['both stopped', 'primary elsewhere', 'primary cannot run'] as const)].map(([score, now]) => ({
    name: `colocation ${score}, ${now}`,
    cib: {
      resources:
        dummy('app') + dummy('db', now === 'primary cannot run' ? meta('db', { 'target-role': 'Stopped' }) : ''),
      constraints: together('app', 'db', score),
      nodes: now === 'primary elsewhere' ? { n1: ran('app start'), n2: ran('db start') } : two,
    },
  })),
  ...scores.map((score) => ({
    name: `colocation ${score} against the primary's location`,
    cib: {
      resources: dummy('app') + dummy('db'),
      constraints: together('app', 'db', score) + prefers('app', 'n1', '1000') + prefers('db', 'n2', '50'),
      nodes: two,
    },
  })),
  ...['true', 'false'].map((influence) => ({
    name: `influence=${influence}: a dependant over its threshold`,
    cib: {
      resources: dummy('db') + dummy('web', meta('web', { 'migration-threshold': '1' })),
      constraints: together('web', 'db', 'INFINITY', { influence }),
      nodes: {
        n1: having({ 'fail-count-web#monitor_10000': '1' }, 'db start', 'web start', 'web monitor 10000 rc=7'),
        n2: idle,
      },
    },
  })),
  ...[
    ...combine(
      ['INFINITY', '-INFINITY'],
      [
        'group with a primitive',
        'primitive with a group',
        'clone with a primitive',
        'primitive with a clone',
        'clone with a clone',
      ],
    ),
  ].map(([score, what]) => ({
    name: `colocation ${score}: ${what}`,
    cib: {
      resources:
        what.startsWith('group') || what.endsWith('group')
          ? group('g', [dummy('a'), dummy('b')]) + dummy('p')
          : what === 'clone with a clone'
            ? clone('c', dummy('a'), { 'clone-max': '2' }) + clone('p', dummy('b'), { 'clone-max': '1' })
            : clone('c', dummy('a'), { 'clone-max': '1' }) + dummy('p'),
      constraints: what.startsWith('primitive')
        ? together('p', what.endsWith('group') ? 'g' : 'c', score)
        : together(what.startsWith('group') ? 'g' : 'c', 'p', score),
      nodes: three,
    },
  })),
  ...(['Promoted', 'Unpromoted'] as const).map((role) => ({
    name: `with the ${role} instance`,
    cib: {
      resources: promotable('db-clone', stateful('db')) + dummy('vip'),
      constraints: together('vip', 'db-clone', 'INFINITY', { 'with-rsc-role': role }),
      nodes: {
        n1: having({ 'master-db': '10' }, 'db start', 'db promote'),
        n2: having({ 'master-db': '5' }, 'db start'),
      },
    },
  })),
  ...['INFINITY', '-INFINITY', '20'].map((score) => ({
    name: `the promoted role with another resource, ${score}`,
    cib: {
      resources: promotable('db-clone', stateful('db')) + dummy('vip'),
      constraints: together('db-clone', 'vip', score, { 'rsc-role': 'Promoted' }),
      nodes: {
        n1: having({ 'master-db': '10' }, 'db start'),
        n2: having({ 'master-db': '5' }, 'db start', 'vip start'),
      },
    },
  })),
  {
    name: 'a chain of three ends where the last can run',
    cib: {
      resources: dummy('a') + dummy('b') + dummy('c'),
      constraints: together('a', 'b') + together('b', 'c') + avoids('a', 'n1') + avoids('a', 'n2'),
      nodes: three,
    },
  },
  {
    name: 'node-attribute keeps two at one site',
    cib: {
      resources: dummy('a') + dummy('b'),
      constraints:
        together('a', 'b', 'INFINITY', { 'node-attribute': 'site' }) + prefers('b', 'n2', '100') + avoids('a', 'n2'),
      nodes: { n1: having({ site: 'x' }), n2: having({ site: 'y' }), n3: having({ site: 'y' }) },
    },
  },
  ...['true', 'false'].map((sequential) => ({
    name: `a colocation set with sequential=${sequential}`,
    cib: {
      resources: dummy('a') + dummy('b', meta('b', { 'target-role': 'Stopped' })) + dummy('c'),
      constraints: colocatedSets(resourceSet('s', ['a', 'b', 'c'], { sequential })),
      nodes: two,
    },
  })),
  {
    name: 'two colocation sets',
    cib: {
      resources: ['a', 'b', 'c', 'd'].map((id) => dummy(id)).join(''),
      constraints:
        colocatedSets(
          resourceSet('s1', ['a', 'b'], { sequential: 'false' }),
          resourceSet('s2', ['c', 'd'], { sequential: 'false' }),
        ) + prefers('c', 'n2', '10'),
      nodes: two,
    },
  },
]

const disabled = (id: string): string => dummy(id, meta(id, { 'target-role': 'Stopped' }))
const situations = {
  'both stopped': { resources: dummy('db') + dummy('app'), nodes: two },
  'the first disabled while both run': {
    resources: disabled('db') + dummy('app'),
    nodes: { n1: ran('db start', 'app start'), n2: idle },
  },
  'the first cannot start': { resources: disabled('db') + dummy('app'), nodes: two },
  'the second disabled': {
    resources: dummy('db') + disabled('app'),
    nodes: { n1: ran('db start', 'app start'), n2: idle },
  },
  'the first moves': {
    resources: dummy('db') + dummy('app'),
    constraints: avoids('db', 'n1'),
    nodes: { n1: ran('db start', 'app start'), n2: idle },
  },
  'only the second runs': { resources: dummy('db') + dummy('app'), nodes: { n1: ran('app start'), n2: idle } },
} as const
const kinds: readonly Values[] = [
  { kind: 'Mandatory' },
  { kind: 'Optional' },
  { kind: 'Serialize' },
  { kind: 'Mandatory', symmetrical: 'false' },
  { kind: 'Optional', symmetrical: 'false' },
]
const actions = [
  ['start', 'start'],
  ['start', 'stop'],
  ['stop', 'start'],
  ['stop', 'stop'],
  ['promote', 'start'],
  ['demote', 'stop'],
  ['start', 'promote'],
  ['promote', 'promote'],
] as const
const orders: RuleCase[] = [
  ...[...combine(kinds, Object.entries(situations))].map(([kind, [situation, cib]]) => ({
    name: `${Object.entries(kind)
      .map((pair) => pair.join('='))
      .join(' ')}: ${situation}`,
    cib: { ...cib, constraints: order('db', 'app', kind) + ('constraints' in cib ? cib.constraints : '') },
  })),
  ...[...combine(actions, ['coming up', 'going down'] as const)].map(([[first, then], way]) => ({
    name: `${first} then ${then}, ${way}`,
    ...(first === 'start' && then === 'stop' && way === 'going down' ? { differs: stuck } : {}),
    cib: {
      resources:
        promotable('db-clone', stateful('db'), way === 'going down' ? { 'target-role': 'Stopped' } : {}) +
        promotable('app-clone', stateful('app'), {}),
      constraints: order('db-clone', 'app-clone', { 'first-action': first, 'then-action': then }),
      nodes:
        way === 'coming up'
          ? {
              n1: having({ 'master-db': '10', 'master-app': '10' }),
              n2: having({ 'master-db': '5', 'master-app': '5' }),
            }
          : {
              n1: having(
                { 'master-db': '10', 'master-app': '10' },
                'db start',
                'db promote',
                'app start',
                'app promote',
              ),
              n2: having({ 'master-db': '5', 'master-app': '5' }, 'db start', 'app start'),
            },
    },
  })),
  ...[...combine(['true', 'false'], ['true', 'false'])].map(([sequential, all]) => ({
    name: `order sets, sequential=${sequential} require-all=${all}`,
    cib: {
      resources: dummy('a') + disabled('b') + dummy('c'),
      constraints: orderedSets(
        resourceSet('s1', ['a', 'b'], { sequential, 'require-all': all }),
        resourceSet('s2', ['c']),
      ),
      nodes: two,
    },
  })),
  ...[...combine(['true', 'false'], ['starting', 'one restarts'] as const)].map(([interleave, now]) => ({
    name: `clones after clones, interleave=${interleave}, ${now}`,
    cib: {
      resources: clone('c1', dummy('a'), { interleave }) + clone('c2', dummy('b'), { interleave }),
      constraints: order('c1', 'c2') + together('c2', 'c1'),
      nodes:
        now === 'starting'
          ? two
          : { n1: having({ standby: 'true' }, 'a start', 'b start'), n2: ran('a start', 'b start') },
    },
  })),
  {
    name: 'a circle of orders',
    differs: stuck,
    cib: { resources: dummy('a') + dummy('b'), constraints: order('a', 'b') + order('b', 'a'), nodes: two },
  },
  {
    name: 'a group waits as a whole',
    cib: { resources: group('g', [dummy('a'), dummy('b')]) + dummy('c'), constraints: order('c', 'g'), nodes: two },
  },
]

const tickets: RuleCase[] = [
  ...combine(['stop', 'freeze', 'fence', 'demote'], ['granted', 'revoked', 'standby'] as const),
].map(([policy, now]) => ({
  name: `loss-policy=${policy}, ${now}`,
  ...(policy === 'freeze' && now === 'revoked' ? { differs: stuck } : {}),
  cib: {
    resources: promotable('db-clone', stateful('db')) + dummy('web'),
    constraints:
      `<rsc_ticket id="t1" rsc="web" ticket="T" loss-policy="${policy}"/>` +
      `<rsc_ticket id="t2" rsc="db-clone" rsc-role="Promoted" ticket="T" loss-policy="${policy}"/>`,
    tickets: `<ticket_state id="T" granted="${now === 'revoked' ? 'false' : 'true'}" ${now === 'standby' ? 'standby="true"' : ''}/>`,
    nodes: {
      n1: having({ 'master-db': '10' }, 'web start', 'db start', 'db promote'),
      n2: having({ 'master-db': '5' }, 'db start'),
    },
  },
}))

const names: RuleCase[] = [
  {
    name: 'a tag in a location names all its members',
    cib: {
      resources: dummy('a') + dummy('b') + dummy('c'),
      tags: '<tag id="both"><obj_ref id="a"/><obj_ref id="b"/></tag>',
      constraints: avoids('both', 'n1'),
      nodes: two,
    },
  },
  {
    name: 'a tag in an order is a set',
    cib: {
      resources: dummy('a') + dummy('b') + dummy('c'),
      tags: '<tag id="both"><obj_ref id="a"/><obj_ref id="b"/></tag>',
      constraints: order('c', 'both'),
      nodes: two,
    },
  },
  {
    name: 'a template gives its class, operations and meta attributes',
    cib: {
      resources:
        `<template id="t" class="ocf" provider="pacemaker" type="Dummy">${meta('t', { 'target-role': 'Stopped' })}<operations><op id="t-m" name="monitor" interval="10s"/></operations></template>` +
        `<primitive id="a" template="t"/><primitive id="b" template="t">${meta('b', { 'target-role': 'Started' })}</primitive>`,
      nodes: two,
    },
  },
  {
    name: 'a template in a colocation means all made from it',
    cib: {
      resources:
        `<template id="t" class="ocf" provider="pacemaker" type="Dummy"/><primitive id="a" template="t"/><primitive id="b" template="t"/>` +
        dummy('c'),
      constraints: together('t', 'c') + prefers('c', 'n2', '10'),
      nodes: two,
    },
  },
]

export const cases: readonly RuleCase[] = [...location, ...rules, ...colocation, ...orders, ...tickets, ...names]
