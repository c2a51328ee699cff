/**
 * What holds are equivalent to in a CIB, and a CIB without it. A node's standby or maintenance is a set of node attributes of its own, a resource's a set of
 * meta-attributes, with the highest score, so that it decides whatever else is written (Pacemaker Explained, "Rules", on the score of sets). Bans and preferences are
 * location constraints. The sets stand last, after an empty one where there is none yet: programs that set an attribute take the first.
 */
import {
  childElement,
  childElements,
  configurationElement,
  element,
  nodeNamesOf,
  type Role,
  type XmlElement,
  type XmlNode,
} from '../cib/index.ts'
import type { HoldRecord } from './hold-record.ts'
import { noteOf } from './holds-in-cib.ts'

/** `hold-<id>-systole-<what>`: nobody else's elements are named so. */
const composedId = /^hold-[A-Za-z0-9._-]+-systole-(?:standby|maintenance|disable|ban|prefer)$/

/** Whether an element of a CIB is composed of a hold. */
const isComposed = ({ name, attributes }: XmlElement): boolean =>
  (name === 'instance_attributes' || name === 'meta_attributes' || name === 'rsc_location') &&
  composedId.test(attributes.id ?? '')

/** One element, and where it stands. */
export interface HeldPart {
  readonly place: 'node' | 'resource' | 'constraints'
  /** Of the node or the resource. */
  readonly name: string
  readonly element: XmlElement
}

/** The configuration of a `cib` or `configuration` element as it is while the holds are in force. Holds on what is not there have no effect. */
export function composeHolds(cib: XmlElement, holds: readonly HoldRecord[]): XmlElement {
  if (holds.length === 0) return cib
  const ordered = [...holds].sort((a, b) => (a.id < b.id ? -1 : 1))
  const isOld = hasOldRoles(cib)
  return restoreHolds(
    cib,
    ordered.map((hold) => partOf(hold, isOld)),
  )
}

/** Schemas before 3.7 know the roles by their older names only. */
const hasOldRoles = (cib: XmlElement): boolean =>
  !/^pacemaker-3\.(?:[7-9]|\d\d)/.test(cib.attributes['validate-with'] ?? 'pacemaker-3.9')

function partOf(hold: HoldRecord, isOld: boolean): HeldPart {
  const { kind, node = '', resource = '' } = hold
  switch (kind) {
    case 'drain':
    case 'standby':
      return {
        place: 'node',
        name: node,
        element: setOf(hold, { kind: 'instance_attributes', name: 'standby', value: 'on' }),
      }
    case 'maintenance': {
      const pair = { name: 'maintenance', value: 'true' }
      return hold.node === undefined
        ? { place: 'resource', name: resource, element: setOf(hold, { kind: 'meta_attributes', ...pair }) }
        : { place: 'node', name: node, element: setOf(hold, { kind: 'instance_attributes', ...pair }) }
    }
    case 'disable': {
      const set = setOf(hold, { kind: 'meta_attributes', name: 'target-role', value: 'Stopped' })
      return { place: 'resource', name: resource, element: set }
    }
    default: {
      const id = idOf(hold, kind)
      const score = kind === 'ban' ? '-INFINITY' : 'INFINITY'
      const attributes = { id, rsc: resource, role: roleWord(hold.role, isOld), node, score }
      return { place: 'constraints', name: resource, element: element('rsc_location', attributes, [noteOf(hold)]) }
    }
  }
}

const roleWord = (role: Role | undefined, isOld: boolean): string =>
  role === undefined
    ? 'Started'
    : isOld && role === 'Promoted'
      ? 'Master'
      : isOld && role === 'Unpromoted'
        ? 'Slave'
        : role

const idOf = ({ id }: HoldRecord, what: string): string => `hold-${id}-systole-${what}`

function setOf(
  hold: HoldRecord,
  pair: { readonly kind: SetKind; readonly name: string; readonly value: string },
): XmlElement {
  const id = idOf(hold, pair.name === 'target-role' ? 'disable' : pair.name)
  const { kind, name, value } = pair
  return element(kind, { id, score: 'INFINITY' }, [
    noteOf(hold),
    element('nvpair', { id: `${id}-${name}`, name, value }),
  ])
}

/** Puts parts where they belong; those of nodes and resources that are not there are left out. */
export function restoreHolds(cib: XmlElement, parts: readonly HeldPart[]): XmlElement {
  if (parts.length === 0) return cib
  const configuration = configurationElement(cib)
  const constraints = parts.filter(({ place }) => place === 'constraints').map((part) => part.element)
  const named = (place: HeldPart['place']): ReadonlyMap<string, readonly XmlElement[]> =>
    grouped(parts.filter((part) => part.place === place))
  const [ofNodes, ofResources] = [named('node'), named('resource')]
  const known = resourceIdsOf(configuration)
  const valid = constraints.filter(({ attributes }) => known.has(attributes.rsc ?? ''))
  return editedSections(cib, {
    ...(ofNodes.size > 0 && { nodes: (section) => withNodeSets(section, ofNodes, nodeNamesOf(cib)) }),
    ...(ofResources.size > 0 && { resources: (section) => withResourceSets(section, ofResources) }),
    ...(valid.length > 0 && { constraints: (section) => ({ ...section, children: [...section.children, ...valid] }) }),
  })
}

function resourceIdsOf(configuration: XmlElement): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (parent: XmlElement): void => {
    for (const child of childElements(parent)) {
      if (!isResource(child) && child.name !== 'tag') continue
      if (child.attributes.id !== undefined) found.add(child.attributes.id)
      visit(child)
    }
  }
  for (const section of ['resources', 'tags']) {
    const parent = childElement(configuration, section)
    if (parent) visit(parent)
  }
  return found
}

const resources = new Set(['primitive', 'group', 'clone', 'master', 'bundle'])
const isResource = ({ name }: XmlElement): boolean => resources.has(name)

function grouped(parts: readonly HeldPart[]): ReadonlyMap<string, readonly XmlElement[]> {
  const groups = new Map<string, XmlElement[]>()
  for (const { name, element: part } of parts) groups.set(name, [...(groups.get(name) ?? []), part])
  return groups
}

function withNodeSets(
  section: XmlElement,
  sets: ReadonlyMap<string, readonly XmlElement[]>,
  known: readonly string[],
): XmlElement {
  const present = new Set<string>()
  const children = section.children.map((child) => {
    if (child.kind !== 'element' || child.name !== 'node') return child
    const name = child.attributes.uname ?? ''
    present.add(name)
    const own = sets.get(name)
    if (own === undefined) return child
    return { ...child, children: [...child.children, ...ownFirst(child, 'instance_attributes'), ...own] }
  })
  // A remote or guest node has an element only where it has attributes.
  const absent = [...sets].filter(([name]) => !present.has(name) && known.includes(name))
  const made = absent.map(([name, own]) => {
    const node = element('node', { id: name, type: 'remote', uname: name })
    return { ...node, children: [...ownFirst(node, 'instance_attributes'), ...own] }
  })
  return { ...section, children: [...children, ...made] }
}

function withResourceSets(section: XmlElement, sets: ReadonlyMap<string, readonly XmlElement[]>): XmlElement {
  return {
    ...section,
    children: section.children.map((child) => {
      if (child.kind !== 'element' || !isResource(child)) return child
      const inner = withResourceSets(child, sets)
      const own = sets.get(child.attributes.id ?? '')
      return own === undefined ? inner : withMetaSets(inner, own)
    }),
  }
}

/** After the sets that are there, and before operations and inner resources. */
function withMetaSets(resource: XmlElement, own: readonly XmlElement[]): XmlElement {
  const last = resource.children.findLastIndex(
    (child) => child.kind === 'element' && ['instance_attributes', 'meta_attributes'].includes(child.name),
  )
  const { children } = resource
  const sets = [...ownFirst(resource, 'meta_attributes'), ...own]
  return { ...resource, children: [...children.slice(0, last + 1), ...sets, ...children.slice(last + 1)] }
}

type SetKind = 'instance_attributes' | 'meta_attributes'

const ownFirst = (parent: XmlElement, kind: SetKind): readonly XmlElement[] =>
  childElement(parent, kind) === undefined ? [element(kind, { id: ownSetId(parent) })] : []

/** As Pacemaker's commands name them. */
const ownSetId = ({ name, attributes: { id = '' } }: XmlElement): string =>
  name === 'node' ? `nodes-${id}` : `${id}-meta_attributes`

export interface SplitHolds {
  /** What may be stored. */
  readonly cib: XmlElement
  /** What stood there of holds, in the order of the document. */
  readonly held: readonly HeldPart[]
}

export const withoutHolds = (cib: XmlElement): XmlElement => splitHolds(cib).cib

/** The same element where nothing of a hold is in it. An attribute that somebody has put into a set of a hold is kept in a set of its own. */
export function splitHolds(cib: XmlElement): SplitHolds {
  const held: HeldPart[] = []
  const without = editedSections(cib, {
    nodes: (section) =>
      withChildren(section, (node) => {
        const { uname: name = '' } = node.attributes
        const kept = keptChildren(node, (part) => held.push({ place: 'node', name, element: part }))
        const isOfHold = kept !== node && node.attributes.type === 'remote' && childElements(kept).length === 0
        return isOfHold ? undefined : kept
      }),
    resources: (section) => withoutInResources(section, held),
    constraints: (section) =>
      withChildren(section, (one) => {
        if (!isComposed(one)) return one
        held.push({ place: 'constraints', name: one.attributes.rsc ?? '', element: one })
        return undefined
      }),
  })
  return { cib: without, held }
}

function withoutInResources(section: XmlElement, held: HeldPart[]): XmlElement {
  return withChildren(section, (resource) => {
    if (!isResource(resource)) return resource
    const { id = '' } = resource.attributes
    const kept = keptChildren(resource, (part) => held.push({ place: 'resource', name: id, element: part }))
    return withoutInResources(kept, held)
  })
}

/** Without the sets of holds, and an empty one that stands before them; pairs that are none of a hold's move into the parent's own set. */
function keptChildren(parent: XmlElement, onHeld: (part: XmlElement) => void): XmlElement {
  const composed = childElements(parent).filter((child) => isSet(child) && isComposed(child))
  const [kind] = composed.map(({ name }) => name)
  if (kind === undefined) return parent
  composed.forEach(onHeld)
  const others = parent.children.filter((child) => child.kind !== 'element' || !composed.includes(child))
  const setId = ownSetId(parent)
  const strange = composed.flatMap((set) =>
    childElements(set, 'nvpair').filter(({ attributes }) => attributes.name !== ownPair(set.attributes.id ?? '')),
  )
  const pairs = strange.map(({ attributes: { name = '', value = '' } }) =>
    element('nvpair', { id: `${setId}-${name}`, name, value }),
  )
  const own = childElements(parent, kind).find(({ attributes }) => attributes.id === setId)
  if (own === undefined && pairs.length === 0) return { ...parent, children: others }
  const set = own ? { ...own, children: [...own.children, ...pairs] } : element(kind, { id: setId }, pairs)
  const kept = set.children.length === 0 && Object.keys(set.attributes).length === 1 ? [] : [set]
  if (own === undefined) return { ...parent, children: [...kept, ...others] }
  return { ...parent, children: others.flatMap((child) => (child === own ? kept : [child])) }
}

const isSet = ({ name }: XmlElement): boolean => name === 'instance_attributes' || name === 'meta_attributes'

const ownPair = (setId: string): string => {
  const what = setId.slice(setId.lastIndexOf('-') + 1)
  return what === 'disable' ? 'target-role' : what
}

/** The same element where every child stays what it is. */
function withChildren(parent: XmlElement, edit: (child: XmlElement) => XmlElement | undefined): XmlElement {
  let isSame = true
  const children = parent.children.flatMap((child): readonly XmlNode[] => {
    if (child.kind !== 'element') return [child]
    const after = edit(child)
    if (after !== child) isSame = false
    return after === undefined ? [] : [after]
  })
  return isSame ? parent : { ...parent, children }
}

type Sections = Readonly<Partial<Record<'nodes' | 'resources' | 'constraints', (section: XmlElement) => XmlElement>>>

/** Sections that are not there have nothing to be edited; of `constraints` an empty one is no reason to leave a ban out. */
function editedSections(cib: XmlElement, sections: Sections): XmlElement {
  const edit = (configuration: XmlElement): XmlElement =>
    withChildren(configuration, (section) => sections[section.name as keyof Sections]?.(section) ?? section)
  if (cib.name === 'configuration') return edit(cib)
  return withChildren(cib, (child) => (child.name === 'configuration' ? edit(child) : child))
}
