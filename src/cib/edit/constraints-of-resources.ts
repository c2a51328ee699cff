/** Taking resources out of orders, and pairs out of colocations, by the resources' names rather than the constraints'. */
import { failed } from '../../base/index.ts'
import { childElements, type XmlElement, type XmlNode } from '../document.ts'
import { replaceElement, withChildren } from '../tree.ts'
import { constraintsOf } from './constraints.ts'
import { type EditResult, edited, type Removed } from './reports.ts'

/** Orders of pairs that name a resource go; in sets its reference goes, and the set or order that has no other. */
export function removeFromOrders(cib: XmlElement, request: { readonly resources: readonly string[] }): EditResult {
  const removed: Removed[] = []
  const changed = constraintsOf(cib, 'rsc_order').reduce((current, order) => {
    const { first = '', then: last = '' } = order.attributes
    const isWhole = request.resources.includes(first) || request.resources.includes(last)
    const kept = withoutResources(order, { resources: request.resources, isWhole, removed })
    return kept === order ? current : replaceElement(current, order, kept ? [kept] : [])
  }, cib)
  if (removed.length === 0)
    return failed({ code: 'not-found', what: 'order with', id: request.resources.join("' or '"), similar: [] })
  return edited(changed, { removed })
}

/**
 * A constraint without some resources: it goes where it names one itself (`isWhole`); in its sets the references go, and sets that become empty.
 * The same constraint where it names none of them; undefined where nothing of it is left. What goes is added to `removed`.
 */
export function withoutResources(
  constraint: XmlElement,
  { resources, isWhole, removed }: { resources: readonly string[]; isWhole: boolean; removed: Removed[] },
): XmlElement | undefined {
  const id = constraint.attributes.id ?? ''
  const whole = (): undefined => {
    removed.push({ element: constraint.name, id })
    return undefined
  }
  if (isWhole) return whole()
  const sets = childElements(constraint, 'resource_set')
  const isGone = (child: XmlNode): boolean => child.kind === 'element' && resources.includes(child.attributes.id ?? '')
  if (!sets.some((set) => set.children.some(isGone))) return constraint
  const kept = sets
    .map((set) =>
      withChildren(
        set,
        set.children.filter((child) => !isGone(child)),
      ),
    )
    .filter((set) => childElements(set).length > 0)
  if (kept.length === 0) return whole()
  for (const member of sets.flatMap((set) => set.children.filter(isGone)))
    if (member.kind === 'element') removed.push({ element: 'resource_ref', id: member.attributes.id ?? '', from: id })
  const others = constraint.children.filter((child) => child.kind !== 'element' || child.name !== 'resource_set')
  return withChildren(constraint, [...others, ...kept])
}

/** The colocations of one resource with another, in whatever roles. */
export function removeColocations(
  cib: XmlElement,
  request: {
    readonly dependent: string
    readonly primary: string
    /** Also where the two stand the other way round. */
    readonly eitherWay?: boolean
  },
): EditResult {
  const { dependent, primary, eitherWay } = request
  const leaving = constraintsOf(cib, 'rsc_colocation').filter(
    ({ attributes: { rsc, 'with-rsc': withRsc } }) =>
      (rsc === dependent && withRsc === primary) || (eitherWay && rsc === primary && withRsc === dependent),
  )
  if (leaving.length === 0)
    return failed({
      code: 'not-found',
      what: `colocation of '${request.dependent}' with`,
      id: request.primary,
      similar: [],
    })
  return edited(
    leaving.reduce((current, item) => replaceElement(current, item, []), cib),
    { removed: leaving.map(({ attributes }) => ({ element: 'rsc_colocation', id: attributes.id ?? '' })) },
  )
}
