/** Which fields of a cluster file are which attributes of the CIB. Reading and writing share these tables. */

const same = (...names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, name]))

export const operationFields = same(
  'name',
  'interval',
  'timeout',
  'role',
  'on-fail',
  'enabled',
  'start-delay',
  'interval-origin',
  'record-pending',
  'requires',
  'description',
)

export const containerFields = same(
  'image',
  'replicas',
  'replicas-per-host',
  'promoted-max',
  'masters',
  'network',
  'run-command',
  'options',
)

export const networkFields = same('id', 'add-host', 'ip-range-start', 'control-port', 'host-interface', 'host-netmask')
export const portFields = same('port', 'internal-port', 'range')
export const storageFields = same('source-dir', 'source-dir-root', 'target-dir', 'options')
export const setFields = same('action', 'role', 'sequential', 'require-all', 'ordering', 'score', 'kind')

export interface ConstraintKind {
  readonly element: string
  /** Each of them says that it is of this kind. */
  readonly marks: readonly string[]
  /** The field that names a resource, or a list of sets. */
  readonly subject: string
  /** The attribute of that resource. */
  readonly attribute: string
  readonly fields: Readonly<Record<string, string>>
}

/** In this order: a colocation has a `role` and a ticket a `resource`, which mark nothing. */
export const constraintKinds: readonly ConstraintKind[] = [
  {
    element: 'rsc_location',
    marks: ['location', 'location-pattern'],
    subject: 'location',
    attribute: 'rsc',
    fields: {
      'location-pattern': 'rsc-pattern',
      ...same('role', 'node', 'score', 'resource-discovery', 'description'),
    },
  },
  {
    element: 'rsc_colocation',
    marks: ['colocation'],
    subject: 'colocation',
    attribute: 'rsc',
    fields: {
      with: 'with-rsc',
      role: 'rsc-role',
      'with-role': 'with-rsc-role',
      ...same('score', 'node-attribute', 'influence', 'description'),
    },
  },
  {
    element: 'rsc_order',
    marks: ['order'],
    subject: 'order',
    attribute: 'first',
    fields: same('then', 'first-action', 'then-action', 'kind', 'score', 'symmetrical', 'require-all', 'description'),
  },
  {
    element: 'rsc_ticket',
    marks: ['ticket'],
    subject: 'resource',
    attribute: 'rsc',
    fields: { role: 'rsc-role', ...same('ticket', 'loss-policy', 'description') },
  },
]

/** Of what a constraint is, by the field that only its kind has. */
export const kindOfConstraint = (fields: Readonly<Record<string, unknown>>): ConstraintKind | undefined =>
  constraintKinds.find(({ marks }) => marks.some((mark) => fields[mark] !== undefined))
