/**
 * Instances of clones by the node that they are on (going down) or shall be on (coming up): which instance of one clone is
 * beside which of another. Looked up for every pair of instances, so it is made once for each clone and direction.
 */
import type { NodeName } from '../../../base/index.ts'
import type { Assignment, Destination } from '../../assigned/assignment.ts'
import { isTrue } from './operation.ts'
import {
  type BundleUnit,
  type CloneUnit,
  type GroupUnit,
  type PrimitiveUnit,
  primitivesOf,
  replicasOf,
  type Unit,
} from './unit.ts'

export type Instance = PrimitiveUnit | GroupUnit
export type Direction = 'down' | 'up'

export interface Pairing {
  readonly byNode: (clone: CloneUnit | BundleUnit, direction: Direction) => ReadonlyMap<NodeName, Instance>
  /** The instance of another clone on the same node, or, of one that is nowhere, on the best node that has one. */
  readonly partnerOf: (instance: Unit, other: CloneUnit | BundleUnit, direction: Direction) => Instance | undefined
}

interface Places {
  readonly destinationOf: (unit: PrimitiveUnit) => Destination
  readonly assignment: Assignment
}

export function pairingOf({ destinationOf, assignment }: Places): Pairing {
  const made = {
    down: new Map<Unit, ReadonlyMap<NodeName, Instance>>(),
    up: new Map<Unit, ReadonlyMap<NodeName, Instance>>(),
  }
  const known = { down: new Map<Unit, readonly NodeName[]>(), up: new Map<Unit, readonly NodeName[]>() }
  const nodesOf = (unit: Unit, direction: Direction): readonly NodeName[] => {
    const before = known[direction].get(unit)
    if (before) return before
    const placed = primitivesOf(unit).flatMap((one) => nodesOfPrimitive(one, direction))
    const nodes = placed.length === 0 ? preference(assignment, unit) : placed
    known[direction].set(unit, nodes)
    return nodes
  }
  const nodesOfPrimitive = (primitive: PrimitiveUnit, direction: Direction): readonly NodeName[] => {
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
const preference = (assignment: Assignment, { kind, id }: Unit): readonly NodeName[] =>
  (kind === 'primitive' ? assignment.primitives : assignment.collectives).get(id)?.nodesByPreference() ?? []

export const isInterleaved = (unit: CloneUnit | BundleUnit): boolean =>
  unit.kind === 'clone' ? unit.resource.interleave : isTrue(unit.resource.meta.raw.get('interleave'))
