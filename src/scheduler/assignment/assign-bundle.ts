/**
 * Bundles: the containers are distributed like the instances of a clone; of each replica the address and the connection
 * follow the container, and the member runs on the node that the replica is.
 */
import { INFINITY_SCORE } from '../../cib/index.ts'
import type { BundleEntry, PrimitiveEntry, ReplicaEntries } from '../resources/tree.ts'
import { assignInstances } from './assign-instances.ts'
import { type AssignMode, type AssignmentDraft, nowhere, showScores, tableOf } from './assignment-draft.ts'
import { isAllowed } from './availability.ts'
import { addColocation } from './colocation-index.ts'
import { sortInstances } from './instance-order.ts'

/** May be called again once it is assigned; only the scores are then shown again. */
export function assignBundle(draft: AssignmentDraft, bundle: BundleEntry, prefer: number, mode: AssignMode): number {
  draft.underWay.assigning[bundle.index] = 1
  showScores(draft, 'bundle', bundle)
  const containers = sortInstances(
    draft,
    bundle.replicas.map(({ container }) => container),
  )
  const limits = { inAll: bundle.replicas.length, perNode: bundle.resource.replicasPerHost }
  assignInstances(draft, bundle, containers, limits)
  for (const replica of bundle.replicas) assignReplica(draft, replica, { bundle, prefer, mode })
  if (bundle.clone !== undefined) {
    const table = tableOf(draft, bundle.clone)
    for (let node = 0; node < table.length; node++) {
      if (!isAllowed(table, node)) continue
      table[node] = draft.tree.replicaOfNode.get(node)?.bundle === bundle ? 0 : -INFINITY_SCORE
    }
    draft.assign(draft, bundle.clone, prefer, mode)
  }
  draft.underWay.assigning[bundle.index] = 0
  draft.placement.isAssigned[bundle.index] = 1
  return nowhere
}

function assignReplica(
  draft: AssignmentDraft,
  replica: ReplicaEntries,
  { bundle, prefer, mode }: { readonly bundle: BundleEntry; readonly prefer: number; readonly mode: AssignMode },
): void {
  if (replica.ip !== undefined) draft.assign(draft, replica.ip, prefer, mode)
  if (replica.remote !== undefined) {
    followHostConnection(draft, replica, replica.remote)
    draft.assign(draft, replica.remote, prefer, mode)
  }
  if (replica.child === undefined || bundle.clone === undefined) return
  const node = replica.node === undefined ? undefined : draft.tree.nodeIndex.get(replica.node)
  if (node === undefined) return
  const table = tableOf(draft, replica.child)
  for (let other = 0; other < table.length; other++) {
    if (!isAllowed(table, other)) continue
    if (other !== node) table[other] = -INFINITY_SCORE
    else if (!reachedThreshold(replica.child, replica.node)) {
      draft.notes.trail.note(replica.child.index, { kind: 'replica' }, other, INFINITY_SCORE)
      table[other] = INFINITY_SCORE
    }
  }
  draft.underWay.assigning[bundle.clone.index] = 1
  draft.assign(draft, replica.child, node, mode)
  draft.underWay.assigning[bundle.clone.index] = 0
}

/** A container on a remote node: its connection must run where that node's connection runs, which serves both. */
function followHostConnection(draft: AssignmentDraft, replica: ReplicaEntries, remote: PrimitiveEntry): void {
  const host = draft.placement.node[replica.container.index] ?? nowhere
  const primary = draft.tree.connectionOfNode.get(host)
  if (primary === undefined) return
  const known = draft.colocations.ofDependent.get(remote.index) ?? []
  if (known.some((colocation) => colocation.primary === primary)) return
  addColocation(draft.colocations, {
    id: '#replica-remote-with-host-remote',
    dependent: remote,
    primary,
    dependentRole: undefined,
    primaryRole: undefined,
    score: INFINITY_SCORE,
    nodeAttribute: '#uname',
    influence: true,
    explicit: false,
  })
}

function reachedThreshold({ resource }: PrimitiveEntry, node: ReplicaEntries['node']): boolean {
  const { migrationThreshold } = resource.meta
  const count = node === undefined ? 0 : (resource.state.failCounts.get(node)?.count ?? 0)
  return migrationThreshold !== 0 && !resource.state.failureIgnored && count > 0 && count >= migrationThreshold
}
