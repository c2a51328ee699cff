/** Constraints as pcs 0.12 prints them: pairs before sets of each kind, ids with `--full` only. */
import type { ConstraintsForm, LocationForm, ResourceSetForm, SetForm } from './constraints.ts'
import { pairWords } from './nvset.ts'
import { ruleLines } from './rule.ts'

export function constraintTextLines(form: ConstraintsForm, withIds: boolean): readonly string[] {
  const id = (text: string): string => (withIds ? ` (id: ${text})` : '')
  const sets = <Attributes extends { readonly constraint_id: string }>(
    list: readonly SetForm<Attributes>[],
    options: (attributes: Attributes) => readonly string[],
  ): readonly (readonly string[])[] =>
    list.map(({ resource_sets, attributes }) => [
      withIds ? `Set Constraint: ${attributes.constraint_id}` : 'Set Constraint:',
      ...optionLine(options(attributes)),
      ...resource_sets.flatMap((set) => setLines(set, withIds)).map((line) => `  ${line}`),
    ])
  return [
    ...section(
      'Location Constraints:',
      form.location.map((one) => locationLines(one, withIds)),
    ),
    ...section(
      'Location Set Constraints:',
      sets(form.location_set, ({ score, node }) => filled({ node, score })),
    ),
    ...section(
      'Colocation Constraints:',
      form.colocation.map((one) => [
        `${role(one.resource_role)}resource '${one.resource_id}' with ${role(one.with_resource_role)}resource '${one.with_resource_id}'${id(one.attributes.constraint_id)}`,
        ...optionLine(
          filled({
            'node-attribute': one.node_attribute,
            score: one.attributes.score,
            influence: one.attributes.influence,
          }),
        ),
        ...lifetimeLines(one.attributes.lifetime, withIds),
      ]),
    ),
    ...section(
      'Colocation Set Constraints:',
      sets(form.colocation_set, ({ influence, score }) => filled({ score, influence })),
    ),
    ...section(
      'Order Constraints:',
      form.order.map((one) => [
        `${action(one.first_action)}resource '${one.first_resource_id}' then ${action(one.then_action)}resource '${one.then_resource_id}'${id(one.attributes.constraint_id)}`,
        ...optionLine(orderOptions(one.attributes)),
      ]),
    ),
    ...section('Order Set Constraints:', sets(form.order_set, orderOptions)),
    ...section(
      'Ticket Constraints:',
      form.ticket.map((one) => [
        `${role(one.role)}resource '${one.resource_id}' depends on ticket '${one.attributes.ticket}'${id(one.attributes.constraint_id)}`,
        ...optionLine(filled({ 'loss-policy': one.attributes.loss_policy })),
      ]),
    ),
    ...section(
      'Ticket Set Constraints:',
      sets(form.ticket_set, ({ ticket, loss_policy }) => filled({ ticket, 'loss-policy': loss_policy })),
    ),
  ]
}

function section(title: string, blocks: readonly (readonly string[])[]): readonly string[] {
  return blocks.length === 0 ? [] : [title, ...blocks.flat().map((line) => `  ${line}`)]
}

function locationLines(one: LocationForm, withIds: boolean): readonly string[] {
  const { score, node, rules, resource_discovery, constraint_id } = one.attributes
  const what =
    one.resource_pattern === null
      ? `${role(one.role)}resource '${one.resource_id ?? ''}'`
      : `resource pattern '${one.resource_pattern}'`
  const where =
    node === null
      ? ''
      : ` ${score?.startsWith('-') ? 'avoids' : 'prefers'} node '${node}' with score ${(score ?? '').replace(/^-/, '')}`
  return [
    `${what}${where}${withIds ? ` (id: ${constraint_id})` : ''}`,
    ...optionLine(filled({ 'resource-discovery': resource_discovery })),
    ...(rules.length === 0
      ? []
      : ['  Rules:', ...rules.flatMap((rule) => ruleLines(rule, withIds)).map((line) => `    ${line}`)]),
    ...lifetimeLines(one.attributes.lifetime, withIds),
  ]
}

function lifetimeLines(lifetime: LocationForm['attributes']['lifetime'], withIds: boolean): readonly string[] {
  if (lifetime.length === 0) return []
  return ['  Lifetime:', ...lifetime.flatMap((rule) => ruleLines(rule, withIds)).map((line) => `    ${line}`)]
}

function orderOptions(attributes: ConstraintsForm['order'][number]['attributes']): readonly string[] {
  const { symmetrical, require_all, score, kind } = attributes
  return filled({ symmetrical, 'require-all': require_all, score, kind })
}

function setLines(set: ResourceSetForm, withIds: boolean): readonly string[] {
  const { sequential, require_all, ordering, action: what, role: as, score, kind } = set
  return [
    withIds ? `Resource Set: ${set.set_id}` : 'Resource Set:',
    `  Resources: ${set.resources_ids.map((member) => `'${member}'`).join(', ')}`,
    ...optionLine(filled({ sequential, 'require-all': require_all, ordering, action: what, role: as, score, kind })),
  ]
}

const role = (text: string | null): string => (text === null ? '' : `${text} `)
const action = (text: string | null): string => (text === null ? '' : `${text} `)
const optionLine = (words: readonly string[]): readonly string[] => (words.length === 0 ? [] : [`  ${words.join(' ')}`])

function filled(values: Readonly<Record<string, string | boolean | null>>): readonly string[] {
  return pairWords(
    Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) =>
        value === null ? [] : [[name, value === true ? '1' : value === false ? '0' : value] as const],
      ),
    ),
  )
}
