/** Resource definitions as pcs prints them: plain resources, then groups, clones and bundles. */
import type { Dialect } from '../call/speech.ts'
import { type NvsetForm, nvsetLines, pairWords } from './nvset.ts'
import type { BundleForm, OperationForm, PrimitiveForm, ResourcesForm } from './resources.ts'

/** The lines of those with the ids, each with what is inside it. */
export function resourceTextLines(form: ResourcesForm, ids: readonly string[], dialect: Dialect): readonly string[] {
  return [...form.primitives, ...form.groups, ...form.clones, ...form.bundles]
    .filter(({ id }) => ids.includes(id))
    .flatMap(({ id }) => linesOf(id, form, dialect))
}

function linesOf(id: string, form: ResourcesForm, dialect: Dialect): readonly string[] {
  const inside = (ids: readonly string[]): readonly string[] =>
    ids.flatMap((member) => linesOf(member, form, dialect)).map(indented)
  const named = <One extends { readonly id: string }>(list: readonly One[]): One | undefined =>
    list.find((one) => one.id === id)
  const primitive = named(form.primitives)
  if (primitive) return primitiveLines(primitive, dialect)
  const group = named(form.groups)
  if (group) return [`Group: ${id}`, ...sets(group), ...inside(group.member_ids)]
  const clone = named(form.clones)
  if (clone) return [`Clone: ${id}`, ...sets(clone), ...inside([clone.member_id])]
  const bundle = named(form.bundles)
  if (bundle) return [...bundleLines(bundle), ...inside(bundle.member_id === null ? [] : [bundle.member_id])]
  return []
}

const indented = (line: string): string => `  ${line}`

interface WithSets {
  readonly description: string | null
  readonly instance_attributes: readonly NvsetForm[]
  readonly meta_attributes: readonly NvsetForm[]
  readonly utilization?: readonly NvsetForm[]
}

function sets(of: WithSets): readonly string[] {
  const lines = (list: readonly NvsetForm[], label: string): readonly string[] =>
    list.filter(({ nvpairs }) => nvpairs.length > 0).flatMap((set) => nvsetLines(set, label))
  return [
    ...(of.description === null ? [] : [`Description: ${of.description}`]),
    ...lines(of.instance_attributes, 'Attributes'),
    ...lines(of.meta_attributes, 'Meta Attributes'),
    ...lines(of.utilization ?? [], 'Utilization'),
  ].map(indented)
}

function primitiveLines(primitive: PrimitiveForm, dialect: Dialect): readonly string[] {
  const { standard, provider, type } = primitive.agent_name
  const agent = pairWords({ class: standard, ...(provider === null ? {} : { provider }), type }).join(' ')
  const operations = primitive.operations.flatMap((operation) => operationLines(operation, dialect))
  return [
    `Resource: ${primitive.id} (${agent})`,
    ...sets(primitive),
    ...(operations.length === 0 ? [] : ['  Operations:', ...operations.map((line) => `    ${line}`)]),
  ]
}

/** pcs 0.12 puts the values of an operation on one line; the ones before it on a line each. */
function operationLines(operation: OperationForm, dialect: Dialect): readonly string[] {
  const truth = (value: boolean | null): string | null => (value === null ? null : value ? '1' : '0')
  const values: readonly (readonly [string, string | null])[] = [
    ['interval', operation.interval],
    ['start-delay', operation.start_delay],
    ['interval-origin', operation.start_delay === null ? operation.interval_origin : null],
    ['timeout', operation.timeout],
    ['enabled', truth(operation.enabled)],
    ['record-pending', truth(operation.record_pending)],
    ['role', operation.role],
    ['on-fail', operation.on_fail],
    ...operation.instance_attributes.flatMap(({ nvpairs }) => nvpairs.map(({ name, value }) => [name, value] as const)),
  ]
  const words = pairWords(
    Object.fromEntries(values.flatMap(([name, value]) => (value === null ? [] : [[name, value]]))),
  )
  return [
    `${operation.name}: ${operation.id}`,
    ...(dialect === '0.12' ? [words.join(' ')] : words).map(indented),
    ...operation.meta_attributes.flatMap((set) => nvsetLines(set, 'Meta Attributes')).map(indented),
  ]
}

function bundleLines(bundle: BundleForm): readonly string[] {
  const technology = bundle.container_type ?? 'container'
  const options = written(bundle.container_options ?? {})
  const network = written(bundle.network ?? {})
  const mappings = (title: string, list: BundleForm['port_mappings']): readonly string[] =>
    list.length === 0
      ? []
      : [`  ${title}:`, ...list.map(({ id, ...values }) => `    ${[...written(values), `(${String(id)})`].join(' ')}`)]
  return [
    `Bundle: ${bundle.id}`,
    ...(bundle.description === null ? [] : [`  Description: ${bundle.description}`]),
    `  ${technology.charAt(0).toUpperCase()}${technology.slice(1)}: ${options.join(' ')}`,
    ...(network.length === 0 ? [] : [`  Network: ${network.join(' ')}`]),
    ...mappings('Port Mapping', bundle.port_mappings),
    ...mappings('Storage Mapping', bundle.storage_mappings),
    ...sets({ ...bundle, description: null }),
  ]
}

function written(values: Readonly<Record<string, string | number | null>>): readonly string[] {
  return pairWords(
    Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) =>
        value === null ? [] : [[name.replaceAll('_', '-'), String(value)] as const],
      ),
    ),
  )
}
