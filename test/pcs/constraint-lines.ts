/** Lines of `constraint`. */
import type { Draw, Form } from './draw.ts'

export const constraintLines: readonly Form[] = [
  { weight: 8, line: prefers },
  {
    weight: 4,
    line: (draw) =>
      location(
        draw,
        'add',
        draw.fresh(),
        resource(draw),
        draw.a('nodes'),
        ...draw.maybe(80, score(draw)),
        ...draw.maybe(25, discovery(draw)),
      ),
  },
  { weight: 8, line: (draw) => location(draw, resource(draw), 'rule', ...ruleOptions(draw), ...rule(draw)) },
  { weight: 9, line: (draw) => order(draw) },
  {
    weight: 3,
    line: (draw) => [
      'constraint',
      'order',
      ...sets(draw, 'action=start', 'action=promote'),
      ...draw.maybe(50, 'setoptions', ...orderOption(draw)),
    ],
  },
  { weight: 9, line: (draw) => colocation(draw) },
  {
    weight: 3,
    line: (draw) => [
      'constraint',
      'colocation',
      ...sets(draw, 'role=Promoted', 'role=Started'),
      ...draw.maybe(60, 'setoptions', draw.one('score=INFINITY', 'score=-100', 'id=my-set', 'score=x')),
    ],
  },
  { weight: 3, line: (draw) => ticket(draw) },
  {
    weight: 5,
    line: (draw) => [
      'constraint',
      draw.one('delete', 'remove'),
      draw.one(draw.a('constraints'), draw.a('constraints'), draw.a('rules')),
      ...draw.maybe(15, draw.a('constraints')),
    ],
  },
  { weight: 5, line: (draw) => deleteByNames(draw) },
  { weight: 1, line: (draw) => ['constraint', 'ref', draw.a('resources')] },
]

const location = (_draw: Draw, ...words: readonly string[]): readonly string[] => ['constraint', 'location', ...words]

const resource = (draw: Draw): string =>
  draw.one(...Array.from({ length: 9 }, () => draw.a('resources')), 'regexp%^w.*', `resource%${draw.a('primitives')}`)

const score = (draw: Draw): string => draw.one('INFINITY', '-INFINITY', '100', '-50', '0', 'x', 'infinity')

const discovery = (draw: Draw): string => `resource-discovery=${draw.one('always', 'never', 'exclusive', 'bogus')}`

function prefers(draw: Draw): readonly string[] {
  const nodes = draw.few('nodes').map((node) => (draw.chance(60) ? `${node}=${score(draw)}` : node))
  return ['constraint', 'location', resource(draw), draw.one('prefers', 'prefers', 'avoids'), ...nodes]
}

const ruleOptions = (draw: Draw): readonly string[] => [
  ...draw.maybe(20, `id=${draw.fresh()}`),
  ...draw.maybe(20, 'constraint-id=my-location'),
  ...draw.maybe(15, draw.one('role=Promoted', 'role=master', 'role=bogus')),
  ...draw.maybe(70, draw.one('score=500', 'score=-INFINITY', 'score-attribute=pingd', 'score=x', 'score=INFINITY')),
  ...draw.maybe(15, discovery(draw)),
]

const expression = (draw: Draw): readonly string[] =>
  draw.piece(
    ['#uname', draw.one('eq', 'ne'), draw.a('nodes')],
    ['defined', 'pingd'],
    ['not_defined', 'pingd'],
    ['pingd', draw.one('lt', 'gt', 'lte', 'gte', 'eq'), '100'],
    ['pingd', 'lt', draw.one('integer', 'number', 'version', 'string'), '100'],
    ['osprole', 'eq', 'controller'],
    ['date', draw.one('gt', 'lt', 'eq', 'ne'), '2026-01-01'],
    ['date', 'in_range', '2026-01-01', 'to', '2027-01-01'],
    ['date', 'in_range', '2026-01-01', 'to', 'duration', 'months=3'],
    ['date', 'in_range', 'to', '2027-01-01'],
    ['date-spec', 'hours=9-16', 'weekdays=1-5'],
    ['date', 'gt', 'x'],
    ['date-spec', 'bogus=1'],
    ['pingd', 'bogus', '1'],
    ['#kind', 'eq', 'remote'],
    ['rack', 'eq', 'string', 'a b'],
  )

const rule = (draw: Draw): readonly string[] => [
  ...expression(draw),
  ...draw.maybe(
    45,
    draw.one('and', 'or'),
    ...draw.piece(expression(draw), ['(', ...expression(draw), draw.one('or', 'and'), ...expression(draw), ')']),
  ),
]

const orderOption = (draw: Draw): readonly string[] => [
  draw.one(
    'kind=Optional',
    'kind=Mandatory',
    'kind=Serialize',
    'kind=optional',
    'symmetrical=false',
    'id=my-order',
    'require-all=false',
    'bogus=1',
    'symmetrical=x',
  ),
]

const order = (draw: Draw): readonly string[] => [
  'constraint',
  'order',
  ...draw.maybe(50, draw.one('start', 'start', 'promote', 'stop', 'demote', 'bogus')),
  draw.a('resources'),
  'then',
  ...draw.maybe(40, draw.one('start', 'start', 'promote', 'stop')),
  draw.a('resources'),
  ...draw.maybe(35, ...orderOption(draw)),
  ...draw.maybe(10, ...orderOption(draw)),
  ...draw.maybe(6, '--force'),
]

const sets = (draw: Draw, ...options: readonly string[]): readonly string[] => {
  const set = (): readonly string[] => [
    'set',
    ...draw.few('resources'),
    ...draw.maybe(25, draw.one('sequential=false', 'sequential=true', 'require-all=false', 'bogus=1', ...options)),
  ]
  return [...set(), ...draw.maybe(45, ...set())]
}

const role = (draw: Draw): readonly string[] =>
  draw.maybe(20, draw.one('Promoted', 'promoted', 'Started', 'Unpromoted', 'master', 'Master'))

const colocation = (draw: Draw): readonly string[] => [
  'constraint',
  'colocation',
  'add',
  ...role(draw),
  draw.a('resources'),
  ...draw.maybe(95, 'with'),
  ...role(draw),
  draw.a('resources'),
  ...draw.piece(
    [],
    [],
    ['score=100'],
    ['-INFINITY'],
    ['INFINITY', 'id=my-colocation'],
    ['score=x'],
    ['200'],
    ['id=my-colocation'],
    ['influence=false'],
    ['bogus=1'],
  ),
  ...draw.maybe(6, '--force'),
]

const ticket = (draw: Draw): readonly string[] =>
  draw.piece(
    [
      'constraint',
      'ticket',
      'add',
      'ticketA',
      ...role(draw),
      draw.a('resources'),
      ...draw.maybe(50, `loss-policy=${draw.one('stop', 'fence', 'demote', 'freeze', 'x')}`),
      ...draw.maybe(20, 'id=my-ticket'),
    ],
    [
      'constraint',
      'ticket',
      ...sets(draw, 'role=Promoted'),
      'setoptions',
      'ticket=ticketB',
      ...draw.maybe(30, 'loss-policy=stop'),
    ],
    ['constraint', 'ticket', draw.one('delete', 'remove'), draw.a('tickets'), draw.a('resources')],
  )

const deleteByNames = (draw: Draw): readonly string[] =>
  draw.piece(
    ['constraint', 'order', draw.one('delete', 'remove'), ...draw.few('resources')],
    ['constraint', 'colocation', draw.one('delete', 'remove'), draw.a('resources'), draw.a('resources')],
    ['constraint', 'location', draw.one('delete', 'remove'), draw.a('constraints')],
  )
