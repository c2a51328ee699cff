/**
 * From where resources are and where they shall be to the actions that lead there, and their order: the second half of the
 * scheduler. Each step adds to the plan what the next ones look at; the graph and the summary are what comes out.
 */
import type { Md5 } from '../../cib/index.ts'
import type { ClusterStatus, NodeStatus } from '../../status/index.ts'
import type { TransitionGraph } from '../../transition/index.ts'
import type { Assignment } from '../assignment.ts'
import { indexReferences } from '../constraints/references.ts'
import { buildTree } from '../tree.ts'
import type { Plan } from './draft.ts'
import { planFencing } from './fencing/fencing.ts'
import { toGraph } from './graph/graph.ts'
import { summarize, type TransitionChange } from './graph/summary.ts'
import { orderAcrossConnections } from './orders/connection-orders.ts'
import { addInternalOrders } from './orders/internal-orders.ts'
import { planOrderConstraints } from './orders/order-constraints.ts'
import { orderAfterProbes, resolveOrderings } from './orders/resolve.ts'
import { orderSeparations } from './orders/separations.ts'
import { planProbes } from './probes/probes.ts'
import { planActions } from './roles/collective-actions.ts'
import { planConfigurationChanges } from './roles/configuration-changes.ts'
import { clearOrphanFailCounts, planRecorded } from './roles/recorded.ts'
import { settleAll } from './settling/settle.ts'
import { buildUnits, isFenceDevice, primitivesOf, type Unit } from './unit.ts'

export interface PlannedTransition {
  readonly graph: TransitionGraph
  readonly changes: readonly TransitionChange[]
}

export interface TransitionInput {
  readonly status: ClusterStatus
  readonly assignment: Assignment
  readonly md5: Md5
  /** The CIB was made fit for showing: its secrets are stars. */
  readonly isSanitized: boolean
}

export function planTransition(input: TransitionInput): PlannedTransition {
  const { status, md5 } = input
  const plan = emptyPlan(input)
  planRecorded(plan)
  orderSeparations(plan)
  planOrderConstraints(plan, indexReferences(status.configuration, buildTree(status)))
  for (const unit of byPriority(plan.tree.top)) addInternalOrders(plan, unit)
  planConfigurationChanges(plan, md5)
  clearOrphanFailCounts(plan)
  planProbes(plan)
  for (const unit of plan.tree.ordered) planActions(plan, unit)
  orderAcrossConnections(plan)
  planFencing(plan)
  resolveOrderings(plan)
  orderAfterProbes(plan)
  settleAll(plan)
  const changes = summarize(plan)
  return { graph: toGraph(plan), changes }
}

/** As they are configured, the more important ones first; what is not configured any more comes last. */
function byPriority(units: readonly Unit[]): readonly Unit[] {
  const rank = ({ resource }: Unit): number => (resource.orphan ? Number.NEGATIVE_INFINITY : resource.meta.priority)
  return units.toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(b) - rank(a)))
}

function emptyPlan({ status, assignment, isSanitized }: TransitionInput): Plan {
  const tree = buildUnits(status, assignment)
  const nodeList = status.nodes.map((node) => connected(node, assignment))
  const colocationsByPrimary = new Map<string, Assignment['colocations'][number][]>()
  for (const colocation of assignment.colocations) {
    const known = colocationsByPrimary.get(colocation.primary)
    if (known) known.push(colocation)
    else colocationsByPrimary.set(colocation.primary, [colocation])
  }
  const plan: Plan = {
    status,
    assignment,
    tree,
    nodeList,
    nodes: new Map(nodeList.map((node) => [node.name, node])),
    actions: [],
    orderings: [],
    points: new Map(),
    colocationsByPrimary,
    instancesByNode: new Map(),
    isSanitized,
    hasFenceDevice: tree.top.flatMap(primitivesOf).some(isFenceDevice),
    fencing: new Map([...assignment.fencing].map(([node, reasons]) => [node, [...reasons]])),
  }
  return plan
}

/**
 * A remote or guest node is reached if its connection is going to be somewhere, and left if it is not. One that was never
 * seen is not unclean for that if it is connected to now.
 */
function connected(node: NodeStatus, assignment: Assignment): NodeStatus {
  const connection = node.connection === undefined ? undefined : assignment.primitives.get(node.connection)
  if (!connection) return node
  if (connection.node === undefined || connection.nextRole === 'Stopped') return { ...node, shutdown: true }
  return { ...node, online: true, unclean: node.unclean && !node.unseen }
}
