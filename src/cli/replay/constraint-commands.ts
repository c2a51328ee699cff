/** Constraints as commands. */
import { childElements, element, type Rule, readConfiguration, type XmlElement } from '../../cib/index.ts'
import { describeRule } from '../facts/describe-rule.ts'
import { attributeWords, idOf, section } from './words-of.ts'

type Line = readonly string[]

export function constraintCommands(constraint: XmlElement): readonly Line[] | undefined {
  switch (constraint.name) {
    case 'rsc_location':
      return location(constraint)
    case 'rsc_colocation':
      return colocation(constraint)
    case 'rsc_order':
      return order(constraint)
    case 'rsc_ticket':
      return ticket(constraint)
    default:
      return undefined
  }
}

function location(constraint: XmlElement): readonly Line[] | undefined {
  const { rsc, 'rsc-pattern': pattern, node } = constraint.attributes
  const resource = rsc ?? (pattern === undefined ? undefined : `regexp%${pattern}`)
  const [rule, another] = childElements(constraint, 'rule')
  if (resource === undefined || another !== undefined || childElements(constraint, 'resource_set').length > 0)
    return undefined
  const others = attributeWords(constraint, ['id', 'rsc', 'rsc-pattern', 'node'])
  if (node !== undefined)
    return rule === undefined
      ? [['constraint', 'location', 'add', idOf(constraint), resource, node, ...others, '--force']]
      : undefined
  const read = rule && ruleOf(constraint)
  if (!rule || !read) return undefined
  const expression = describeRule(read)
  const own = attributeWords(rule, ['id', 'boolean-op', 'role'])
  const roles = [constraint.attributes.role, rule.attributes.role]
  // A role may stand in the constraint or in its rule; the words say the rule's.
  if (roles[0] !== undefined) return undefined
  const role = roles[1] === undefined ? [] : [`role=${roles[1]}`]
  const ids = [`id=${idOf(rule)}`, `constraint-id=${idOf(constraint)}`]
  return [['constraint', 'location', resource, 'rule', ...ids, ...own, ...role, ...others, expression, '--force']]
}

function ruleOf(constraint: XmlElement): Rule | undefined {
  const alone = element('configuration', {}, [element('constraints', {}, [constraint])])
  const [read] = readConfiguration(alone).constraints
  return read?.kind === 'location' && read.where.by === 'rules' ? read.where.rules[0] : undefined
}

function colocation(constraint: XmlElement): readonly Line[] | undefined {
  const { rsc, 'with-rsc': primary, 'rsc-role': role, 'with-rsc-role': primaryRole, score } = constraint.attributes
  const sets = childElements(constraint, 'resource_set')
  if (sets.length > 0) {
    const options = attributeWords(constraint, [])
    return [['constraint', 'colocation', ...setWords(sets), ...section('setoptions', options), '--force']]
  }
  if (rsc === undefined || primary === undefined || score === undefined) return undefined
  const words = [
    ...(role === undefined ? [] : [role]),
    rsc,
    'with',
    ...(primaryRole === undefined ? [] : [primaryRole]),
    primary,
    ...attributeWords(constraint, ['rsc', 'with-rsc', 'rsc-role', 'with-rsc-role']),
  ]
  return [['constraint', 'colocation', 'add', ...words, '--force']]
}

function order(constraint: XmlElement): readonly Line[] | undefined {
  const { first, then: last, 'first-action': firstAction, 'then-action': thenAction } = constraint.attributes
  const sets = childElements(constraint, 'resource_set')
  if (sets.length > 0)
    return [
      ['constraint', 'order', ...setWords(sets), ...section('setoptions', attributeWords(constraint, [])), '--force'],
    ]
  if (first === undefined || last === undefined) return undefined
  const words = [
    ...(firstAction === undefined ? [] : [firstAction]),
    first,
    'then',
    ...(thenAction === undefined && firstAction === undefined ? [] : [thenAction ?? firstAction ?? '']),
    last,
    ...attributeWords(constraint, ['first', 'then', 'first-action', 'then-action']),
  ]
  return [['constraint', 'order', ...words, '--force']]
}

function ticket(constraint: XmlElement): readonly Line[] | undefined {
  const { rsc, 'rsc-role': role, ticket: name } = constraint.attributes
  const sets = childElements(constraint, 'resource_set')
  if (sets.length > 0)
    return [
      ['constraint', 'ticket', ...setWords(sets), ...section('setoptions', attributeWords(constraint, [])), '--force'],
    ]
  if (rsc === undefined || name === undefined) return undefined
  const words = [
    name,
    ...(role === undefined ? [] : [role]),
    rsc,
    ...attributeWords(constraint, ['rsc', 'rsc-role', 'ticket']),
  ]
  return [['constraint', 'ticket', 'add', ...words, '--force']]
}

function setWords(sets: readonly XmlElement[]): readonly string[] {
  return sets.flatMap((set) => ['set', ...childElements(set, 'resource_ref').map(idOf), ...attributeWords(set, ['id'])])
}
