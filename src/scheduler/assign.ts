/**
 * The first half of scheduling: where every resource shall be and in which role, from the status and the constraints.
 * Each step takes the values of the steps before and returns its own.
 */
import type { ClusterStatus } from '../status/index.ts'
import type { Assignment } from './assigned/assignment.ts'
import { assignInOrder } from './assignment/assign-in-order.ts'
import { initialRole, wantedRole } from './assignment/initial-role.ts'
import { toAssignment } from './assignment/result.ts'
import { expandColocations } from './constraints/colocations.ts'
import { expandLocations, type RuleHolds } from './constraints/locations.ts'
import { indexReferences } from './constraints/references.ts'
import { readTicketEffects } from './constraints/tickets.ts'
import { buildTree } from './resources/tree.ts'
import { baseScores } from './scores/base-scores.ts'
import { createNodeTable } from './scores/node-table.ts'
import { createTrail } from './scores/trail.ts'

export interface AssignOptions {
  readonly holds: RuleHolds
  /** Keep the scores as they are shown. They are large in large clusters. */
  readonly showScores: boolean
  /** Keep where every score comes from, for explanations. */
  readonly explain: boolean
}

export function assignResources(status: ClusterStatus, { holds, showScores, explain }: AssignOptions): Assignment {
  const { configuration } = status
  const tree = buildTree(status)
  const references = indexReferences(configuration, tree)
  const locations = expandLocations({ configuration, tree, references, holds })
  const colocations = expandColocations({ configuration, tree, references, holds })
  const tickets = readTicketEffects({ configuration, status, references, holds })
  const nodes = createNodeTable({ status, tree, mustBeFenced: tickets.fencing })
  const trail = createTrail(explain)
  const base = baseScores({
    status,
    tree,
    nodes,
    locations,
    tickets,
    trail,
    initialRole: (entry) => (entry.kind === 'primitive' ? initialRole(tree, entry) : wantedRole(entry)),
  })
  const placed = assignInOrder({ status, tree, nodes, base, locations, colocations, tickets, trail, showScores })
  return { ...toAssignment(placed, base), references }
}
