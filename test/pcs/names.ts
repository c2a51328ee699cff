/** What a CIB has that a line may name. */
import { childElement, childElements, type XmlElement } from '../../src/cib/index.ts'

export interface Names {
  readonly nodes: readonly string[]
  readonly primitives: readonly string[]
  readonly devices: readonly string[]
  readonly groups: readonly string[]
  readonly clones: readonly string[]
  readonly bundles: readonly string[]
  /** All of the above that are resources. */
  readonly resources: readonly string[]
  readonly operations: readonly string[]
  readonly constraints: readonly string[]
  readonly rules: readonly string[]
  readonly sets: readonly string[]
  readonly properties: readonly string[]
  readonly tags: readonly string[]
  readonly alerts: readonly string[]
  readonly recipients: readonly string[]
  readonly roles: readonly string[]
  readonly permissions: readonly string[]
  readonly subjects: readonly string[]
  readonly tickets: readonly string[]
}

export function namesIn(cib: XmlElement): Names {
  const configuration = childElement(cib, 'configuration') ?? cib
  const section = (name: string): readonly XmlElement[] => {
    const found = childElement(configuration, name)
    return found === undefined ? [] : [...below(found)]
  }
  const ids = (elements: readonly XmlElement[], ...kinds: readonly string[]): readonly string[] =>
    elements.flatMap(({ name, attributes }) =>
      kinds.includes(name) && attributes.id !== undefined ? [attributes.id] : [],
    )
  const values = (elements: readonly XmlElement[], attribute: string): readonly string[] => [
    ...new Set(elements.flatMap(({ attributes }) => attributes[attribute] ?? [])),
  ]
  const resources = section('resources')
  const isDevice = ({ name, attributes }: XmlElement): boolean => name === 'primitive' && attributes.class === 'stonith'
  const services = resources.filter((element) => !isDevice(element))
  const constraints = section('constraints')
  const acls = section('acls')
  return {
    nodes: values(section('nodes'), 'uname'),
    primitives: ids(services, 'primitive'),
    devices: ids(resources.filter(isDevice), 'primitive'),
    groups: ids(resources, 'group'),
    clones: ids(resources, 'clone', 'master'),
    bundles: ids(resources, 'bundle'),
    resources: ids(resources, 'primitive', 'group', 'clone', 'master', 'bundle'),
    operations: ids(resources, 'op'),
    constraints: ids(constraints, 'rsc_location', 'rsc_order', 'rsc_colocation', 'rsc_ticket'),
    rules: ids(constraints, 'rule'),
    sets: ids([...section('rsc_defaults'), ...section('op_defaults')], 'meta_attributes'),
    properties: values(section('crm_config'), 'name'),
    tags: ids(section('tags'), 'tag'),
    alerts: ids(section('alerts'), 'alert'),
    recipients: ids(section('alerts'), 'recipient'),
    roles: ids(acls, 'acl_role'),
    permissions: ids(acls, 'acl_permission'),
    subjects: ids(acls, 'acl_target', 'acl_group'),
    tickets: values(constraints, 'ticket'),
  }
}

function* below(root: XmlElement): Iterable<XmlElement> {
  for (const child of childElements(root)) {
    yield child
    yield* below(child)
  }
}
