/** Short words for the configurations of this suite. */
import { dummy, meta, pairs, type SmallCib, type SmallNode } from '../small-cib.ts'

export { dummy, meta }

/** One rule in the smallest cluster that shows it. Names are unique within a topic: the recorded answer is found by them. */
export interface RuleCase {
  readonly name: string
  readonly cib: SmallCib
  /** Why we decide otherwise than the recorded Pacemaker; such a case says what we do in `instead`. */
  readonly differs?: string
}

export type Values = Readonly<Record<string, string>>

/** An operation's attributes; `interval` is 0 where it is left out. */
export const op = (resource: string, name: string, values: Values = {}): string => {
  const interval = values.interval ?? '0s'
  const role = values.role === undefined ? '' : `-${values.role}`
  const all = Object.entries({ ...values, interval })
    .map(([key, value]) => `${key}="${value}"`)
    .join(' ')
  return `<op id="${resource}-${name}-${interval}${role}" name="${name}" ${all}/>`
}

export const operations = (...ops: readonly string[]): string => `<operations>${ops.join('')}</operations>`

export const utilization = (id: string, values: Values): string =>
  `<utilization id="${id}-u">${pairs(`${id}-u`, values)}</utilization>`

export const stateful = (id: string, inside = ''): string =>
  `<primitive id="${id}" class="ocf" provider="pacemaker" type="Stateful">${inside}</primitive>`

export const device = (id = 'fence'): string => `<primitive id="${id}" class="stonith" type="fence_ipmilan"/>`

export const group = (id: string, members: readonly string[], values: Values = {}): string =>
  `<group id="${id}">${meta(id, values)}${members.join('')}</group>`

export const clone = (id: string, inside: string, values: Values = {}): string =>
  `<clone id="${id}">${meta(id, values)}${inside}</clone>`

export const promotable = (id: string, inside: string, values: Values = {}): string =>
  clone(id, inside, { promotable: 'true', ...values })

const attributes = (values: Values): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${value}"`)
    .join('')

export const prefers = (resource: string, node: string, score: string, more: Values = {}): string =>
  `<rsc_location id="loc-${resource}-${node}" rsc="${resource}" node="${node}" score="${score}"${attributes(more)}/>`

export const avoids = (resource: string, node: string): string => prefers(resource, node, '-INFINITY')

export const ruled = (resource: string, score: string, expression: string, more: Values = {}): string =>
  `<rsc_location id="loc-${resource}-rule" rsc="${resource}"><rule id="rule-${resource}" score="${score}"${attributes(more)}>${expression}</rule></rsc_location>`

export const expression = (values: Values): string =>
  `<expression id="e-${values.attribute?.replace('#', '')}-${values.operation}"${attributes(values)}/>`

export const together = (dependent: string, primary: string, score = 'INFINITY', more: Values = {}): string =>
  `<rsc_colocation id="col-${dependent}-${primary}" rsc="${dependent}" with-rsc="${primary}" score="${score}"${attributes(more)}/>`

export const order = (first: string, then: string, more: Values = {}): string =>
  `<rsc_order id="order-${first}-${then}" first="${first}" then="${then}"${attributes(more)}/>`

export const resourceSet = (id: string, resources: readonly string[], more: Values = {}): string =>
  `<resource_set id="${id}"${attributes(more)}>${resources.map((resource) => `<resource_ref id="${resource}"/>`).join('')}</resource_set>`

export const orderedSets = (...sets: readonly string[]): string =>
  `<rsc_order id="order-sets">${sets.join('')}</rsc_order>`

export const colocatedSets = (...sets: readonly string[]): string =>
  `<rsc_colocation id="col-sets" score="INFINITY">${sets.join('')}</rsc_colocation>`

export const idle: SmallNode = {}
export const ran = (...operations_: readonly string[]): SmallNode => ({ ran: operations_ })
export const lost: SmallNode = { state: 'lost' }
export const offline: SmallNode = { state: 'offline' }

/** A node whose transient attributes are these. */
export const having = (attributes_: Values, ...operations_: readonly string[]): SmallNode => ({
  attributes: attributes_,
  ran: operations_,
})

/** Every combination of one from each list, as a table of rules has rows. */
export function* combine<A, B>(first: readonly A[], second: readonly B[]): Generator<readonly [A, B]> {
  for (const a of first) for (const b of second) yield [a, b]
}

/** Why such a case's answer is not the reference's. */
export const stuck = 'its simulation of the transition comes to no end, and it says so with an error'
