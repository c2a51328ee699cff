/** What depends on what, as edges between resources: of ordering and colocation constraints, and from groups, clones and bundles to what is in them. Pure. */
import {
  type ColocationConstraint,
  type Constraint,
  childrenOf,
  type OrderConstraint,
  type ResourceDefinition,
  type ResourceSet,
} from '../../cib/index.ts'
import { describeConstraint } from './describe-constraint.ts'

export interface RelationEdge {
  /** Of an order: what comes first. Of a colocation: what is placed where the other one is. */
  readonly from: string
  readonly to: string
  readonly kind: 'order' | 'colocation' | 'contains'
  /** The id of the constraint. */
  readonly constraint?: string
  readonly text: string
}

export interface Neighbourhood {
  readonly resources: readonly string[]
  readonly edges: readonly RelationEdge[]
  /** Resources that are related, and too far away to be shown. */
  readonly omitted: number
}

export function relationEdges(
  resources: readonly ResourceDefinition[],
  constraints: readonly Constraint[],
): readonly RelationEdge[] {
  return [...resources.flatMap(inside), ...constraints.flatMap(ofConstraint)]
}

function inside(resource: ResourceDefinition): readonly RelationEdge[] {
  const inner = childrenOf(resource)
  return inner.flatMap((one) => [
    {
      from: resource.id,
      to: one.id,
      kind: 'contains' as const,
      text: `${one.id} is in the ${resource.kind} ${resource.id}`,
    },
    ...inside(one),
  ])
}

function ofConstraint(constraint: Constraint): readonly RelationEdge[] {
  if (constraint.kind !== 'order' && constraint.kind !== 'colocation') return []
  const { id: name, kind } = constraint
  const text = describeConstraint(constraint)
  return pairsOf(constraint).map(([from, to]) => ({ from, to, kind, constraint: name, text }))
}

type Pair = readonly [from: string, to: string]

function pairsOf(constraint: OrderConstraint | ColocationConstraint): readonly Pair[] {
  if (constraint.kind === 'order') {
    const { between } = constraint
    return between.by === 'pair' ? [[between.first, between.then]] : pairsOfSets(between.sets, false)
  }
  const { between } = constraint
  return between.by === 'pair' ? [[between.dependent, between.primary]] : pairsOfSets(between.sets, true)
}

/** Within a sequential set each after the one before; between sets from the end of one to the beginning of the next. Later members are placed with earlier ones. */
function pairsOfSets(sets: readonly ResourceSet[], isColocation: boolean): readonly Pair[] {
  const within = sets.flatMap(({ members, sequential }) =>
    sequential ? members.slice(1).map((member, at): Pair => [members[at] ?? member, member]) : [],
  )
  const between = sets.slice(1).flatMap((set, at) => {
    const before = sets[at]
    return before === undefined
      ? []
      : endsOf(before, 'last').flatMap((one) => endsOf(set, 'first').map((other): Pair => [one, other]))
  })
  const pairs = [...within, ...between]
  return isColocation ? pairs.map(([one, other]): Pair => [other, one]) : pairs
}

function endsOf({ members, sequential }: ResourceSet, which: 'first' | 'last'): readonly string[] {
  if (!sequential) return members
  const one = which === 'first' ? members[0] : members.at(-1)
  return one === undefined ? [] : [one]
}

/** All that is related to a resource, however far, the nearest first. */
export function neighbourhoodOf(id: string, edges: readonly RelationEdge[], most: number): Neighbourhood {
  const seen = new Set([id])
  for (const one of seen)
    for (const { from, to } of edges) {
      if (from === one) seen.add(to)
      if (to === one) seen.add(from)
    }
  const resources = [...seen].slice(0, most)
  const shown = new Set(resources)
  return {
    resources,
    edges: edges.filter(({ from, to }) => shown.has(from) && shown.has(to)),
    omitted: seen.size - resources.length,
  }
}
