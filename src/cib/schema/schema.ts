/**
 * The form of a configuration: which element may stand where, with which attributes (Pacemaker's schema 3.9 and the
 * spellings of older ones). One row for each element; `validate-form.ts` reads the table.
 */
import type { OptionType } from '../options/definition.ts'
import { boolean, duration, integer, mostInstances, oneOf, score, text } from '../options/definition.ts'
import { configurationSections } from '../tree.ts'

export interface ElementForm {
  readonly attributes: Readonly<Record<string, OptionType>>
  readonly required: readonly string[]
  readonly children: readonly string[]
}

const role: OptionType = { kind: 'role' }
const sets = ['instance_attributes', 'meta_attributes']
const resourceKinds = ['primitive', 'group', 'clone', 'master', 'bundle']
const conditions = ['rule', 'expression', 'date_expression', 'rsc_expression', 'op_expression']
const orderAction = oneOf('start', 'stop', 'promote', 'demote')
const orderKind = oneOf('optional', 'mandatory', 'serialize')

function form(
  attributes: Readonly<Record<string, OptionType>>,
  required: readonly string[] = [],
  children: readonly string[] = [],
): ElementForm {
  return { attributes, required, children }
}

const container = form(
  {
    image: text,
    'promoted-max': integer(0),
    masters: integer(0),
    replicas: integer(1, mostInstances),
    'replicas-per-host': integer(1),
    network: text,
    'run-command': text,
    options: text,
  },
  ['image'],
)
const nvset = form({ score }, ['id'], ['rule', 'nvpair'])
const dateParts = {
  years: text,
  months: text,
  weeks: text,
  days: text,
  hours: text,
  minutes: text,
  seconds: text,
  weekdays: text,
  monthdays: text,
  yeardays: text,
  yearsdays: text,
  weekyears: text,
  moon: text,
}
const permission = form({
  kind: oneOf('read', 'write', 'deny'),
  xpath: text,
  reference: text,
  'object-type': text,
  attribute: text,
})

/** Before Pacemaker 1.1.12: `<read>`, `<write>` and `<deny>`. */
const oldPermission = form({ xpath: text, ref: text, tag: text, attribute: text })

/** Every element takes `id`, `id-ref` and `description` besides. */
export const forms: Readonly<Record<string, ElementForm>> = {
  configuration: form({}, [], configurationSections),
  crm_config: form({}, [], ['cluster_property_set']),
  cluster_property_set: nvset,
  rsc_defaults: form({}, [], ['meta_attributes']),
  op_defaults: form({}, [], ['meta_attributes']),
  nodes: form({}, [], ['node']),
  node: form({ uname: text, type: text, score }, ['id', 'uname'], ['instance_attributes', 'utilization']),
  resources: form({}, [], [...resourceKinds, 'template']),
  primitive: form(
    { class: text, provider: text, type: text, template: text },
    ['id'],
    [...sets, 'operations', 'utilization'],
  ),
  template: form(
    { class: text, provider: text, type: text },
    ['id', 'class', 'type'],
    [...sets, 'operations', 'utilization'],
  ),
  group: form({}, ['id'], [...sets, 'primitive']),
  clone: form({}, ['id'], [...sets, 'primitive', 'group']),
  master: form({}, ['id'], [...sets, 'primitive', 'group']),
  bundle: form({}, ['id'], [...sets, 'docker', 'podman', 'rkt', 'network', 'storage', 'primitive']),
  docker: container,
  podman: container,
  rkt: container,
  network: form(
    {
      'add-host': boolean,
      'ip-range-start': text,
      'control-port': integer(0),
      'host-interface': text,
      'host-netmask': text,
    },
    [],
    ['port-mapping'],
  ),
  'port-mapping': form({ port: integer(0), 'internal-port': integer(0), range: text }, ['id']),
  storage: form({}, [], ['storage-mapping']),
  'storage-mapping': form({ 'source-dir': text, 'source-dir-root': text, 'target-dir': text, options: text }, [
    'id',
    'target-dir',
  ]),
  operations: form({}, [], ['op']),
  op: form(
    {
      name: text,
      interval: duration,
      timeout: duration,
      'start-delay': duration,
      'interval-origin': text,
      role,
      'on-fail': oneOf(
        'ignore',
        'block',
        'demote',
        'stop',
        'restart',
        'standby',
        'fence',
        'restart-container',
        'reset-remote',
      ),
      enabled: boolean,
      'record-pending': boolean,
      requires: text,
    },
    ['id', 'name'],
    sets,
  ),
  meta_attributes: nvset,
  instance_attributes: nvset,
  utilization: nvset,
  nvpair: form({ name: text, value: text }, ['id', 'name']),
  rule: form({ 'boolean-op': oneOf('and', 'or'), role, score, 'score-attribute': text }, ['id'], conditions),
  expression: form(
    {
      attribute: text,
      operation: oneOf('lt', 'gt', 'lte', 'gte', 'eq', 'ne', 'defined', 'not_defined'),
      value: text,
      type: oneOf('string', 'number', 'integer', 'version'),
      'value-source': oneOf('literal', 'param', 'meta'),
    },
    ['id', 'attribute', 'operation'],
  ),
  date_expression: form(
    { operation: oneOf('in_range', 'gt', 'lt', 'date_spec'), start: text, end: text },
    ['id'],
    ['duration', 'date_spec'],
  ),
  duration: form(dateParts, ['id']),
  date_spec: form(dateParts, ['id']),
  rsc_expression: form({ class: text, provider: text, type: text }, ['id']),
  op_expression: form({ name: text, interval: duration }, ['id', 'name']),
  constraints: form({}, [], ['rsc_location', 'rsc_colocation', 'rsc_order', 'rsc_ticket']),
  lifetime: form({}, [], ['rule']),
  rsc_location: form(
    {
      rsc: text,
      'rsc-pattern': text,
      role,
      node: text,
      score,
      'resource-discovery': oneOf('always', 'never', 'exclusive'),
    },
    ['id'],
    ['rule', 'resource_set', 'lifetime'],
  ),
  rsc_colocation: form(
    {
      rsc: text,
      'with-rsc': text,
      'rsc-role': role,
      'with-rsc-role': role,
      'rsc-instance': integer(0),
      'with-rsc-instance': integer(0),
      score,
      'node-attribute': text,
      influence: boolean,
    },
    ['id'],
    ['resource_set', 'lifetime'],
  ),
  rsc_order: form(
    {
      first: text,
      // biome-ignore lint/suspicious/noThenProperty: `first` and `then` are the CIB's words, and this is never awaited.
      then: text,
      'first-action': orderAction,
      'then-action': orderAction,
      'first-instance': integer(0),
      'then-instance': integer(0),
      kind: orderKind,
      score,
      symmetrical: boolean,
      'require-all': boolean,
    },
    ['id'],
    ['resource_set', 'lifetime'],
  ),
  rsc_ticket: form(
    { rsc: text, 'rsc-role': role, ticket: text, 'loss-policy': oneOf('stop', 'demote', 'fence', 'freeze') },
    ['id', 'ticket'],
    ['resource_set', 'lifetime'],
  ),
  resource_set: form(
    {
      sequential: boolean,
      'require-all': boolean,
      ordering: oneOf('group', 'listed'),
      action: orderAction,
      role,
      score,
      kind: orderKind,
    },
    ['id'],
    ['resource_ref'],
  ),
  resource_ref: form({}, ['id']),
  tags: form({}, [], ['tag']),
  tag: form({}, ['id'], ['obj_ref']),
  obj_ref: form({}, ['id']),
  'fencing-topology': form({}, [], ['fencing-level']),
  'fencing-level': form(
    {
      target: text,
      'target-pattern': text,
      'target-attribute': text,
      'target-value': text,
      index: integer(1),
      devices: text,
    },
    ['id', 'index', 'devices'],
  ),
  acls: form({}, [], ['acl_role', 'acl_target', 'acl_group', 'acl_user']),
  acl_role: form({}, ['id'], ['acl_permission', 'read', 'write', 'deny']),
  acl_target: form({ name: text }, ['id'], ['role']),
  acl_group: form({ name: text }, ['id'], ['role']),
  acl_user: form({}, ['id'], ['role_ref', 'read', 'write', 'deny']),
  acl_permission: permission,
  read: oldPermission,
  write: oldPermission,
  deny: oldPermission,
  role: form({}, ['id']),
  role_ref: form({}, ['id']),
  alerts: form({}, [], ['alert']),
  alert: form({ path: text }, ['id', 'path'], [...sets, 'recipient', 'select']),
  recipient: form({ value: text }, ['id', 'value'], sets),
  select: form({}, [], ['select_nodes', 'select_fencing', 'select_resources', 'select_attributes']),
  select_nodes: form({}),
  select_fencing: form({}),
  select_resources: form({}),
  select_attributes: form({}, [], ['attribute']),
  attribute: form({ name: text }, ['id', 'name']),
}

const notInPattern = 'a pattern of calendar fields has none of this name.'
const notInLength = 'a length of time has none of this name.'

/** Attributes that are taken, as Pacemaker's schema has them, and obeyed by nothing: why. */
export const attributesWithoutEffect: Readonly<Record<string, string>> = {
  'rsc_order first-instance': 'an order is for all instances of a clone.',
  'rsc_order then-instance': 'an order is for all instances of a clone.',
  'op interval-origin': 'repetitions are counted from the first one.',
  'date_spec days': notInPattern,
  'date_spec moon': notInPattern,
  'date_spec yearsdays': `${notInPattern} Write yeardays.`,
  'duration weekdays': notInLength,
  'duration monthdays': notInLength,
  'duration yeardays': notInLength,
  'duration yearsdays': notInLength,
  'duration weekyears': notInLength,
  'duration moon': notInLength,
}

/** Attributes whose bad value Pacemaker passes over with its default: a warning, as the CIB still works. */
export const forgivenAttributes: ReadonlySet<string> = new Set([
  'rsc_order kind',
  'resource_set kind',
  'rsc_colocation influence',
  'op timeout',
  'op start-delay',
])
