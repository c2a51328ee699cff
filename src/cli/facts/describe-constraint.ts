/** A constraint in one line, for lists of what it has to do with a resource, and the resources that it names. */
import { assertNever } from '../../base/index.ts'
import {
  type ColocationConstraint,
  type Constraint,
  formatScore,
  type LocationConstraint,
  type OrderConstraint,
  type ResourceSet,
  type Role,
  type TicketConstraint,
} from '../../cib/index.ts'
import { describeRule } from './describe-rule.ts'

/** One line, its id at the end. */
export function describeConstraint(constraint: Constraint): string {
  const lifetime = constraint.lifetime ? ` while ${describeRule(constraint.lifetime)}` : ''
  return `${describeKind(constraint)}${lifetime} (id: ${constraint.id})`
}

function describeKind(constraint: Constraint): string {
  switch (constraint.kind) {
    case 'location':
      return describeLocation(constraint)
    case 'colocation':
      return describeColocation(constraint)
    case 'order':
      return describeOrder(constraint)
    case 'ticket':
      return describeTicket(constraint)
    default:
      return assertNever(constraint)
  }
}

function describeLocation(constraint: LocationConstraint): string {
  const { resource, where } = constraint
  const what =
    resource.by === 'id'
      ? `${rolePrefix(constraint.role)}resource '${resource.id}'`
      : resource.by === 'pattern'
        ? `resource pattern '${resource.negated ? '!' : ''}${resource.pattern}'`
        : `sets ${describeSets(resource.sets)}`
  const discovery = constraint.discovery === 'always' ? '' : ` resource-discovery=${constraint.discovery}`
  if (where.by === 'rules') {
    const rules = where.rules.map(
      (rule) => `${describeRule(rule)} (score ${rule.scoreAttribute ?? formatScore(rule.score ?? 0)})`,
    )
    return `${what} by rule: ${rules.join('; ')}${discovery}`
  }
  const verb = where.score < 0 ? 'avoids' : 'prefers'
  return `${what} ${verb} node '${where.node}' with score ${formatScore(Math.abs(where.score))}${discovery}`
}

function describeColocation(constraint: ColocationConstraint): string {
  const { between } = constraint
  const attribute = constraint.nodeAttribute ? ` node-attribute=${constraint.nodeAttribute}` : ''
  const score = `score=${formatScore(constraint.score)}${attribute}`
  if (between.by === 'sets') return `sets ${describeSets(between.sets)} ${score}`
  const dependent = `${rolePrefix(between.dependentRole)}resource '${between.dependent}'`
  return `${dependent} with ${rolePrefix(between.primaryRole)}resource '${between.primary}' ${score}`
}

function describeOrder(constraint: OrderConstraint): string {
  const { between } = constraint
  const options = [
    `kind=${constraint.orderKind}`,
    ...(constraint.symmetrical === undefined ? [] : [`symmetrical=${constraint.symmetrical}`]),
    ...(constraint.requireAll ? [] : ['require-all=false']),
  ].join(' ')
  if (between.by === 'sets') return `sets ${describeSets(between.sets)} ${options}`
  const first = `${between.firstAction ?? 'start'} resource '${between.first}'`
  return `${first} then ${between.thenAction ?? between.firstAction ?? 'start'} resource '${between.then}' ${options}`
}

function describeTicket(constraint: TicketConstraint): string {
  const { on } = constraint
  const what = on.by === 'id' ? `${rolePrefix(on.role)}resource '${on.id}'` : `sets ${describeSets(on.sets)}`
  return `${what} depends on ticket '${constraint.ticket}'${constraint.lossPolicy ? ` loss-policy=${constraint.lossPolicy}` : ''}`
}

function rolePrefix(role: Role | undefined): string {
  return role === undefined || role === 'Started' ? '' : `${role} `
}

function describeSets(sets: readonly ResourceSet[]): string {
  return sets.map((set) => `[${set.members.map((member) => `'${member}'`).join(', ')}${setOptions(set)}]`).join(' ')
}

function setOptions(set: ResourceSet): string {
  const options = [
    ...(set.sequential ? [] : ['sequential=false']),
    ...(set.requireAll ? [] : ['require-all=false']),
    ...(set.role === undefined ? [] : [`role=${set.role}`]),
    ...(set.action === undefined ? [] : [`action=${set.action}`]),
  ]
  return options.length === 0 ? '' : ` ${options.join(' ')}`
}

/** The resources that a constraint names, patterns as `regexp%PATTERN`. */
export function resourcesOf(constraint: Constraint): readonly string[] {
  const inSets = (sets: readonly ResourceSet[]): readonly string[] => sets.flatMap(({ members }) => members)
  switch (constraint.kind) {
    case 'location':
      if (constraint.resource.by === 'sets') return inSets(constraint.resource.sets)
      return constraint.resource.by === 'id' ? [constraint.resource.id] : [`regexp%${constraint.resource.pattern}`]
    case 'colocation':
      return constraint.between.by === 'sets'
        ? inSets(constraint.between.sets)
        : [constraint.between.dependent, constraint.between.primary]
    case 'order':
      return constraint.between.by === 'sets'
        ? inSets(constraint.between.sets)
        : [constraint.between.first, constraint.between.then]
    case 'ticket':
      return constraint.on.by === 'sets' ? inSets(constraint.on.sets) : [constraint.on.id]
  }
}
