/**
 * The CIB as a remote node may read it: values whose names say that they are secret are hidden, and of fence devices everything that their
 * agents get. The parameters of what runs on the remote node itself it gets with each operation anyway.
 */
import type { NodeName } from '../../base/index.ts'
import { hiddenValue, type IsSecret, type XmlElement, type XmlNode } from '../../cib/index.ts'

/** Whose parameters they are, and in what kind of set. */
interface Place {
  readonly owner: 'fence-device' | 'own' | 'other'
  readonly set: string
}

export interface Hiding {
  readonly isSecret: IsSecret
  /** Ids of primitives and templates whose parameters the remote node has. */
  readonly known: ReadonlySet<string>
}

export function configurationWithoutSecrets(element: XmlElement, hiding: Hiding): XmlElement {
  return masked(element, { owner: 'other', set: '' }, hiding)
}

/**
 * Of the recorded state, attributes of nodes have values that somebody chose, and the digests of parameters are enough to try passwords with: those
 * of what ran on other nodes are left out.
 */
export function statusWithoutSecrets(
  status: XmlElement,
  { isSecret, reader }: { readonly isSecret: IsSecret; readonly reader: NodeName },
): XmlElement {
  const hiding = { isSecret, known: new Set<string>() }
  return mapChildren(status, (state) =>
    mapChildren(state, (part) => {
      if (part.name === 'transient_attributes') return configurationWithoutSecrets(part, hiding)
      if (part.name !== 'lrm' || state.attributes.uname === reader) return part
      return mapChildren(part, (resources) => mapChildren(resources, withoutDigests))
    }),
  )
}

function withoutDigests(resource: XmlElement): XmlElement {
  return mapChildren(resource, (operation) => {
    const kept = Object.entries(operation.attributes).filter(([name]) => !name.endsWith('-digest'))
    return { ...operation, attributes: Object.fromEntries(kept) }
  })
}

function masked(element: XmlElement, place: Place, hiding: Hiding): XmlElement {
  const { name, attributes } = element
  if (name === 'nvpair')
    return attributes.value !== undefined && isHidden(attributes.name ?? '', place, hiding)
      ? { ...element, attributes: { ...attributes, value: hiddenValue } }
      : element
  const inside = placeIn(element, place, hiding)
  return mapChildren(element, (child) => masked(child, inside, hiding))
}

/** What a fence device says of itself to the cluster is no parameter of its agent. */
function isHidden(name: string, { owner, set }: Place, { isSecret }: Hiding): boolean {
  if (owner === 'own') return false
  if (owner === 'fence-device' && set === 'instance_attributes') return !name.startsWith('pcmk_')
  return isSecret(name)
}

function placeIn({ name, attributes }: XmlElement, place: Place, { known }: Hiding): Place {
  if (/_attributes$|^utilization$|_set$/.test(name)) return { ...place, set: name }
  if (name !== 'primitive' && name !== 'template') return place
  const owner = attributes.class === 'stonith' ? 'fence-device' : known.has(attributes.id ?? '') ? 'own' : 'other'
  return { owner, set: '' }
}

/** The same element where none of them changes. */
function mapChildren(element: XmlElement, map: (child: XmlElement) => XmlElement): XmlElement {
  let isChanged = false
  const children = element.children.map((child): XmlNode => {
    if (child.kind !== 'element') return child
    const mapped = map(child)
    isChanged ||= mapped !== child
    return mapped
  })
  return isChanged ? { ...element, children } : element
}
