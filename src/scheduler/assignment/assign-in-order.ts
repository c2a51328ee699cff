/**
 * Placement as a whole: base scores in, assignment out. Connections of remote and guest nodes are assigned first, because
 * whether those nodes can take anything depends on them.
 */
import { assertNever } from '../../base/index.ts'
import type { ClusterStatus } from '../../status/index.ts'
import type { Colocation } from '../constraints/colocations.ts'
import type { ExpandedLocation } from '../constraints/locations.ts'
import type { TicketEffects } from '../constraints/tickets.ts'
import type { Entry, ResourceTree } from '../resources/tree.ts'
import type { BaseScores } from '../scores/base-scores.ts'
import type { NodeTable } from '../scores/node-table.ts'
import type { Trail } from '../scores/trail.ts'
import { assignBundle } from './assign-bundle.ts'
import { assignClone } from './assign-clone.ts'
import { assignGroup } from './assign-group.ts'
import { assignPrimitive } from './assign-primitive.ts'
import { type AssignMode, type AssignmentDraft, nowhere, type Standing } from './assignment-draft.ts'
import { indexColocations } from './colocation-index.ts'
import { initialRole } from './initial-role.ts'
import { orderForAssignment } from './resource-order.ts'

export interface AssignInput {
  readonly status: ClusterStatus
  readonly tree: ResourceTree
  readonly nodes: NodeTable
  readonly base: BaseScores
  readonly locations: readonly ExpandedLocation[]
  readonly colocations: readonly Colocation[]
  readonly tickets: TicketEffects
  readonly trail: Trail
  readonly showScores: boolean
}

export interface Assigned {
  readonly draft: AssignmentDraft
  readonly order: readonly Entry[]
}

export function assignInOrder(input: AssignInput): Assigned {
  const draft = begin(input)
  const order = orderForAssignment(draft)
  const isConnection = (entry: Entry): boolean =>
    entry.kind === 'primitive' && entry.resource.connectionOf !== undefined
  for (const entry of order) {
    if (!isConnection(entry) || entry.kind !== 'primitive') continue
    const target = entry.resource.state.partialMigration?.target
    assign(draft, entry, target === undefined ? nowhere : (draft.tree.nodeIndex.get(target) ?? nowhere), 'final')
  }
  for (const entry of order) if (!isConnection(entry)) assign(draft, entry, nowhere, 'final')
  return { draft, order }
}

function begin(input: AssignInput): AssignmentDraft {
  const { status, tree, nodes, locations, tickets, trail, showScores } = input
  const count = tree.all.length
  return {
    status,
    tree,
    nodes,
    locations,
    tickets,
    colocations: indexColocations(input.colocations),
    tables: [...input.base.tables],
    placement: {
      isAssigned: new Uint8Array(count),
      node: new Int32Array(count).fill(nowhere),
      score: new Int32Array(count),
    },
    underWay: { assigning: new Uint8Array(count), collecting: new Uint8Array(count) },
    standing: standing(input),
    roles: {
      next: tree.all.map((entry) => (entry.kind === 'primitive' ? initialRole(tree, entry) : undefined)),
      reason: tree.all.map(() => undefined),
    },
    promotion: {
      priority: tree.all.map((entry) => entry.resource.meta.priority),
      rank: tree.all.map(() => 0),
      counted: new Set(),
      choosing: new Set(),
      locations: roleLocations(locations),
    },
    instances: { members: tree.all.map((entry) => entry.members), counts: new Map(), byNode: new Map() },
    notes: { trail, whyNot: new Map(), lines: [], showScores },
    assign,
  }
}

function standing(input: AssignInput): Standing {
  const { tree, tickets } = input
  const managed = new Uint8Array(tree.all.length)
  const blocked = new Uint8Array(tree.all.length)
  for (const entry of tree.all) {
    const frozen = tickets.frozen.has(entry.index)
    managed[entry.index] = Number(isManagedNow(input, entry) && !frozen)
    blocked[entry.index] = Number(entry.kind === 'primitive' && (entry.resource.state.blocked || frozen))
  }
  return { managed, blocked }
}

function isManagedNow({ status }: AssignInput, entry: Entry): boolean {
  if (entry.kind === 'primitive') return entry.resource.state.managed
  const { meta } = entry.resource
  return meta.managed && !meta.maintenance && !status.options.maintenanceMode
}

function roleLocations(locations: readonly ExpandedLocation[]): ReadonlyMap<number, readonly ExpandedLocation[]> {
  const found = new Map<number, ExpandedLocation[]>()
  for (const location of locations) {
    if (location.role !== 'Promoted') continue
    const known = found.get(location.target.index)
    if (known === undefined) found.set(location.target.index, [location])
    else known.push(location)
  }
  return found
}

function assign(draft: AssignmentDraft, entry: Entry, prefer: number, mode: AssignMode): number {
  switch (entry.kind) {
    case 'primitive':
      return assignPrimitive(draft, entry, prefer, mode)
    case 'group':
      return assignGroup(draft, entry, prefer, mode)
    case 'clone':
      return assignClone(draft, entry, prefer, mode)
    case 'bundle':
      return assignBundle(draft, entry, prefer, mode)
    default:
      return assertNever(entry)
  }
}
