/**
 * Instances of clones by the node that they are on (going down) or shall be on (coming up): which instance of one clone is
 * beside which of another. Looked up for every pair of instances, so it is made once for each clone and direction.
 */
import type { NodeName } from '../../../base/index.ts'
import { isTrue } from '../../../cib/index.ts'
import type { Assignment, Destination } from '../../assigned/assignment.ts'
import {
  type PlannedBundle,
  type PlannedClone,
  type PlannedGroup,
  type PlannedPrimitive,
  type PlannedResource,
  primitivesOf,
  replicasOf,
} from './planned-resource.ts'

export type Instance = PlannedPrimitive | PlannedGroup
export type Direction = 'down' | 'up'

export interface Pairing {
  readonly byNode: (clone: PlannedClone | PlannedBundle, direction: Direction) => ReadonlyMap<NodeName, Instance>
  /** The instance of another clone on the same node, or, of one that is nowhere, on the best node that has one. */
  readonly partnerOf: (
    instance: PlannedResource,
    other: PlannedClone | PlannedBundle,
    direction: Direction,
  ) => Instance | undefined
}

interface Places {
  readonly destinationOf: (rsc: PlannedPrimitive) => Destination
  readonly assignment: Assignment
}

export function pairingOf({ destinationOf, assignment }: Places): Pairing {
  const made = {
    down: new Map<PlannedResource, ReadonlyMap<NodeName, Instance>>(),
    up: new Map<PlannedResource, ReadonlyMap<NodeName, Instance>>(),
  }
  const known = {
    down: new Map<PlannedResource, readonly NodeName[]>(),
    up: new Map<PlannedResource, readonly NodeName[]>(),
  }
  const nodesOf = (rsc: PlannedResource, direction: Direction): readonly NodeName[] => {
    const before = known[direction].get(rsc)
    if (before) return before
    const placed = primitivesOf(rsc).flatMap((one) => nodesOfPrimitive(one, direction))
    const nodes = placed.length === 0 ? preference(assignment, rsc) : placed
    known[direction].set(rsc, nodes)
    return nodes
  }
  const nodesOfPrimitive = (primitive: PlannedPrimitive, direction: Direction): readonly NodeName[] => {
    if (direction === 'down') return primitive.resource.state.active.map(({ node }) => node)
    const { node } = destinationOf(primitive)
    return node === undefined ? [] : [node]
  }
  const byNode: Pairing['byNode'] = (clone, direction) => {
    const known = made[direction].get(clone)
    if (known) return known
    const found = new Map<NodeName, Instance>()
    for (const instance of replicasOf(clone)) {
      for (const primitive of primitivesOf(instance))
        for (const node of nodesOfPrimitive(primitive, direction)) if (!found.has(node)) found.set(node, instance)
    }
    made[direction].set(clone, found)
    return found
  }
  const partnerOf: Pairing['partnerOf'] = (instance, other, direction) => {
    const partners = byNode(other, direction)
    if (partners.size === 0) return undefined
    for (const node of nodesOf(instance, direction)) {
      const partner = partners.get(node)
      if (partner) return partner
    }
    return undefined
  }
  return { byNode, partnerOf }
}

/** However little it is wanted there. */
const preference = (assignment: Assignment, { kind, id }: PlannedResource): readonly NodeName[] =>
  (kind === 'primitive' ? assignment.primitives : assignment.collectives).get(id)?.nodesByPreference() ?? []

export const isInterleaved = (rsc: PlannedClone | PlannedBundle): boolean =>
  rsc.kind === 'clone' ? rsc.resource.interleave : isTrue(rsc.resource.meta.raw.get('interleave'))
