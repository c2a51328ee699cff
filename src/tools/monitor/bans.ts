/** Location constraints that keep a resource off a node, one for each node (crm_mon(8), --neg-locations). */
import { readPattern } from '../../base/index.ts'
import {
  type Constraint,
  INFINITY_SCORE,
  type LocationConstraint,
  type Role,
  type Rule,
  type Score,
} from '../../cib/index.ts'
import type { ClusterStatus } from '../../status/index.ts'
import type { MonitorFacts } from './facts.ts'
import { tagged } from './narrowed.ts'

export interface Ban {
  readonly id: string
  readonly resource: string
  readonly node: string
  readonly promotedOnly: boolean
  readonly weight: number
}

/** The last that was configured comes first. Of a rule, the id is the rule's. */
export function bansOf(
  { status }: MonitorFacts,
  { banPrefix = '', resource }: { readonly banPrefix?: string; readonly resource?: string },
): readonly Ban[] {
  return status.configuration.constraints
    .filter(isLocation)
    .flatMap((constraint) => bansBy(constraint, status))
    .reverse()
    .filter(
      (ban) =>
        ban.id.startsWith(banPrefix) && (resource === undefined || tagged(status, resource).includes(ban.resource)),
    )
}

const isLocation = (constraint: Constraint): constraint is LocationConstraint => constraint.kind === 'location'

function bansBy(constraint: LocationConstraint, status: ClusterStatus): readonly Ban[] {
  const places = placesOf(constraint, status)
  return resourcesOf(constraint, status).flatMap((resource) =>
    places.map(({ id, node, score, role }) => ({
      id,
      resource,
      node,
      weight: Math.max(score, -INFINITY_SCORE),
      promotedOnly: role === 'Promoted',
    })),
  )
}

function resourcesOf({ resource }: LocationConstraint, { resources }: ClusterStatus): readonly string[] {
  switch (resource.by) {
    case 'id':
      return [resource.id]
    case 'sets':
      return resource.sets.flatMap(({ members }) => members)
    case 'pattern':
      return matching(
        resource,
        resources.map(({ id }) => String(id)),
      )
  }
}

/** As in the scheduler: what is no expression is about nothing. */
function matching(
  { pattern, negated }: { readonly pattern: string; readonly negated: boolean },
  ids: readonly string[],
): readonly string[] {
  const read = readPattern(pattern)
  return read.ok ? ids.filter((id) => read.value.test(id) !== negated) : []
}

interface Place {
  readonly id: string
  readonly node: string
  readonly score: Score
  readonly role: Role | undefined
}

function placesOf({ id, role, where }: LocationConstraint, status: ClusterStatus): readonly Place[] {
  if (where.by === 'node') {
    const { node, score } = where
    const isKnown = status.nodes.some(({ name }) => name === node)
    return isKnown && score < 0 ? [{ id, role, node, score }] : []
  }
  return where.rules.flatMap((rule) => placesByRule(rule, role, status))
}

function placesByRule(rule: Rule, role: Role | undefined, status: ClusterStatus): readonly Place[] {
  const { id, score = 0 } = rule
  if (score >= 0) return []
  const held = status.nodes.filter((node) => status.ruleHolds(rule, { node }))
  // What the caller turns round is listed as Pacemaker finds it: with `and` it begins with all nodes and takes some away.
  const found = rule.booleanOp === 'or' ? held.toReversed() : held
  return found.map(({ name }) => ({ id, role: rule.role ?? role, node: String(name), score }))
}
