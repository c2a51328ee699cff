/** Constraints in the form in which `pcs constraint config --output-format json` gives them out. */
import { childElement, childElements, parseBoolean, type XmlElement } from '../../cib/index.ts'
import type { FormContext } from './nvset.ts'
import { type RuleForm, ruleForms } from './rule.ts'

export interface ConstraintsForm {
  readonly location: readonly LocationForm[]
  readonly location_set: readonly SetForm<LocationAttributes>[]
  readonly colocation: readonly ColocationForm[]
  readonly colocation_set: readonly SetForm<ColocationAttributes>[]
  readonly order: readonly OrderForm[]
  readonly order_set: readonly SetForm<OrderAttributes>[]
  readonly ticket: readonly TicketForm[]
  readonly ticket_set: readonly SetForm<TicketAttributes>[]
}

export interface SetForm<Attributes> {
  readonly resource_sets: readonly ResourceSetForm[]
  readonly attributes: Attributes
}

export interface ResourceSetForm {
  readonly set_id: string
  readonly sequential: boolean | null
  readonly require_all: boolean | null
  readonly ordering: string | null
  readonly action: string | null
  readonly role: string | null
  readonly score: string | null
  readonly kind: string | null
  readonly resources_ids: readonly string[]
}

interface LocationAttributes {
  readonly constraint_id: string
  readonly score: string | null
  readonly node: string | null
  readonly rules: readonly RuleForm[]
  readonly lifetime: readonly RuleForm[]
  readonly resource_discovery: string | null
}

export interface LocationForm {
  readonly resource_id: string | null
  readonly resource_pattern: string | null
  readonly role: string | null
  readonly attributes: LocationAttributes
}

interface ColocationAttributes {
  readonly constraint_id: string
  readonly score: string | null
  readonly influence: string | null
  readonly lifetime: readonly RuleForm[]
}

export interface ColocationForm {
  readonly resource_id: string
  readonly with_resource_id: string
  readonly node_attribute: string | null
  readonly resource_role: string | null
  readonly with_resource_role: string | null
  readonly resource_instance: number | null
  readonly with_resource_instance: number | null
  readonly attributes: ColocationAttributes
}

interface OrderAttributes {
  readonly constraint_id: string
  readonly symmetrical: boolean | null
  readonly require_all: boolean | null
  readonly score: string | null
  readonly kind: string | null
}

export interface OrderForm {
  readonly first_resource_id: string
  readonly then_resource_id: string
  readonly first_action: string | null
  readonly then_action: string | null
  readonly first_resource_instance: number | null
  readonly then_resource_instance: number | null
  readonly attributes: OrderAttributes
}

interface TicketAttributes {
  readonly constraint_id: string
  readonly ticket: string
  readonly loss_policy: string | null
}

export interface TicketForm {
  readonly resource_id: string
  readonly role: string | null
  readonly attributes: TicketAttributes
}

export function constraintsForm(constraints: readonly XmlElement[], context: FormContext): ConstraintsForm {
  const plain = <Form>(kind: string, form: (written: XmlElement) => Form): Form[] =>
    constraints.filter((one) => one.name === `rsc_${kind}` && !hasSets(one)).map(form)
  const inSets = <Attributes>(kind: string, form: (written: XmlElement) => Attributes): SetForm<Attributes>[] =>
    constraints
      .filter((one) => one.name === `rsc_${kind}` && hasSets(one))
      .map((one) => ({ resource_sets: childElements(one, 'resource_set').map(setForm), attributes: form(one) }))
  const location = (written: XmlElement): LocationAttributes => locationAttributes(written, context)
  const colocation = (written: XmlElement): ColocationAttributes => colocationAttributes(written, context)
  return {
    location: plain('location', ({ attributes, ...rest }) => ({
      resource_id: attributes.rsc ?? null,
      resource_pattern: attributes['rsc-pattern'] ?? null,
      role: attributes.role ?? null,
      attributes: location({ attributes, ...rest }),
    })),
    location_set: inSets('location', location),
    colocation: plain('colocation', (written) => ({
      resource_id: written.attributes.rsc ?? '',
      with_resource_id: written.attributes['with-rsc'] ?? '',
      node_attribute: written.attributes['node-attribute'] ?? null,
      resource_role: written.attributes['rsc-role'] ?? null,
      with_resource_role: written.attributes['with-rsc-role'] ?? null,
      resource_instance: numberOf(written.attributes['rsc-instance']),
      with_resource_instance: numberOf(written.attributes['with-rsc-instance']),
      attributes: colocation(written),
    })),
    colocation_set: inSets('colocation', colocation),
    order: plain('order', (written) => ({
      first_resource_id: written.attributes.first ?? '',
      then_resource_id: written.attributes.then ?? '',
      first_action: written.attributes['first-action'] ?? null,
      then_action: written.attributes['then-action'] ?? null,
      first_resource_instance: numberOf(written.attributes['first-instance']),
      then_resource_instance: numberOf(written.attributes['then-instance']),
      attributes: orderAttributes(written),
    })),
    order_set: inSets('order', orderAttributes),
    ticket: plain('ticket', (written) => ({
      resource_id: written.attributes.rsc ?? '',
      role: written.attributes['rsc-role'] ?? null,
      attributes: ticketAttributes(written),
    })),
    ticket_set: inSets('ticket', ticketAttributes),
  }
}

/** A constraint all of whose rules are over. */
export function isOver(form: ConstraintsForm, id: string): boolean {
  return [...form.location, ...form.location_set].some(
    ({ attributes: { constraint_id, rules } }) => constraint_id === id && allOver(rules),
  )
}

export function withoutExpired(form: ConstraintsForm): ConstraintsForm {
  const current = <One extends { readonly attributes: LocationAttributes }>(list: readonly One[]): readonly One[] =>
    list.filter(({ attributes }) => !allOver(attributes.rules))
  return { ...form, location: current(form.location), location_set: current(form.location_set) }
}

function allOver(rules: readonly RuleForm[]): boolean {
  return rules.length > 0 && rules.every(({ in_effect }) => in_effect === 'EXPIRED')
}

const hasSets = (written: XmlElement): boolean => childElement(written, 'resource_set') !== undefined

function setForm(set: XmlElement): ResourceSetForm {
  const { attributes } = set
  return {
    set_id: attributes.id ?? '',
    sequential: truth(attributes.sequential),
    require_all: truth(attributes['require-all']),
    ordering: attributes.ordering ?? null,
    action: attributes.action ?? null,
    role: attributes.role ?? null,
    score: attributes.score ?? null,
    kind: attributes.kind ?? null,
    resources_ids: childElements(set, 'resource_ref').map((reference) => reference.attributes.id ?? ''),
  }
}

function locationAttributes(written: XmlElement, { cib, now }: FormContext): LocationAttributes {
  const { attributes } = written
  return {
    constraint_id: attributes.id ?? '',
    score: attributes.score ?? null,
    node: attributes.node ?? null,
    rules: ruleForms(written, cib, now),
    lifetime: lifetime(written, { cib, now }),
    resource_discovery: attributes['resource-discovery'] ?? null,
  }
}

function colocationAttributes(written: XmlElement, context: FormContext): ColocationAttributes {
  const { attributes } = written
  return {
    constraint_id: attributes.id ?? '',
    score: attributes.score ?? null,
    influence: attributes.influence ?? null,
    lifetime: lifetime(written, context),
  }
}

function lifetime(written: XmlElement, { cib, now }: Pick<FormContext, 'cib' | 'now'>): readonly RuleForm[] {
  return childElements(written, 'lifetime').flatMap((one) => ruleForms(one, cib, now))
}

function orderAttributes({ attributes }: XmlElement): OrderAttributes {
  return {
    constraint_id: attributes.id ?? '',
    symmetrical: truth(attributes.symmetrical),
    require_all: truth(attributes['require-all']),
    score: attributes.score ?? null,
    kind: attributes.kind ?? null,
  }
}

function ticketAttributes({ attributes }: XmlElement): TicketAttributes {
  return {
    constraint_id: attributes.id ?? '',
    ticket: attributes.ticket ?? '',
    loss_policy: attributes['loss-policy'] ?? null,
  }
}

const truth = (text: string | undefined): boolean | null => (text === undefined ? null : (parseBoolean(text) ?? null))
const numberOf = (text: string | undefined): number | null => (text === undefined ? null : Number(text))
