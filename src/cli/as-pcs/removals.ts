/** What pcs 0.12 says that it removed besides what was named: elements that depended on it, and references to it. */
import { childElements, configurationElement, type XmlElement } from '../../cib/index.ts'
import type { Notice } from '../call/message.ts'

const kinds: Readonly<Record<string, string>> = {
  primitive: 'Resource',
  group: 'Group',
  clone: 'Clone',
  master: 'Clone',
  bundle: 'Bundle',
  rsc_location: 'Location constraint',
  rsc_colocation: 'Colocation constraint',
  rsc_order: 'Order constraint',
  rsc_ticket: 'Ticket constraint',
  resource_set: 'Resource set',
  tag: 'Tag',
  acl_permission: 'Acl permission',
  acl_role: 'Acl role',
  'fencing-level': 'Fencing level',
}

export const besides = (lines: readonly string[]): readonly Notice[] =>
  lines.length === 0 ? [] : [{ code: 'removed-besides', lines }]

interface Part {
  readonly kind: string
  readonly id: string
  readonly parent: Part | undefined
  readonly element: XmlElement
}

function partsOf(element: XmlElement, parent?: Part): readonly Part[] {
  return childElements(element).flatMap((child) => {
    const kind = kinds[child.name]
    const part = kind === undefined ? parent : { kind, id: child.attributes.id ?? '', parent, element: child }
    return [...(kind === undefined || part === undefined ? [] : [part]), ...partsOf(child, part)]
  })
}

/** The lines, none where nothing else went. */
export function removalLines(before: XmlElement, after: XmlElement, named: readonly string[]): readonly string[] {
  const left = new Set(partsOf(configurationElement(after)).map(({ id }) => id))
  const all = partsOf(configurationElement(before))
  const removed = all.filter(({ id }) => !left.has(id))
  // The sets of a constraint go without saying where it is named itself.
  const isPartOfNamed = ({ kind, parent }: Part): boolean =>
    kind === 'Resource set' && parent !== undefined && named.includes(parent.id)
  const dependants = removed.filter((part) => !named.includes(part.id) && !isPartOfNamed(part))
  const references = removed
    .map((part) => ({ part, from: all.filter((other) => left.has(other.id) && refersTo(other, part)) }))
    .filter(({ from }) => from.length > 0)
    .sort((a, b) => (a.part.id < b.part.id ? -1 : 1))
  return [
    ...(dependants.length === 0
      ? []
      : [`Removing dependant element${dependants.length > 1 ? 's' : ''}:`, ...byKind(dependants, '  ')]),
    ...(references.length === 0 ? [] : ['Removing references:']),
    ...references.flatMap(({ part, from }) => [`  ${part.kind} '${part.id}' from:`, ...byKind(from, '    ')]),
  ]
}

function byKind(parts: readonly Part[], indent: string): readonly string[] {
  const lines = [...new Set(parts.map(({ kind }) => kind))].map((kind) => {
    const ids = parts.filter((part) => part.kind === kind).map(({ id }) => `'${id}'`)
    return `${indent}${kind}${ids.length > 1 ? 's' : ''}: ${ids.sort().join(', ')}`
  })
  return lines.sort()
}

function refersTo(other: Part, { id, parent }: Part): boolean {
  if (parent === other) return true
  const { name, attributes } = other.element
  if (name === 'fencing-level') return (attributes.devices ?? '').split(',').includes(id)
  return (name === 'tag' || name === 'resource_set') && refersById(other.element, id)
}

/** `resource ungroup` names each constraint, and each set that the group leaves. */
export function ungroupLines(before: XmlElement, after: XmlElement, group: string): readonly string[] {
  const all = partsOf(configurationElement(before))
  const left = new Set(partsOf(configurationElement(after)).map(({ id }) => id))
  if (left.has(group)) return []
  // A tag that held the group alone goes with it, and so do the constraints of the tag.
  const tags = all.filter(({ id, element }) => element.name === 'tag' && !left.has(id) && refersById(element, group))
  const gone = [group, ...tags.map(({ id }) => id)]
  const constraints = all.filter(
    ({ kind, element }) => kind.endsWith('constraint') && namesOf(element).some((id) => gone.includes(id ?? '')),
  )
  const sets = all.filter(({ element }) => element.name === 'resource_set' && refersById(element, group))
  return [
    ...constraints.map(({ id }) => `Removing Constraint - ${id}`).sort(),
    ...sets.flatMap(({ id, parent }) => [
      `Removing ${group} from set ${id}`,
      ...(left.has(id) ? [] : [`Removing set ${id}`]),
      ...(parent === undefined || left.has(parent.id) ? [] : [`Removing constraint ${parent.id}`]),
    ]),
  ]
}

const namesOf = ({ attributes }: XmlElement): readonly (string | undefined)[] =>
  ['rsc', 'with-rsc', 'first', 'then'].map((name) => attributes[name])
const refersById = (element: XmlElement, id: string): boolean =>
  childElements(element).some(({ attributes }) => attributes.id === id)
