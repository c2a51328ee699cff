/**
 * Constraints as they are configured (Pacemaker Explained, "Resource Constraints"). A word that is not understood gives
 * the documented default (an order of an unknown kind is mandatory); a constraint that names nothing is left out.
 */

import { flatMapInSteps, type Steps } from '../base/index.ts'
import type {
  ColocationConstraint,
  Constraint,
  ConstraintOrigin,
  LocationConstraint,
  OrderConstraint,
  OrderKind,
  ResourceSet,
  Rule,
  TicketConstraint,
} from './configuration.ts'
import { childElement, childElements, type Place, type XmlElement } from './document.ts'
import { readOrigin } from './origin.ts'
import { readOneRule, readRules } from './read-rule.ts'
import type { References } from './references.ts'
import { parseBoolean, parseOrderAction, parseOrderKind, parseRole, present } from './values/attribute-text.ts'
import { parseScore } from './values/score.ts'

export function* constraintSteps(parent: XmlElement | undefined, references: References): Steps<readonly Constraint[]> {
  if (parent === undefined) return []
  return yield* flatMapInSteps(childElements(parent), (element): readonly Constraint[] => {
    switch (element.name) {
      case 'rsc_location':
        return readLocation(element, references)
      case 'rsc_colocation':
        return readColocation(element, references)
      case 'rsc_order':
        return readOrder(element, references)
      case 'rsc_ticket':
        return readTicket(element, references)
      default:
        return []
    }
  })
}

interface Common {
  readonly origin?: ConstraintOrigin
  readonly id: string
  readonly place?: Place
  readonly lifetime?: Rule
}

function common(element: XmlElement, references: References): Common {
  const lifetime = childElement(element, 'lifetime')
  return {
    id: element.attributes.id ?? '',
    ...present({
      place: element.place,
      lifetime: lifetime && readOneRule(lifetime, references),
      origin: readOrigin(element),
    }),
  }
}

function readLocation(element: XmlElement, references: References): readonly LocationConstraint[] {
  const { attributes } = element
  const resource = locationResource(element, references)
  const rules = readRules(element, references)
  if (resource === undefined || (rules.length === 0 && attributes.node === undefined)) return []
  const discovery = attributes['resource-discovery']?.toLowerCase()
  return [
    {
      kind: 'location',
      ...common(element, references),
      resource,
      where:
        rules.length > 0
          ? { by: 'rules', rules }
          : { by: 'node', node: attributes.node ?? '', score: parseScore(attributes.score ?? '0') ?? 0 },
      discovery: discovery === 'never' || discovery === 'exclusive' ? discovery : 'always',
      ...present({ role: parseRole(attributes.role) }),
    },
  ]
}

function locationResource(element: XmlElement, references: References): LocationConstraint['resource'] | undefined {
  const { rsc, 'rsc-pattern': pattern } = element.attributes
  if (rsc !== undefined) return { by: 'id', id: rsc }
  if (pattern !== undefined) {
    const negated = pattern.startsWith('!')
    return { by: 'pattern', pattern: negated ? pattern.slice(1) : pattern, negated }
  }
  const sets = readSets(element, references)
  return sets.length > 0 ? { by: 'sets', sets } : undefined
}

function readColocation(element: XmlElement, references: References): readonly ColocationConstraint[] {
  const { attributes } = element
  const sets = readSets(element, references)
  const { rsc, 'with-rsc': primary } = attributes
  if (sets.length === 0 && (rsc === undefined || primary === undefined)) return []
  return [
    {
      kind: 'colocation',
      ...common(element, references),
      score: parseScore(attributes.score ?? '0') ?? 0,
      between:
        sets.length > 0
          ? { by: 'sets', sets }
          : {
              by: 'pair',
              dependent: rsc ?? '',
              primary: primary ?? '',
              ...present({
                dependentRole: parseRole(attributes['rsc-role']),
                dependentInstance: attributes['rsc-instance'],
                primaryRole: parseRole(attributes['with-rsc-role']),
                primaryInstance: attributes['with-rsc-instance'],
              }),
            },
      ...present({
        nodeAttribute: attributes['node-attribute'],
        influence: parseBoolean(attributes.influence),
      }),
    },
  ]
}

function readOrder(element: XmlElement, references: References): readonly OrderConstraint[] {
  const { attributes } = element
  const sets = readSets(element, references)
  const { first, then } = attributes
  if (sets.length === 0 && (first === undefined || then === undefined)) return []
  return [
    {
      kind: 'order',
      ...common(element, references),
      orderKind: orderKind(attributes),
      requireAll: parseBoolean(attributes['require-all']) ?? true,
      between:
        sets.length > 0
          ? { by: 'sets', sets }
          : {
              by: 'pair',
              first: first ?? '',
              // biome-ignore lint/suspicious/noThenProperty: `first` and `then` are the CIB's words, and this is never awaited.
              then: then ?? '',
              ...present({
                firstAction: parseOrderAction(attributes['first-action']),
                thenAction: parseOrderAction(attributes['then-action']),
              }),
            },
      ...present({ symmetrical: parseBoolean(attributes.symmetrical) }),
    },
  ]
}

/** Before there was a kind, a score of 0 made an order optional and every other mandatory. */
function orderKind({ kind, score }: Readonly<Record<string, string>>): OrderKind {
  if (kind !== undefined || score === undefined) return parseOrderKind(kind) ?? 'Mandatory'
  return parseScore(score) === 0 ? 'Optional' : 'Mandatory'
}

function readTicket(element: XmlElement, references: References): readonly TicketConstraint[] {
  const { attributes } = element
  const sets = readSets(element, references)
  const { rsc, ticket } = attributes
  if (ticket === undefined || (sets.length === 0 && rsc === undefined)) return []
  const role = parseRole(attributes['rsc-role'])
  return [
    {
      kind: 'ticket',
      ...common(element, references),
      ticket,
      on: sets.length > 0 ? { by: 'sets', sets } : { by: 'id', id: rsc ?? '', ...present({ role }) },
      ...present({ lossPolicy: lossPolicy(attributes['loss-policy']) }),
    },
  ]
}

const lossPolicies = ['stop', 'demote', 'fence', 'freeze'] as const

function lossPolicy(text: string | undefined): (typeof lossPolicies)[number] | undefined {
  return lossPolicies.find((policy) => policy === text?.toLowerCase())
}

function readSets(element: XmlElement, references: References): readonly ResourceSet[] {
  return childElements(element, 'resource_set').flatMap((written) => {
    const meant = references.resolve(written)
    return meant === undefined ? [] : [readSet(meant)]
  })
}

function readSet(element: XmlElement): ResourceSet {
  const { attributes } = element
  const score = attributes.score
  return {
    id: attributes.id ?? '',
    members: childElements(element, 'resource_ref').flatMap((member) => member.attributes.id ?? []),
    sequential: parseBoolean(attributes.sequential) ?? true,
    sequentialWritten: parseBoolean(attributes.sequential) ?? false,
    requireAll: parseBoolean(attributes['require-all']) ?? true,
    ...present({
      role: parseRole(attributes.role),
      action: parseOrderAction(attributes.action),
      orderKind: parseOrderKind(attributes.kind),
      score: score === undefined ? undefined : parseScore(score),
      ordering:
        attributes.ordering === 'group'
          ? ('group' as const)
          : attributes.ordering === 'listed'
            ? ('listed' as const)
            : undefined,
    }),
  }
}
