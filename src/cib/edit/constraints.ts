/** Making and deleting constraints: location, colocation, order, for pairs and for sets of resources. */
import { longestId, similarWords } from '../../base/index.ts'
import type { OrderAction, OrderKind, Role, Score } from '../configuration.ts'
import { childElement, childElements, element, type XmlElement } from '../document.ts'
import { configurationElement } from '../read-configuration.ts'
import { type IdSource, idPart, idSource } from '../schema/ids.ts'
import { ancestorsOf, appended, editSection, replaceElement } from '../tree.ts'
import { present } from '../values/attribute-text.ts'
import { formatScore } from '../values/score.ts'
import { badNewId, findResource, kindOf, missingNodes, missingResources, parentResource, standIns } from './find.ts'
import { type EditReport, type EditResult, edited, unless } from './reports.ts'
import { type NewRule, ruleElement, schemaRule } from './rule-element.ts'

export interface NewConstraint {
  readonly id?: string
  /** Take references to nodes and resources that are not there, to parts of clones, and a second constraint of the same kind. */
  readonly force?: boolean
}

export type LocationSubject =
  | { readonly by: 'id'; readonly id: string }
  | { readonly by: 'pattern'; readonly pattern: string }

export interface NewLocation extends NewConstraint {
  readonly resource: LocationSubject
  readonly where:
    | { readonly by: 'node'; readonly node: string; readonly score: Score }
    | { readonly by: 'rule'; readonly rule: NewRule }
  readonly role?: Role
  readonly discovery?: 'always' | 'never' | 'exclusive'
  /** A location with the id that is asked for goes, as with pcs. */
  readonly replacesId?: boolean
  /** As with pcs, any other of the resource and node goes, whatever its role, a ban as well. */
  readonly replacesAny?: boolean
  /** A CIB in a file may not know its nodes yet. */
  readonly takesUnknownNode?: boolean
}

/** A location by node takes the place of one for the same resource, node and role. */
export function createLocation(cib: XmlElement, request: NewLocation): EditResult {
  const { resource, where } = request
  const subject = resource.by === 'id' ? { rsc: resource.id } : { 'rsc-pattern': resource.pattern }
  const rest =
    where.by === 'rule'
      ? cib
      : sameLocations(cib, { ...subject, node: where.node }, request).reduce(
          (current, same) => replaceElement(current, same, []),
          cib,
        )
  const reports = [
    ...checkConstraint(request.replacesId ? rest : cib, request, resource.by === 'id' ? [resource.id] : []),
    ...(where.by === 'node' && !request.force && !request.takesUnknownNode ? missingNodes(cib, [where.node]) : []),
    ...(where.by === 'rule' && !request.force ? sameRule(cib, resource, where.rule) : []),
  ]
  return unless(reports, () => {
    const ids = idSource(rest)
    const others = present({ role: request.role, 'resource-discovery': request.discovery })
    const name = resource.by === 'id' ? resource.id : idPart(resource.pattern)
    if (where.by === 'rule') {
      const id = request.id ?? ids.free(`location-${name}`)
      const rule = ruleElement(schemaRule(cib, where.rule), `${id}-rule`, ids)
      return append(cib, element('rsc_location', { id, ...subject, ...others }, [rule]))
    }
    // pcs puts a minus before whatever is avoided.
    const placed = { node: where.node, score: Object.is(where.score, -0) ? '-0' : formatScore(where.score) }
    const id = request.id ?? ids.free(`location-${name}-${where.node}-${placed.score}`)
    return append(rest, element('rsc_location', { id, ...subject, ...placed, ...others }))
  })
}

/** A location constraint of the resource that has such a rule already. */
function sameRule(cib: XmlElement, resource: LocationSubject, rule: NewRule): readonly EditReport[] {
  const wanted = meaning(ruleElement(rule, 'rule', idSource(cib)))
  const same = constraintsOf(cib, 'rsc_location').filter(
    (there) =>
      (resource.by === 'id'
        ? there.attributes.rsc === resource.id
        : there.attributes['rsc-pattern'] === resource.pattern) &&
      childElements(there, 'rule').some((other) => meaning(other) === wanted),
  )
  return alreadyThere('location constraint', same)
}

/** When a rule is true, whatever its parts are called and it is worth. */
function meaning({ name, attributes, children }: XmlElement): string {
  const { id: _, score, 'score-attribute': from, role, ...others } = attributes
  const inner = children.flatMap((child) => (child.kind === 'element' ? [meaning(child)] : []))
  return JSON.stringify([name, Object.entries(others).sort(), inner])
}

/** One that the cluster's own commands made (`cli-…`) is left to them. */
function sameLocations(
  cib: XmlElement,
  wanted: Readonly<Record<string, string>>,
  { id, role, replacesId, replacesAny }: Pick<NewLocation, 'id' | 'role' | 'replacesId' | 'replacesAny'>,
): readonly XmlElement[] {
  return constraintsOf(cib, 'rsc_location').filter(
    ({ attributes }) =>
      (replacesId && attributes.id === id) ||
      ((replacesAny || (!attributes.id?.startsWith('cli-') && attributes.role === role)) &&
        Object.entries(wanted).every(([name, value]) => attributes[name] === value)),
  )
}

export interface NewColocation extends NewConstraint {
  readonly dependent: string
  readonly dependentRole?: Role
  readonly primary: string
  readonly primaryRole?: Role
  readonly score: Score
  /** The score that the id ends with, where it is another one. */
  readonly namedScore?: Score
  readonly influence?: boolean
  readonly nodeAttribute?: string
}

export function createColocation(cib: XmlElement, request: NewColocation): EditResult {
  const inRoles = request.dependentRole !== undefined || request.primaryRole !== undefined
  const pair = present({
    rsc: request.dependent,
    'with-rsc': request.primary,
    // As pcs writes it: where one has a role, the other has one, too.
    'rsc-role': request.dependentRole ?? (inRoles ? 'Started' : undefined),
    'with-rsc-role': request.primaryRole ?? (inRoles ? 'Started' : undefined),
  })
  const reports = [
    ...checkConstraint(cib, request, [request.dependent, request.primary]),
    ...checkPair(request.dependent, request.primary, [request.dependentRole, request.primaryRole]),
    ...(request.force ? [] : sameConstraint(cib, { name: 'rsc_colocation', what: 'colocation', pair })),
  ]
  return unless(reports, () => {
    const score = formatScore(request.score)
    const named = request.namedScore === undefined ? score : formatScore(request.namedScore)
    const id = request.id ?? idSource(cib).free(`colocation-${request.dependent}-${request.primary}-${named}`)
    const attributes = present({
      id,
      ...pair,
      score,
      influence: request.influence?.toString(),
      'node-attribute': request.nodeAttribute,
    })
    return append(cib, element('rsc_colocation', attributes))
  })
}

/** As it is to be written: the schema takes digits, too, and pcs 0.12 leaves those that are typed. */
export type WrittenTruth = boolean | '0' | '1'

export interface NewOrder extends NewConstraint {
  readonly first: string
  readonly firstAction?: OrderAction
  // The order's second resource. It is the CIB's word; nothing awaits this object.
  readonly then: string
  readonly thenAction?: OrderAction
  readonly kind?: OrderKind
  /** In the place of a kind, as it was written before there were kinds. */
  readonly score?: Score
  readonly symmetrical?: WrittenTruth
  readonly requireAll?: WrittenTruth
  /** A group's own order is not forced over. */
  readonly groupsHold?: boolean
}

export function createOrder(cib: XmlElement, request: NewOrder): EditResult {
  const pair = present({
    first: request.first,
    'first-action': request.firstAction ?? 'start',
    // biome-ignore lint/suspicious/noThenProperty: `first` and `then` are the CIB's words, and this is never awaited.
    then: request.then,
    // Pacemaker takes the first one's action for it; pcs has always written 'start'.
    'then-action': request.thenAction ?? 'start',
  })
  const reports = [
    ...checkConstraint(cib, request, [request.first, request.then]),
    ...checkPair(request.first, request.then, [request.firstAction, request.thenAction]),
    ...(request.force && !request.groupsHold
      ? []
      : withinOneGroup(cib, [request.first, request.then], request.groupsHold === true)),
    ...(request.force ? [] : sameConstraint(cib, { name: 'rsc_order', what: 'order', pair })),
  ]
  return unless(reports, () => {
    const score = request.score === undefined ? undefined : formatScore(request.score)
    const manner = request.kind ?? score ?? 'mandatory'
    const id = request.id ?? idSource(cib).free(`order-${request.first}-${request.then}-${manner}`)
    const attributes = present({
      id,
      ...pair,
      kind: request.kind,
      score,
      symmetrical: request.symmetrical?.toString(),
      'require-all': request.requireAll?.toString(),
    })
    return append(cib, element('rsc_order', attributes))
  })
}

export interface NewResourceSet {
  readonly members: readonly string[]
  readonly sequential?: WrittenTruth
  readonly requireAll?: WrittenTruth
  readonly role?: Role
  readonly action?: OrderAction
}

export interface NewSetConstraint extends NewConstraint {
  readonly sets: readonly NewResourceSet[]
  /** A resource may stand in it twice, as a file may have it. */
  readonly takesRepeats?: boolean
  /** A group's own order is not forced over. */
  readonly groupsHold?: boolean
}

export function createColocationSets(
  cib: XmlElement,
  request: NewSetConstraint & { readonly score: Score },
): EditResult {
  return createSets(cib, request, { name: 'rsc_colocation', attributes: { score: formatScore(request.score) } })
}

export function createOrderSets(
  cib: XmlElement,
  request: NewSetConstraint & { readonly kind?: OrderKind; readonly symmetrical?: WrittenTruth },
): EditResult {
  const attributes = present({ kind: request.kind, symmetrical: request.symmetrical?.toString() })
  return createSets(cib, request, { name: 'rsc_order', attributes })
}

function createSets(
  cib: XmlElement,
  request: NewSetConstraint,
  made: {
    readonly name: 'rsc_colocation' | 'rsc_order'
    readonly attributes: { readonly [name: string]: string | undefined }
  },
): EditResult {
  const members = request.sets.flatMap((set) => set.members)
  const reports: readonly EditReport[] = [
    ...(request.sets.length === 0 || request.sets.some((set) => set.members.length === 0)
      ? [{ code: 'nothing-given', what: 'resource for a set' } as const]
      : []),
    ...(request.takesRepeats ? [] : members.filter((id, i) => members.indexOf(id) !== i)).map(
      (id) => ({ code: 'given-twice', id }) as const,
    ),
    ...checkConstraint(cib, request, members),
    ...(made.name === 'rsc_order' && (!request.force || request.groupsHold) ? withinOneGroup(cib, members) : []),
    ...(request.force ? [] : sameSets(cib, made.name, request.sets)),
  ]
  return unless(reports, () => {
    const ids = idSource(cib)
    const prefix = made.name === 'rsc_order' ? 'order_set' : 'colocation_set'
    const id = request.id ?? ids.free(`${prefix}_${shortNames(members)}`)
    const sets = resourceSetElements(id, request.sets, ids)
    return append(cib, element(made.name, present({ id, ...made.attributes }), sets))
  })
}

/** A report of all that say the same already, by the first of them. */
export function alreadyThere(what: string, same: readonly XmlElement[]): readonly EditReport[] {
  const [id, ...others] = same.map(({ attributes }) => attributes.id ?? '')
  return id === undefined ? [] : [{ code: 'already-exists', what, id, others }]
}

/** Another constraint of the kind with the same members in its sets, whatever their options. */
export function sameSets(
  cib: XmlElement,
  name: 'rsc_colocation' | 'rsc_order' | 'rsc_ticket',
  sets: readonly NewResourceSet[],
  ticket?: string,
): readonly EditReport[] {
  const wanted = JSON.stringify(sets.map(({ members }) => members))
  const same = constraintsOf(cib, name).filter(
    (there) =>
      there.attributes.ticket === ticket &&
      JSON.stringify(
        childElements(there, 'resource_set').map((set) =>
          childElements(set, 'resource_ref').map(({ attributes }) => attributes.id),
        ),
      ) === wanted,
  )
  const what = { rsc_colocation: 'colocation', rsc_order: 'order', rsc_ticket: 'ticket constraint' }[name]
  return alreadyThere(what, same)
}

/** As pcs names sets: the first and the last letter of the first three members. */
export function shortNames(members: readonly string[]): string {
  return members
    .slice(0, 3)
    .map((member) => `${member.charAt(0)}${member.slice(-1)}`)
    .join('')
}

export function resourceSetElements(
  constraint: string,
  sets: readonly NewResourceSet[],
  ids: IdSource,
): readonly XmlElement[] {
  return sets.map((set) =>
    element(
      'resource_set',
      present({
        id: ids.free(`${constraint}_set`),
        sequential: set.sequential?.toString(),
        'require-all': set.requireAll?.toString(),
        role: set.role,
        action: set.action,
      }),
      set.members.map((member) => element('resource_ref', { id: member })),
    ),
  )
}

/** Deletes constraints, or single rules of location constraints, by id. A location whose last rule goes, goes too. */
export function deleteConstraints(cib: XmlElement, request: { readonly ids: readonly string[] }): EditResult {
  const all = constraintsOf(cib)
  const rules = all.flatMap((constraint) => childElements(constraint, 'rule').map((rule) => ({ constraint, rule })))
  const idOf = ({ attributes }: XmlElement): string => attributes.id ?? ''
  const known = [...all, ...rules.map(({ rule }) => rule)].map(idOf)
  const unknown = request.ids.filter((id) => !known.includes(id))
  const reports: readonly EditReport[] = [
    ...(request.ids.length === 0 ? [{ code: 'nothing-given', what: 'constraint' } as const] : []),
    ...unknown.map((id) => ({ code: 'constraint-not-found', id, similar: similarWords(id, known) }) as const),
  ]
  return unless(reports, () => {
    const wanted = new Set(request.ids)
    const whole = all.filter((constraint) => {
      const inside = childElements(constraint, 'rule')
      return wanted.has(idOf(constraint)) || (inside.length > 0 && inside.every((rule) => wanted.has(idOf(rule))))
    })
    const single = rules.filter(({ constraint, rule }) => wanted.has(idOf(rule)) && !whole.includes(constraint))
    const leaving = [...whole, ...single.map(({ rule }) => rule)]
    return edited(
      leaving.reduce((current, item) => replaceElement(current, item, []), cib),
      { removed: leaving.map((item) => ({ element: item.name, id: idOf(item) })) },
    )
  })
}

export function constraintsOf(cib: XmlElement, name?: string): readonly XmlElement[] {
  const section = childElement(configurationElement(cib), 'constraints')
  return section === undefined ? [] : childElements(section, name)
}

export function checkConstraint(
  cib: XmlElement,
  request: NewConstraint,
  resources: readonly string[],
): readonly EditReport[] {
  return [
    ...(request.id === undefined ? [] : badNewId(idSource(cib), request.id, longestId)),
    ...(request.force ? [] : missingResources(cib, [...new Set(resources)], standIns(cib))),
    ...(request.force ? [] : partsOfClones(cib, [...new Set(resources)])),
  ]
}

/** A constraint holds for a clone or bundle as a whole, by its own id. */
export function partsOfClones(cib: XmlElement, resources: readonly string[]): readonly EditReport[] {
  return resources.flatMap((id) => {
    const outer = enclosingClone(cib, id)
    return outer ? [{ code: 'part-of-clone', id, kind: kindOf(outer), outer: outer.attributes.id ?? '' } as const] : []
  })
}

/** The clone or bundle that a resource is inside. */
export function enclosingClone(cib: XmlElement, id: string): XmlElement | undefined {
  const resource = findResource(cib, id)
  return resource && ancestorsOf(configurationElement(cib), resource).find(({ name }) => hasInstances.has(name))
}

const hasInstances: ReadonlySet<string> = new Set(['clone', 'master', 'bundle'])

/** A group has an order of its own. */
function withinOneGroup(cib: XmlElement, resources: readonly string[], countsItself = false): readonly EditReport[] {
  const groups = resources.flatMap((id) => {
    const resource = findResource(cib, id)
    const parent = resource && parentResource(cib, resource)
    return parent?.name === 'group' ? [{ id, group: parent.attributes.id ?? '' }] : []
  })
  return groups.flatMap(({ id, group }, index) => {
    const other = groups
      .slice(0, index)
      .find((earlier) => earlier.group === group && (countsItself || earlier.id !== id))
    return other ? [{ code: 'in-one-group', id, other: other.id, group } as const] : []
  })
}

/** A resource may be related to itself only in two different roles or actions. */
function checkPair(a: string, b: string, [inA, inB]: readonly (string | undefined)[]): readonly EditReport[] {
  return a === b && inA === inB ? [{ code: 'refers-to-itself', id: a }] : []
}

/** What an element leaves out, as the cluster reads it. */
function withDefaults({ name, attributes }: XmlElement): { readonly [name: string]: string | undefined } {
  if (name !== 'rsc_order')
    return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== 'Started'))
  const first = attributes['first-action'] ?? 'start'
  return { ...attributes, 'first-action': first, 'then-action': attributes['then-action'] ?? first }
}

/** Started is the role of what has no role. */
const withoutStarted = (value: string | undefined): string | undefined => (value === 'Started' ? undefined : value)

function sameConstraint(
  cib: XmlElement,
  wanted: {
    readonly name: string
    readonly what: string
    readonly pair: { readonly [name: string]: string | undefined }
  },
): readonly EditReport[] {
  const names = ['rsc', 'with-rsc', 'rsc-role', 'with-rsc-role', 'first', 'then', 'first-action', 'then-action']
  const same = constraintsOf(cib, wanted.name).filter((there) => {
    const attributes = withDefaults(there)
    return names.every((name) => attributes[name] === withoutStarted(wanted.pair[name]))
  })
  return alreadyThere(wanted.what, same)
}

function append(cib: XmlElement, constraint: XmlElement): EditResult {
  return edited(
    editSection(cib, 'constraints', (section) => appended(section, constraint)),
    { created: [constraint.attributes.id ?? ''] },
  )
}
