/**
 * `--output-format cmd` as pcs prints it: a command of several lines for each element, with a semicolon between them. Programs that read it
 * know this layout; our own form, which rebuilds every id, is that of `systole`.
 */
import { shellWord } from '../call/shell-words.ts'
import type { ConstraintsForm, LocationForm, ResourceSetForm, SetForm } from './constraints.ts'
import type { NvsetForm } from './nvset.ts'
import type { BundleForm, OperationForm, PrimitiveForm, ResourcesForm } from './resources.ts'

/** The lines of one command: what follows the first is deeper by two blanks or by as many as it has itself. */
type Lines = readonly string[]

export const commandsText = (commands: readonly Lines[]): string =>
  commands.length === 0 ? '' : `${commands.map((lines) => lines.join(' \\\n')).join(';\n')}\n`

const words = (...all: readonly (string | null | undefined)[]): string =>
  all.flatMap((word) => (word === null || word === undefined ? [] : [shellWord(word)])).join(' ')

type Value = string | number | boolean | null

/** `name=value` of what is set; truths are 1 and 0. */
const options = (values: Readonly<Record<string, Value>>): string =>
  words(
    ...Object.entries(values).map(([name, value]) =>
      value === null ? null : `${name}=${typeof value === 'boolean' ? Number(value) : value}`,
    ),
  )

const pairs = (sets: readonly NvsetForm[]): string =>
  words(...(sets[0]?.nvpairs ?? []).map(({ name, value }) => `${name}=${value}`))

/** A line with its indentation, where it says anything. */
const line = (text: string, indent = '  ', before = ''): Lines => (text === '' ? [] : [`${indent}${before}${text}`])

export function resourceCommands({ bundles, primitives, groups, clones }: ResourcesForm): readonly Lines[] {
  const inside = new Set(bundles.flatMap(({ member_id }) => member_id ?? []))
  const withCapacities = (primitive: PrimitiveForm, bundle?: string): readonly Lines[] => [
    primitiveLines(primitive, bundle),
    ...utilizationLines(primitive),
  ]
  return [
    ...bundles.flatMap((bundle) => [
      bundleLines(bundle),
      ...primitives
        .filter(({ id }) => id === bundle.member_id)
        .flatMap((primitive) => withCapacities(primitive, bundle.id)),
    ]),
    ...primitives.filter(({ id }) => !inside.has(id)).flatMap((primitive) => withCapacities(primitive)),
    ...groups.flatMap(({ id, member_ids, meta_attributes }) => [
      [`pcs resource group add ${words(id)}`, `  ${words(...member_ids)}`],
      ...(pairs(meta_attributes) === '' ? [] : [[`pcs resource meta ${words(id)}`, `  ${pairs(meta_attributes)}`]]),
    ]),
    ...clones.map(({ id, member_id, meta_attributes }) => [
      `pcs resource clone ${words(member_id, id)}`,
      ...line(pairs(meta_attributes), '  ', 'meta '),
    ]),
  ]
}

function primitiveLines(primitive: PrimitiveForm, bundle: string | undefined): Lines {
  const { standard, provider, type } = primitive.agent_name
  const isFencing = standard === 'stonith'
  const agent = isFencing ? type : [standard, ...(provider === null ? [] : [provider]), type].join(':')
  return [
    `pcs ${isFencing ? 'stonith' : 'resource'} create --no-default-ops --force -- ${words(primitive.id, agent)}`,
    ...line(pairs(primitive.instance_attributes)),
    ...(primitive.operations.length === 0 ? [] : ['  op', ...primitive.operations.map(operationLine)]),
    ...line(pairs(primitive.meta_attributes), '  ', 'meta '),
    ...(bundle === undefined ? [] : [`  bundle ${words(bundle)}`]),
  ]
}

function operationLine(operation: OperationForm): string {
  const said = {
    interval: operation.interval,
    id: operation.id,
    'start-delay': operation.start_delay,
    'interval-origin': operation.interval_origin,
    timeout: operation.timeout,
    enabled: operation.enabled,
    'record-pending': operation.record_pending,
    role: operation.role,
    'on-fail': operation.on_fail,
  }
  return `    ${[words(operation.name), options(said), pairs(operation.instance_attributes)].filter(Boolean).join(' ')}`
}

const utilizationLines = ({ id, utilization }: PrimitiveForm): readonly Lines[] =>
  pairs(utilization) === '' ? [] : [[`pcs resource utilization ${words(id)}`, `  ${pairs(utilization)}`]]

function bundleLines(bundle: BundleForm): Lines {
  const mapping = (keyword: string, { id: _, ...values }: Readonly<Record<string, Value>>): Lines =>
    line(options(named(values)), '  ', `${keyword} `)
  const container = options(named(bundle.container_options ?? {}))
  return [
    `pcs resource bundle create ${words(bundle.id)}`,
    ...(bundle.container_type === null ? [] : [`  container ${words(bundle.container_type)}`]),
    ...line(container, '    '),
    ...line(options(named(bundle.network ?? {})), '  ', 'network '),
    ...bundle.port_mappings.flatMap((one) => mapping('port-map', one)),
    ...bundle.storage_mappings.flatMap((one) => mapping('storage-map', one)),
    ...line(pairs(bundle.meta_attributes), '  ', 'meta '),
  ]
}

/** As the options are typed. */
const named = (values: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name.replaceAll('_', '-'), value]))

export function constraintCommands(form: ConstraintsForm): readonly Lines[] {
  return [
    ...form.location.flatMap(locationLines),
    ...form.colocation.map((one) => [
      `pcs -- constraint colocation add ${words(one.resource_role, one.resource_id, 'with', one.with_resource_role, one.with_resource_id)}`,
      ...line(
        options({
          id: one.attributes.constraint_id,
          score: one.attributes.score,
          influence: one.attributes.influence,
          'node-attribute': one.node_attribute,
        }),
      ),
    ]),
    ...setCommands('colocation', form.colocation_set, ({ constraint_id, score, influence }) => ({
      id: constraint_id,
      score,
      influence,
    })),
    ...form.order.map((one) => [
      `pcs -- constraint order ${words(one.first_action, one.first_resource_id, 'then', one.then_action, one.then_resource_id)}`,
      ...line(options(orderOptions(one.attributes))),
    ]),
    ...setCommands('order', form.order_set, orderOptions),
    ...form.ticket.map(({ resource_id, role, attributes: { constraint_id, ticket, loss_policy } }) => [
      `pcs -- constraint ticket add ${words(ticket, role, resource_id)}`,
      ...line(options({ id: constraint_id, 'loss-policy': loss_policy })),
    ]),
    ...setCommands('ticket', form.ticket_set, ({ constraint_id, ticket, loss_policy }) => ({
      id: constraint_id,
      'loss-policy': loss_policy,
      ticket,
    })),
  ]
}

const orderOptions = (attributes: ConstraintsForm['order'][number]['attributes']): Readonly<Record<string, Value>> => ({
  id: attributes.constraint_id,
  symmetrical: attributes.symmetrical,
  'require-all': attributes.require_all,
  score: attributes.score,
  kind: attributes.kind,
})

/** A location on a node gets its role from no command of pcs: one without it would place the resource in every role. */
export const hasLostRole = ({ role, attributes }: Pick<LocationForm, 'role' | 'attributes'>): boolean =>
  role !== null && attributes.node !== null

function locationLines({ resource_id, resource_pattern, role, attributes }: LocationForm): readonly Lines[] {
  const resource = resource_id === null ? `regexp%${resource_pattern ?? ''}` : `resource%${resource_id}`
  const { constraint_id, node, score, resource_discovery, rules } = attributes
  const [rule] = rules
  if (hasLostRole({ role, attributes })) return []
  if (node !== null)
    return [
      [
        `pcs -- constraint location add ${words(constraint_id, resource, node)} ${options({ score, 'resource-discovery': resource_discovery })}`.trimEnd(),
      ],
    ]
  if (rule === undefined) return []
  const { score: ruleScore = null, 'score-attribute': by = null, role: ruleRole = null } = rule.options
  const said = {
    id: rule.id,
    'constraint-id': constraint_id,
    role: ruleRole ?? role,
    score: ruleScore,
    'score-attribute': by,
    'resource-discovery': resource_discovery,
  }
  return [[`pcs -- constraint location ${words(resource)} rule`, ...line(options(said)), `  ${words(rule.as_string)}`]]
}

function setCommands<Attributes>(
  kind: string,
  forms: readonly SetForm<Attributes>[],
  said: (attributes: Attributes) => Readonly<Record<string, Value>>,
): readonly Lines[] {
  return forms.map(({ resource_sets, attributes }) => [
    `pcs -- constraint ${kind}`,
    ...resource_sets.map(setLine),
    ...line(options(said(attributes)), '  ', 'setoptions '),
  ])
}

function setLine(set: ResourceSetForm): string {
  const said = {
    sequential: set.sequential,
    'require-all': set.require_all,
    ordering: set.ordering,
    action: set.action,
    role: set.role,
    score: set.score,
    kind: set.kind,
  }
  return `  ${['set', words(...set.resources_ids), options(said)].filter(Boolean).join(' ')}`
}

/** The sets of defaults of a section. */
export const defaultsCommands = (area: string, sets: readonly NvsetForm[]): readonly Lines[] =>
  sets.map((set) => [
    `pcs -- ${area} defaults set create ${options({ id: set.id, ...set.options })}`,
    ...line(pairs([set]), '  ', 'meta '),
    ...(set.rule === null ? [] : [`  rule ${words(set.rule.as_string)}`]),
  ])

/** What the cluster writes itself: no command sets it. */
const ofTheCluster: ReadonlySet<string> = new Set([
  'cluster-infrastructure',
  'cluster-name',
  'dc-version',
  'have-watchdog',
  'last-lrm-refresh',
])

export const propertyCommands = (sets: readonly NvsetForm[]): readonly Lines[] => {
  const all = (sets[0]?.nvpairs ?? [])
    .filter(({ name }) => !ofTheCluster.has(name))
    .map(({ name, value }) => `  ${words(`${name}=${value}`)}`)
  return all.length === 0 ? [] : [['pcs property set --force --', ...all]]
}

export const tagCommands = (
  tags: readonly { readonly id: string; readonly members: readonly string[] }[],
): readonly Lines[] => tags.map(({ id, members }) => [`pcs -- tag create ${words(id, ...members)}`])

export const levelCommands = (
  levels: readonly {
    readonly id: string
    readonly index: number
    readonly target: string
    readonly devices: readonly string[]
  }[],
): readonly Lines[] =>
  levels.map(({ id, index, target, devices }) => [
    `pcs stonith level add --force -- ${words(String(index), target, ...devices, `id=${id}`)}`,
  ])
