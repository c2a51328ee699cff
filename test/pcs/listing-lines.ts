/** Lines that print the configuration: what scripts read. */
import type { Draw, Form } from './draw.ts'

export const listingLines: readonly Form[] = [
  {
    weight: 6,
    line: (draw) => [
      'resource',
      'config',
      ...draw.maybe(60, ...draw.few('primitives', 'groups', 'clones', 'bundles')),
      ...format(draw),
    ],
  },
  { weight: 3, line: (draw) => ['stonith', 'config', ...draw.maybe(60, ...draw.few('devices')), ...format(draw)] },
  { weight: 3, line: (draw) => ['constraint', 'config', ...full(draw), ...format(draw)] },
  {
    weight: 3,
    line: (draw) => [
      'constraint',
      draw.one('location', 'order', 'colocation', 'ticket'),
      'config',
      ...full(draw),
      ...format(draw),
    ],
  },
  {
    weight: 2,
    line: (draw) => [
      'constraint',
      'location',
      'config',
      draw.one('resources', 'nodes'),
      ...draw.maybe(60, draw.a('resources', 'nodes')),
      ...full(draw),
    ],
  },
  {
    weight: 2,
    line: (draw) => [
      'constraint',
      ...draw.maybe(60, draw.one('location', 'order', 'colocation', 'ticket')),
      ...full(draw),
    ],
  },
  {
    weight: 3,
    line: (draw) => [
      'property',
      'config',
      ...draw.maybe(30, draw.one(draw.a('properties'), 'maintenance-mode', 'nosuch')),
      ...format(draw),
    ],
  },
  {
    weight: 3,
    line: (draw) => ['resource', ...draw.maybe(40, 'op'), 'defaults', 'config', ...full(draw), ...format(draw)],
  },
  { weight: 2, line: (draw) => ['tag', 'config', ...draw.maybe(40, ...draw.few('tags')), ...format(draw)] },
  { weight: 2, line: () => ['alert', 'config'] },
  { weight: 2, line: () => ['acl', 'config'] },
  {
    weight: 3,
    line: (draw) => [
      'node',
      draw.one('attribute', 'utilization'),
      ...draw.maybe(40, draw.a('nodes')),
      ...draw.maybe(15, '--name', 'rack'),
    ],
  },
  { weight: 2, line: (draw) => ['stonith', 'level', 'config', ...format(draw)] },
  { weight: 1, line: () => ['stonith', 'level'] },
  { weight: 2, line: () => ['resource', 'group', 'list'] },
  { weight: 2, line: (draw) => ['resource', 'utilization', ...draw.maybe(50, draw.a('primitives'))] },
  { weight: 2, line: (draw) => ['resource', 'relations', draw.a('resources'), ...full(draw)] },
  {
    weight: 2,
    line: (draw) => [
      'resource',
      ...draw.maybe(70, 'status', ...draw.maybe(60, ...draw.few('resources'))),
      ...draw.maybe(20, '--hide-inactive'),
    ],
  },
  { weight: 1, line: () => ['stonith', 'status'] },
  { weight: 3, line: olderListing },
  { weight: 3, line: help },
  { weight: 1, line: (draw) => ['cluster', 'cib', ...draw.maybe(40, 'scope=configuration')] },
]

/** Listings under the names that they had, or have beside their present one. */
function olderListing(draw: Draw): readonly string[] {
  const area = draw.one('resource', 'stonith', 'constraint', 'property', 'tag', 'alert', 'acl', 'node')
  return [
    area,
    ...draw.maybe(
      40,
      draw.one('location', 'order', 'colocation', 'ticket', 'op', 'level', 'role', 'recipient', 'group'),
    ),
    draw.one('show', 'list', 'config', 'status', 'defaults'),
    ...draw.maybe(30, draw.a('resources', 'nodes', 'tags', 'alerts', 'roles')),
    ...full(draw),
  ]
}

/** What is asked for help; what is printed then is our own text, so that exit code and stream alone are compared. */
function help(draw: Draw): readonly string[] {
  const area = draw.one(
    'resource',
    'stonith',
    'constraint',
    'property',
    'tag',
    'alert',
    'acl',
    'node',
    'cluster',
    'status',
  )
  const sub = draw.one('create', 'config', 'add', 'delete', 'nosuch', 'level', 'op', 'role', 'status')
  return draw.piece([area, 'help', sub], [area, sub, '--help'], [area, sub, 'help'], [area, 'nosuch', '--help'])
}

const format = (draw: Draw): readonly string[] =>
  draw.maybe(60, '--output-format', draw.one('json', 'cmd', 'text', 'json', 'cmd', 'x'))

const full = (draw: Draw): readonly string[] => draw.maybe(40, '--full')
