/** Ids for parts that were written without: made of the id of what is around them, as pcs makes them. */
import { childElement, childElements, element, type XmlElement } from '../document.ts'
import { configurationElement } from '../read-configuration.ts'
import { type IdSource, idSource } from '../schema/ids.ts'
import { configurationSections, replaceElement } from '../tree.ts'

const sections: readonly string[] = configurationSections
const withoutId: ReadonlySet<string> = new Set([
  'configuration',
  ...configurationSections,
  'operations',
  'docker',
  'podman',
  'rkt',
  'network',
  'storage',
  'lifetime',
  'select',
  'select_nodes',
  'select_fencing',
  'select_resources',
  'select_attributes',
])

export function identified(cib: XmlElement): XmlElement {
  const configuration = configurationElement(cib)
  const ids = idSource(cib)
  const made = withIds(configuration, '', ids)
  if (made === configuration) return cib
  return cib === configuration
    ? made
    : replaceElement(cib, childElement(cib, 'configuration') ?? element('none'), [made])
}

function withIds(part: XmlElement, around: string, ids: IdSource): XmlElement {
  const { attributes } = part
  const needs = attributes.id === undefined && attributes['id-ref'] === undefined && !withoutId.has(part.name)
  const id = needs ? ids.free(newId(part, around)) : attributes.id
  const below = id ?? (sections.includes(part.name) ? part.name : around)
  const children = part.children.map((child) => (child.kind === 'element' ? withIds(child, below, ids) : child))
  const isSame = !needs && children.every((child, at) => child === part.children[at])
  if (isSame) return part
  return { ...part, attributes: needs ? { id: id ?? '', ...attributes } : attributes, children }
}

function newId({ name, attributes }: XmlElement, around: string): string {
  switch (name) {
    case 'cluster_property_set':
      return 'cib-bootstrap-options'
    case 'nvpair':
      return `${around}-${attributes.name ?? ''}`
    case 'op':
      return `${around}-${attributes.name ?? ''}-interval-${attributes.interval ?? '0'}`
    case 'acl_permission':
      return `${around}-${attributes.kind ?? ''}`
    default:
      return `${around}-${name}`
  }
}

/** Without the ids that only say which part it is: those that this makes. */
export function withoutPartIds(part: XmlElement, isNeeded: (id: string) => boolean): XmlElement {
  const { id, ...others } = part.attributes
  const keeps = id === undefined || !partNames.has(part.name) || isNeeded(id)
  const children = childElements(part).map((child) => withoutPartIds(child, isNeeded))
  return element(part.name, keeps ? part.attributes : others, children)
}

const partNames: ReadonlySet<string> = new Set([
  'rule',
  'expression',
  'date_expression',
  'rsc_expression',
  'op_expression',
  'duration',
  'date_spec',
])
