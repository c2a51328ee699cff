/**
 * A description of a configuration put into one that runs, by three sides: what the description said when it was last applied (`base`), what runs, and what it
 * says now (`wanted`). What neither side of the description names stays as it is. What only one of description and cluster has changed is taken over; what both have
 * changed is a conflict. Parts that hold options (resources, sets of options) are compared option by option; constraints, tags, roles, levels and alerts are one thing each.
 * Parts of a description need no ids: it is the first set of a resource, the pair of a name, the operation of a name, interval and role.
 */
import { childElement, childElements, element, type XmlElement, type XmlNode } from '../document.ts'
import { configurationElement } from '../read-configuration.ts'
import { canonicalTextIn } from '../same-configuration.ts'
import { configurationSections, editSection, withChildren } from '../tree.ts'
import { parseIntervalMs, parseRole } from '../values/attribute-text.ts'
import { identified } from './identified.ts'
import { flatResources, type PlacedResources, unflattened } from './placed-resources.ts'
import { orderedAlike } from './three-way-order.ts'

/** Description and cluster say something else about one thing. */
export interface Divergence {
  /** The resource, constraint, node, or the section. */
  readonly id: string
  /** The option or attribute within; empty for the whole. */
  readonly what: string
  /** Undefined where it is not there. */
  readonly base: string | undefined
  readonly running: string | undefined
  readonly wanted: string | undefined
}

export interface ThreeWaySides {
  /** Configurations; `base` and `wanted` name only some things. */
  readonly base: XmlElement
  readonly wanted: XmlElement
  /** The description wins wherever the cluster says something else. */
  readonly overwrites?: boolean
  /** What the description does not name goes, in the sections that it has; but these options of the cluster's own. */
  readonly prunesAllBut?: ReadonlySet<string>
}

export interface ThreeWay {
  readonly cib: XmlElement
  /** Both have changed it. The cluster's is in `cib`. */
  readonly conflicts: readonly Divergence[]
  /** Changed in the cluster since, and not by the description: the cluster's stays. */
  readonly kept: readonly Divergence[]
}

interface Sides {
  readonly base: XmlElement | undefined
  readonly running: XmlElement | undefined
  readonly wanted: XmlElement | undefined
}

export function mergeThreeWays(
  running: XmlElement,
  { base, wanted, overwrites = false, prunesAllBut }: ThreeWaySides,
): ThreeWay {
  const merge = new Merge(running, overwrites)
  const [from, to] = [configurationElement(base), configurationElement(wanted)]
  const named = configurationSections.filter((name) => childElement(from, name) ?? childElement(to, name))
  const cib = named.reduce((current, name) => {
    const now = childElement(configurationElement(current), name)
    const sides = { base: childElement(from, name), running: now, wanted: childElement(to, name) }
    merge.keepsOnly(sides.wanted === undefined ? undefined : prunesAllBut)
    const children = name === 'resources' ? merge.resources(sides) : merge.children(name, sides)
    if (now !== undefined && isSameList(childElements(now), children)) return current
    if (now === undefined && children.length === 0) return current
    return editSection(current, name, (section) => withChildren(section, [...remarksOf(section), ...children]))
  }, running)
  return { cib: identified(cib), conflicts: merge.conflicts, kept: merge.kept }
}

const remarksOf = (section: XmlElement): readonly XmlNode[] => section.children.filter(({ kind }) => kind !== 'element')

const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((one, at) => one === b[at])

/** Each of these is one thing: it is as the description has it, or as the cluster has it. */
const wholes: ReadonlySet<string> = new Set([
  'rsc_location',
  'rsc_colocation',
  'rsc_order',
  'rsc_ticket',
  'tag',
  'acl_role',
  'acl_target',
  'acl_group',
  'acl_user',
  'fencing-level',
  'alert',
  'rule',
])

const setNames: ReadonlySet<string> = new Set([
  'cluster_property_set',
  'instance_attributes',
  'meta_attributes',
  'utilization',
])

const isWhole = (part: XmlElement): boolean =>
  wholes.has(part.name) ||
  part.attributes['id-ref'] !== undefined ||
  (setNames.has(part.name) && childElement(part, 'rule') !== undefined)

const itsParent = 'its group or clone'

class Merge {
  readonly conflicts: Divergence[] = []
  readonly kept: Divergence[] = []
  readonly #canonical: (part: XmlElement) => string
  readonly #overwrites: boolean
  #prunesAllBut: ReadonlySet<string> | undefined

  constructor(running: XmlElement, overwrites: boolean) {
    this.#canonical = canonicalTextIn(running)
    this.#overwrites = overwrites
  }

  /** For the sections that follow: what is not named goes, but these options; undefined where it stays. */
  keepsOnly(options: ReadonlySet<string> | undefined): void {
    this.#prunesAllBut = options
  }

  #prunes({ name, attributes }: XmlElement): boolean {
    return this.#prunesAllBut?.has((name === 'nvpair' && attributes.name) || '') === false
  }

  /** Each resource by itself, wherever it is, and then which is in which. */
  resources({ base, running, wanted }: Sides): readonly XmlElement[] {
    const [was, now, is] = [flatResources(base), flatResources(running), flatResources(wanted)]
    const ids = [...new Set([...now.own.keys(), ...is.own.keys()])]
    const own = new Map<string, XmlElement>()
    for (const id of ids) {
      const merged = this.#part(id, { base: was.own.get(id), running: now.own.get(id), wanted: is.own.get(id) })
      if (merged) own.set(id, merged)
    }
    const parents = new Map([...own.keys()].map((id) => [id, this.#parentOf(id, { was, now, is, own })] as const))
    const members = (list: PlacedResources, parent: string): readonly string[] => list.members.get(parent) ?? []
    const orders = new Map(
      [...new Set(parents.values())].map((parent) => {
        const here = [...own.keys()].filter((id) => parents.get(id) === parent)
        const sides = { base: members(was, parent), running: members(now, parent), wanted: members(is, parent) }
        return [parent, parent === '' ? orderedAlike(here, sides) : this.#membersOf(parent, here, sides)] as const
      }),
    )
    return unflattened(now, own, orders)
  }

  /** The order of a group is one thing, which a description that names the members says as well. */
  #membersOf(
    id: string,
    here: readonly string[],
    { base, running, wanted }: Readonly<Record<'base' | 'running' | 'wanted', readonly string[]>>,
  ): readonly string[] {
    const isKnown = base.length > 0
    const shared = (list: readonly string[]): string =>
      list.filter((one) => running.includes(one) && wanted.includes(one) && (!isKnown || base.includes(one))).join(' ')
    const [was, now, is] = [shared(base), shared(running), shared(wanted)]
    if (!isKnown || this.#overwrites) return orderedAlike(here, { base: running, running, wanted })
    const divergence = { id, what: 'the order of its members', base: was, running: now, wanted: is }
    if (was !== now && now !== is) (was === is ? this.kept : this.conflicts).push(divergence)
    return orderedAlike(here, { base, running, wanted })
  }

  #parentOf(
    id: string,
    {
      was,
      now,
      is,
      own,
    }: Readonly<Record<'was' | 'now' | 'is', PlacedResources>> & { readonly own: ReadonlyMap<string, XmlElement> },
  ): string {
    const parent = this.#choose(
      { id, what: itsParent, base: was.parents.get(id), running: now.parents.get(id), wanted: is.parents.get(id) },
      was.own.has(id),
    )
    // What was around it is gone: it goes to where that was.
    return parent === undefined || parent === '' || own.has(parent) ? (parent ?? '') : this.#around(parent, now, own)
  }

  #around(gone: string, now: PlacedResources, own: ReadonlyMap<string, XmlElement>): string {
    const outer = now.parents.get(gone) ?? ''
    return outer === '' || own.has(outer) ? outer : this.#around(outer, now, own)
  }

  children(id: string, { base, running, wanted }: Sides): readonly XmlElement[] {
    const [was, now, is] = [keyed(base), keyed(running), keyed(wanted)]
    const keys = [...new Set([...now.keys(), ...is.keys()])]
    const merged = new Map<string, XmlElement>()
    for (const key of keys) {
      const sides = { base: was.get(key), running: now.get(key), wanted: is.get(key) }
      const part = this.#part(id, sides)
      if (part && !isEmptied(part, sides.running)) merged.set(key, part)
    }
    const order = orderedAlike([...merged.keys()], {
      base: [...was.keys()],
      running: [...now.keys()],
      wanted: [...is.keys()],
    })
    return order.flatMap((key) => merged.get(key) ?? [])
  }

  #part(around: string, { base, running, wanted }: Sides): XmlElement | undefined {
    const present = wanted ?? running ?? base
    if (present === undefined) return undefined
    const id = namedBy(present, around)
    const whole = { id, what: partName(present), base: base?.name, running: running?.name, wanted: wanted?.name }
    if (wanted === undefined) {
      const prunes = running !== undefined && this.#prunes(running)
      if (running === undefined || (base === undefined && !prunes)) return running
      // Membership is not what a description takes away, nor is what the cluster writes by itself, nor options that others have set beside.
      if (running.name === 'node' || isOfOptions(running))
        return this.#inside(id, { base, running, wanted: { ...(base ?? running), children: [] } })
      if (prunes || this.#overwrites || base === undefined || this.#holds(base, running)) return undefined
      return this.#conflict(whole, running)
    }
    if (running === undefined) {
      if (base === undefined || this.#overwrites) return wanted
      if (this.#isSame(base, wanted)) this.kept.push(whole)
      else this.conflicts.push(whole)
      return undefined
    }
    if (!isWhole(wanted) && !isWhole(running) && wanted.name === running.name)
      return this.#inside(id, { base: base?.name === wanted.name ? base : undefined, running, wanted })
    if (this.#isSame(wanted, running)) return running
    if (base === undefined || this.#overwrites || this.#isSame(base, running)) return wanted
    if (!this.#isSame(base, wanted)) return this.#conflict(whole, running)
    this.kept.push(whole)
    return running
  }

  #conflict(divergence: Divergence, running: XmlElement): XmlElement {
    this.conflicts.push(divergence)
    return running
  }

  #inside(id: string, { base, running, wanted }: Sides & Record<'running' | 'wanted', XmlElement>): XmlElement {
    const attributes = this.#attributes(id, { base, running, wanted })
    const children = this.children(id, { base, running, wanted })
    if (attributes === running.attributes && isSameList(childElements(running), children)) return running
    return { ...running, attributes, children: [...remarksOf(running), ...children] }
  }

  #attributes(
    id: string,
    { base, running, wanted }: Sides & Record<'running' | 'wanted', XmlElement>,
  ): XmlElement['attributes'] {
    const names = [...new Set([...Object.keys(running.attributes), ...Object.keys(wanted.attributes)])]
    const entries = names.flatMap((name): readonly (readonly [string, string])[] => {
      const [was, now, is] = [base?.attributes[name], running.attributes[name], wanted.attributes[name]]
      if (name === 'id') return [[name, now ?? is ?? '']]
      // The kind of a node is the membership's, unless it is said.
      if (name === 'type' && running.name === 'node' && is === undefined) return now === undefined ? [] : [[name, now]]
      // Nobody has said it, so that it stays; but of class, provider, type and template all are the description's that says one.
      const isOpen = is === undefined && was === undefined && !(ofAgents.has(name) && isOfAgent(running))
      if (isOpen && this.#prunes(running) && !setNames.has(running.name) && running.name !== 'node') return []
      if (isOpen) return now === undefined ? [] : [[name, now]]
      const what = running.name === 'nvpair' ? (running.attributes.name ?? '') : name
      const chosen = this.#choose({ id, what, base: was, running: now, wanted: is }, base !== undefined)
      return chosen === undefined ? [] : [[name, chosen]]
    })
    const made = Object.fromEntries(entries)
    const isSame =
      Object.keys(running.attributes).length === entries.length &&
      entries.every(([name, value]) => running.attributes[name] === value)
    return isSame ? running.attributes : made
  }

  #choose(one: Divergence, hasBase: boolean): string | undefined {
    const { base, running, wanted } = one
    if (wanted === running) return running
    if (wanted === undefined && base === undefined && hasBase) return running
    if (!hasBase) return wanted ?? (one.what === itsParent ? running : undefined)
    if (base === running || this.#overwrites) return wanted
    if (base === wanted) this.kept.push(one)
    else this.conflicts.push(one)
    return running
  }

  #isSame(a: XmlElement, b: XmlElement): boolean {
    return this.#canonical(a) === this.#canonical(b)
  }

  /** Whether all that the description said of it is as it was; more may have come. */
  #holds(base: XmlElement, running: XmlElement): boolean {
    if (isWhole(base)) return this.#isSame(base, running)
    const now = keyed(running)
    const attributes = Object.entries(base.attributes)
    return (
      attributes.every(([name, value]) => name === 'id' || running.attributes[name] === value) &&
      [...keyed(base)].every(([key, child]) => {
        const found = now.get(key)
        return found !== undefined && this.#holds(child, found)
      })
    )
  }
}

const ofAgents: ReadonlySet<string> = new Set(['class', 'provider', 'type', 'template'])
const isOfAgent = ({ name }: XmlElement): boolean => name === 'primitive' || name === 'template'

const isOfOptions = (part: XmlElement): boolean =>
  part.name === 'operations' || (setNames.has(part.name) && !isWhole(part))

/** A set whose last option has gone goes as well. */
const isEmptied = (part: XmlElement, running: XmlElement | undefined): boolean =>
  running !== undefined &&
  part !== running &&
  (setNames.has(part.name) || part.name === 'operations') &&
  childElements(part).length === 0 &&
  childElements(running).length > 0

/** Pairs and sets are told by the resource that they are of. */
function namedBy({ name, attributes }: XmlElement, around: string): string {
  if (name === 'node') return attributes.uname ?? around
  return name === 'nvpair' || name === 'operations' || name === 'op' || setNames.has(name)
    ? around
    : (attributes.id ?? around)
}

const partName = ({ name, attributes }: XmlElement): string =>
  name === 'nvpair' || name === 'op' ? (attributes.name ?? '') : ''

function keyed(parent: XmlElement | undefined): ReadonlyMap<string, XmlElement> {
  const children = new Map<string, XmlElement>()
  for (const child of childElements(parent ?? element('none'))) {
    const key = keyOf(child)
    let unique = key
    for (let number = 2; children.has(unique); number++)
      unique = setNames.has(child.name) ? `${key} ${child.attributes.id ?? number}` : `${key} ${number}`
    children.set(unique, child)
  }
  return children
}

function keyOf(child: XmlElement): string {
  const { id = '', name = '', uname, interval = '0', role = '' } = child.attributes
  if (child.name === 'nvpair') return `nvpair ${name}`
  if (child.name === 'op') return `op ${name} ${parseIntervalMs(interval)} ${parseRole(role) ?? role}`
  if (child.name === 'node') return `node ${uname ?? id}`
  if (setNames.has(child.name)) return isWhole(child) ? `${child.name} ${id}` : child.name
  return onlyOnce.has(child.name) ? child.name : `${child.name} ${id}`
}

/** A resource has one of each, whatever its id. */
const onlyOnce: ReadonlySet<string> = new Set(['operations', 'network', 'storage', 'docker', 'podman', 'rkt'])
