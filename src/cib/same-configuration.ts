/**
 * Whether two configurations say the same. What nobody refers to may have another id, sets may stand in another order among
 * the parts of a resource, and one thing may be written in several ways (`1` for `true`, `1000000` for INFINITY).
 */
import { compareText } from '../base/index.ts'
import { childElements, element, printXml, type XmlElement } from './document.ts'
import { configurationElement } from './read-configuration.ts'
import { parseBoolean, parseIntervalMs, parseOrderKind, parseRole } from './values/attribute-text.ts'
import { formatScore, parseScore } from './values/score.ts'

export function sameConfiguration(a: XmlElement, b: XmlElement): boolean {
  return canonicalText(configurationElement(a), a) === canonicalText(configurationElement(b), b)
}

/** One text for all elements that say the same. References are looked for in the whole document. */
export function canonicalText(part: XmlElement, document: XmlElement): string {
  return printXml(canonical(part, referredTo(document)))
}

/** The same for many parts of one document, whose references are looked for once. */
export function canonicalTextIn(document: XmlElement): (part: XmlElement) => string {
  const referred = referredTo(document)
  return (part) => printXml(canonical(part, referred))
}

/** Parts whose id is only for references. */
const anonymous = new Set([
  'cluster_property_set',
  'meta_attributes',
  'instance_attributes',
  'utilization',
  'nvpair',
  'rule',
  'expression',
  'date_expression',
  'rsc_expression',
  'op_expression',
  'duration',
  'date_spec',
  'resource_set',
  'acl_permission',
  'operations',
])
const setNames = new Set(['cluster_property_set', 'meta_attributes', 'instance_attributes', 'utilization'])

function referredTo(document: XmlElement): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (part: XmlElement): void => {
    const { 'id-ref': reference, reference: permitted } = part.attributes
    if (reference !== undefined) found.add(reference)
    if (permitted !== undefined) found.add(permitted)
    if (part.name === 'obj_ref' && part.attributes.id !== undefined) found.add(part.attributes.id)
    for (const child of childElements(part)) visit(child)
  }
  visit(configurationElement(document))
  return found
}

function canonical(part: XmlElement, referred: ReadonlySet<string>, parent = ''): XmlElement {
  const attributes = Object.entries(part.attributes)
    .filter(([name, value]) => name !== 'id' || !anonymous.has(part.name) || referred.has(value))
    .filter(([name, value]) => part.name !== 'node' || name !== 'type' || value !== 'member')
    // 'and' is the default, and of one condition it does not matter how it is joined.
    .filter(([name, value]) => name !== 'boolean-op' || (value === 'or' && childElements(part).length > 1))
    // Started is the role of what has none.
    .filter(([name, value]) => part.name !== 'rsc_colocation' || !roles.has(name) || parseRole(value) !== 'Started')
    // Of a rule for values only whether it holds matters; pcs gave it a score until 0.12.
    .filter(([name]) => name !== 'score' || part.name !== 'rule' || !setNames.has(parent))
    .map(([name, value]) => [name, canonicalValue(part, name, value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const actions = part.name === 'rsc_order' && part.attributes.first !== undefined ? defaultActions(part) : {}
  const interval = part.name === 'op' && part.attributes.interval === undefined ? { interval: '0' } : {}
  const children = childElements(part)
    .map((child) => canonical(child, referred, part.name))
    .filter((child) => !isEmpty(child))
  return element(
    part.name,
    { ...interval, ...actions, ...Object.fromEntries(attributes) },
    ordered(part.name, children),
  )
}

function defaultActions({ attributes }: XmlElement): Readonly<Record<string, string>> {
  const first = attributes['first-action'] ?? 'start'
  return { 'first-action': first, 'then-action': attributes['then-action'] ?? first }
}

/** An empty list says nothing. */
function isEmpty({ name, children, attributes }: XmlElement): boolean {
  if (children.length > 0 || attributes['id-ref'] !== undefined) return false
  return ['operations', 'network', 'storage'].includes(name)
    ? Object.keys(attributes).length === 0
    : setNames.has(name) || sectionNames.has(name)
}

const sectionNames = new Set(['tags', 'acls', 'alerts', 'fencing-topology', 'rsc_defaults', 'op_defaults'])
const partsInOrder = ['meta_attributes', 'instance_attributes', 'utilization', 'operations']

/** Sections and the kinds of a resource's parts in one order; within a kind the order of the document, which may count. */
function ordered(parent: string, children: readonly XmlElement[]): readonly XmlElement[] {
  if (parent === 'configuration') return [...children].sort((a, b) => (a.name < b.name ? -1 : 1))
  if (setNames.has(parent)) return orderedPairs(children)
  if (parent === 'operations') return [...children].sort((a, b) => compareText(nameOf(a), nameOf(b)))
  const rank = ({ name }: XmlElement): number => (partsInOrder.indexOf(name) + partsInOrder.length + 1) % 5
  return [...children].sort((a, b) => rank(a) - rank(b))
}

/** Of two pairs with one name the first counts, as of two operations; of different names none is first. */
function orderedPairs(children: readonly XmlElement[]): readonly XmlElement[] {
  const rules = children.filter((child) => child.name === 'rule')
  const pairs = children.filter((child) => child.name !== 'rule')
  return [...rules, ...pairs.sort((a, b) => compareText(nameOf(a), nameOf(b)))]
}

const nameOf = ({ attributes }: XmlElement): string => attributes.name ?? ''
const booleans = new Set(['symmetrical', 'require-all', 'sequential', 'influence', 'enabled'])
const roles = new Set(['role', 'rsc-role', 'with-rsc-role'])

function canonicalValue(part: XmlElement, name: string, value: string): string {
  if (name === 'score') {
    const score = parseScore(value)
    return score === undefined ? value : formatScore(score)
  }
  if (name === 'interval' && ['op', 'op_expression'].includes(part.name)) return String(parseIntervalMs(value))
  if (booleans.has(name)) return String(parseBoolean(value) ?? value)
  if (roles.has(name)) return parseRole(value) ?? value
  if (name === 'kind' && part.name === 'rsc_order') return parseOrderKind(value) ?? value
  if (name === 'devices') return value.split(/[\s,;]+/).join(',')
  return value
}
