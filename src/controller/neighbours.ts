/**
 * Which resources a placement or an order joins with others, whatever is between them: members of a group, clone or bundle count as one
 * ("Placing Resources Relative to other Resources" and "Specifying the Order in which Resources Should Start/Stop" in Pacemaker Explained).
 */
import {
  type ColocationConstraint,
  type Configuration,
  type OrderConstraint,
  type ResourceSet,
  resourcesNamedBy,
} from '../cib/index.ts'
import { outermostResources } from './outermost.ts'

/** Of resources or instances, by their ids. */
export interface Neighbours {
  /** Colocated, or parts of one resource. */
  readonly areTogether: (resource: string, other: string) => boolean
  /** An order names the first before the other, directly or over others. */
  readonly isBefore: (first: string, then: string) => boolean
  readonly isClone: (resource: string) => boolean
}

export function neighboursIn(configuration: Configuration | undefined): Neighbours {
  const outermostOf = outermostResources(configuration)
  const namedBy = (id: string): readonly string[] => resourcesNamedBy(id, configuration).map(outermostOf)
  const together = new Map<string, ReadonlySet<string>>()
  const after = new Map<string, readonly string[]>()
  for (const constraint of configuration?.constraints ?? []) {
    if (constraint.kind === 'colocation') join(together, colocated(constraint).flatMap(namedBy))
    if (constraint.kind !== 'order' || constraint.orderKind === 'Serialize') continue
    for (const [first, then] of ordered(constraint))
      for (const id of namedBy(first)) after.set(id, [...(after.get(id) ?? []), ...namedBy(then)])
  }
  const clones = new Set(configuration?.resources.filter(({ kind }) => kind === 'clone').map(({ id }) => String(id)))
  return {
    areTogether: (resource, other) => {
      const [id, otherId] = [outermostOf(resource), outermostOf(other)]
      return id === otherId || (together.get(id)?.has(otherId) ?? false)
    },
    isBefore: (first, then) => allAfter(outermostOf(first), after).has(outermostOf(then)),
    isClone: (resource) => clones.has(outermostOf(resource)),
  }
}

/** Ids that share a set with one of these are from now on in one set with all of them. */
function join(together: Map<string, ReadonlySet<string>>, ids: readonly string[]): void {
  const all = new Set(ids.flatMap((id) => [id, ...(together.get(id) ?? [])]))
  for (const id of all) together.set(id, all)
}

function allAfter(first: string, after: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set(after.get(first))
  // A set that grows while it is walked.
  for (const id of found) for (const next of after.get(id) ?? []) found.add(next)
  return found
}

const colocated = ({ between }: ColocationConstraint): readonly string[] =>
  between.by === 'sets' ? between.sets.flatMap(({ members }) => members) : [between.dependent, between.primary]

function ordered({ between }: OrderConstraint): readonly (readonly [string, string])[] {
  if (between.by !== 'sets') return [[between.first, between.then]]
  return between.sets.flatMap((set, index) => {
    const later = between.sets.slice(index + 1).flatMap(({ members }) => members)
    return [...inSequence(set), ...set.members.flatMap((first) => later.map((then) => [first, then] as const))]
  })
}

function inSequence({ members, sequential }: ResourceSet): readonly (readonly [string, string])[] {
  if (!sequential) return []
  return members.flatMap((first, index) => members.slice(index + 1).map((then) => [first, then] as const))
}
