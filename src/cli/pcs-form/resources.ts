/** Resources in the form in which `pcs resource config --output-format json` gives them out: lists by kind, joined by id. */
import { childElement, childElements, parseBoolean, type XmlElement } from '../../cib/index.ts'
import { type FormContext, type NvsetForm, nvsetForms } from './nvset.ts'
import { presentRole } from './old-role.ts'

export interface ResourcesForm {
  readonly primitives: readonly PrimitiveForm[]
  readonly clones: readonly CloneForm[]
  readonly groups: readonly GroupForm[]
  readonly bundles: readonly BundleForm[]
}

interface CommonForm {
  readonly id: string
  readonly description: string | null
  readonly meta_attributes: readonly NvsetForm[]
  readonly instance_attributes: readonly NvsetForm[]
}

export interface PrimitiveForm extends CommonForm {
  readonly agent_name: { readonly standard: string; readonly provider: string | null; readonly type: string }
  readonly operations: readonly OperationForm[]
  readonly utilization: readonly NvsetForm[]
}

export interface OperationForm {
  readonly id: string
  readonly name: string
  readonly interval: string
  readonly description: string | null
  readonly start_delay: string | null
  readonly interval_origin: string | null
  readonly timeout: string | null
  readonly enabled: boolean | null
  readonly record_pending: boolean | null
  readonly role: string | null
  readonly on_fail: string | null
  readonly meta_attributes: readonly NvsetForm[]
  readonly instance_attributes: readonly NvsetForm[]
}

export interface CloneForm extends CommonForm {
  readonly member_id: string
}

export interface GroupForm extends CommonForm {
  readonly member_ids: readonly string[]
}

type Value = string | number | null

export interface BundleForm extends CommonForm {
  readonly member_id: string | null
  readonly container_type: string | null
  readonly container_options: Readonly<Record<string, Value>> | null
  readonly network: Readonly<Record<string, Value>> | null
  readonly port_mappings: readonly Readonly<Record<string, Value>>[]
  readonly storage_mappings: readonly Readonly<Record<string, Value>>[]
}

/** In the order given; what is inside one is to be among them. */
export function resourcesForm(resources: readonly XmlElement[], context: FormContext): ResourcesForm {
  const of = <Form>(names: readonly string[], form: (written: XmlElement, context: FormContext) => Form): Form[] =>
    resources.filter(({ name }) => names.includes(name)).map((written) => form(written, context))
  return {
    primitives: of(['primitive'], primitiveForm),
    clones: of(['clone', 'master'], cloneForm),
    groups: of(['group'], groupForm),
    bundles: of(['bundle'], bundleForm),
  }
}

const kinds = ['primitive', 'group', 'clone', 'master', 'bundle']

export function innerResources(resource: XmlElement): readonly XmlElement[] {
  return childElements(resource).filter(({ name }) => kinds.includes(name))
}

export function withInner(resource: XmlElement): readonly XmlElement[] {
  return kinds.includes(resource.name) ? [resource, ...innerResources(resource).flatMap(withInner)] : []
}

function commonForm(written: XmlElement, context: FormContext): CommonForm {
  return {
    id: written.attributes.id ?? '',
    description: written.attributes.description ?? null,
    meta_attributes: nvsetForms(written, 'meta_attributes', context),
    instance_attributes: nvsetForms(written, 'instance_attributes', context),
  }
}

function primitiveForm(written: XmlElement, context: FormContext): PrimitiveForm {
  const { class: standard = '', provider = null, type = '' } = written.attributes
  return {
    ...commonForm(written, context),
    agent_name: { standard, provider, type },
    operations: childElements(written, 'operations')
      .flatMap((list) => childElements(list, 'op'))
      .map((operation) => operationForm(operation, context)),
    utilization: nvsetForms(written, 'utilization', context),
  }
}

function operationForm(written: XmlElement, context: FormContext): OperationForm {
  const { attributes } = written
  const truth = (text: string | undefined): boolean | null => (text === undefined ? null : (parseBoolean(text) ?? null))
  return {
    id: attributes.id ?? '',
    name: attributes.name ?? '',
    interval: attributes.interval ?? '',
    description: attributes.description ?? null,
    start_delay: attributes['start-delay'] ?? null,
    interval_origin: attributes['interval-origin'] ?? null,
    timeout: attributes.timeout ?? null,
    enabled: truth(attributes.enabled),
    record_pending: truth(attributes['record-pending']),
    role: attributes.role === undefined ? null : presentRole(attributes.role),
    on_fail: attributes['on-fail'] ?? null,
    meta_attributes: nvsetForms(written, 'meta_attributes', context),
    instance_attributes: nvsetForms(written, 'instance_attributes', context),
  }
}

function cloneForm(written: XmlElement, context: FormContext): CloneForm {
  const common = commonForm(written, context)
  return {
    ...common,
    meta_attributes: written.name === 'master' ? withPromotable(common) : common.meta_attributes,
    member_id: innerResources(written)[0]?.attributes.id ?? '',
  }
}

/** A `<master>` of an old schema is shown as the clone that it means. */
function withPromotable({ meta_attributes: [first, ...others] }: CommonForm): readonly NvsetForm[] {
  const set = first ?? { id: '', options: {}, rule: null, nvpairs: [] }
  const promotable = { id: '', name: 'promotable', value: 'true' }
  const nvpairs = [...set.nvpairs.filter(({ name }) => name !== 'promotable'), promotable]
  return [{ ...set, nvpairs: nvpairs.sort((a, b) => (a.name < b.name ? -1 : 1)) }, ...others]
}

function groupForm(written: XmlElement, context: FormContext): GroupForm {
  return {
    ...commonForm(written, context),
    member_ids: innerResources(written).map(({ attributes }) => attributes.id ?? ''),
  }
}

const containerOptions = ['image', 'replicas', 'replicas-per-host', 'promoted-max', 'run-command', 'network', 'options']
const networkOptions = ['ip-range-start', 'control-port', 'host-interface', 'host-netmask', 'add-host']
const portOptions = ['id', 'port', 'internal-port', 'range']
const storageOptions = ['id', 'source-dir', 'source-dir-root', 'target-dir', 'options']
const numbers = [
  'replicas',
  'replicas-per-host',
  'promoted-max',
  'control-port',
  'port',
  'internal-port',
  'host-netmask',
]

function bundleForm(written: XmlElement, context: FormContext): BundleForm {
  const container = childElements(written).find(({ name }) => ['docker', 'podman', 'rkt'].includes(name))
  const network = childElement(written, 'network')
  const storage = childElement(written, 'storage')
  return {
    ...commonForm(written, context),
    member_id: innerResources(written)[0]?.attributes.id ?? null,
    container_type: container?.name ?? null,
    container_options: container ? values(container, containerOptions) : null,
    network: network ? values(network, networkOptions) : null,
    port_mappings: (network ? childElements(network, 'port-mapping') : []).map((port) => values(port, portOptions)),
    storage_mappings: (storage ? childElements(storage, 'storage-mapping') : []).map((one) =>
      values(one, storageOptions),
    ),
  }
}

function values({ attributes }: XmlElement, names: readonly string[]): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    names.map((name) => {
      const text = attributes[name]
      const value = text === undefined ? null : numbers.includes(name) && /^\d+$/.test(text) ? Number(text) : text
      return [name.replaceAll('-', '_'), value]
    }),
  )
}
