/**
 * Location constraints as the schema 4.0 has them: one rule each, and no lifetime. A constraint with several rules becomes several; a lifetime
 * becomes a part of the rule. Pacemaker's own upgrade gives the rule around both no score, and then ignores the constraint: here it has
 * that of the rule that it took in, so that the constraint goes on counting.
 */
import { childElement, childElements, element, type XmlElement, type XmlNode } from '../document.ts'
import { withAttributes, withChildren } from '../tree.ts'
import { madeId } from './upgrade-gone.ts'

/** `rules`: by their ids, for the score of one that is referred to. */
export function locationsOf4(location: XmlElement, rules: ReadonlyMap<string, XmlElement>): readonly XmlElement[] {
  const parts = split(location)
  return parts.map((part) => withoutLifetime(part, rules))
}

const ruled = ({ name }: XmlElement): boolean => name === 'rule'

/** What all of them need stands in the first; the others refer to it. */
function split(location: XmlElement): readonly XmlElement[] {
  const rules = childElements(location).filter(ruled)
  if (rules.length < 2) return [location]
  return rules.map((rule, index) =>
    withChildren(
      withAttributes(location, { id: madeId(location.attributes.id, index + 1) }),
      location.children.flatMap((child): readonly XmlNode[] => {
        if (child.kind !== 'element') return index === 0 ? [child] : []
        if (ruled(child)) return child === rule ? [child] : []
        return [index === 0 ? child : referred(child)]
      }),
    ),
  )
}

function referred(part: XmlElement): XmlElement {
  if (part.name === 'lifetime')
    return withChildren(
      part,
      part.children.map((child) => (child.kind === 'element' ? referred(child) : child)),
    )
  const id = part.attributes.id ?? part.attributes['id-ref']
  return id === undefined ? part : element(part.name, { 'id-ref': id })
}

function withoutLifetime(location: XmlElement, rules: ReadonlyMap<string, XmlElement>): XmlElement {
  const lifetime = childElement(location, 'lifetime')
  if (lifetime === undefined) return location
  const inner = childElements(location).find(ruled) ?? nodeRule(location)
  const scored = rules.get(inner.attributes['id-ref'] ?? '') ?? inner
  const { score, 'score-attribute': scoreAttribute, role } = scored.attributes
  const outer = withAttributes(
    element('rule', { id: madeId(location.attributes.id, 'lifetime-and-rule'), 'boolean-op': 'and' }, [
      inner,
      lifetimeRule(location, lifetime),
    ]),
    { score, 'score-attribute': scoreAttribute, role },
  )
  return withChildren(withAttributes(location, { node: undefined, score: undefined }), [
    ...location.children.filter((child) => child !== lifetime && child !== inner),
    outer,
  ])
}

/** The node and the score of a constraint, as a rule. */
function nodeRule({ attributes: { id, node = '', score = '' } }: XmlElement): XmlElement {
  const rule = madeId(id, 'node-score-rule')
  return element('rule', { id: rule, score }, [
    element('expression', { id: `${rule}-expr`, attribute: '#uname', operation: 'eq', value: node }),
  ])
}

/** Any of several rules is enough. */
function lifetimeRule(location: XmlElement, lifetime: XmlElement): XmlElement {
  const [only, ...others] = childElements(lifetime)
  if (only !== undefined && others.length === 0) return only
  return element(
    'rule',
    { id: madeId(location.attributes.id, 'lifetime-or-rule'), 'boolean-op': 'or' },
    lifetime.children,
  )
}
