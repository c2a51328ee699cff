/**
 * Bundles: the containers are distributed like the instances of a clone; of each replica the address and the connection
 * follow the container, and the member runs on the node that the replica is.
 */
import { INFINITY_SCORE } from '../../cib/index.ts'
import type { BundleEntry, PrimitiveEntry, ReplicaEntries } from '../tree.ts'
import { assignInstances } from './assign-instances.ts'
import { isAllowed } from './availability.ts'
import { addColocation } from './colocation-index.ts'
import { sortInstances } from './instance-order.ts'
import { type AssignWish, nowhere, type Placing, showScores, tableOf } from './placing.ts'

/** May be called again once it is assigned; only the scores are then shown again. */
export function assignBundle(placing: Placing, bundle: BundleEntry, prefer: number, wish: AssignWish): number {
  placing.assigning[bundle.index] = 1
  showScores(placing, 'bundle', bundle)
  const containers = sortInstances(
    placing,
    bundle.replicas.map(({ container }) => container),
  )
  const limits = { inAll: bundle.replicas.length, perNode: bundle.resource.replicasPerHost }
  assignInstances(placing, bundle, containers, limits)
  for (const replica of bundle.replicas) assignReplica(placing, bundle, replica, prefer, wish)
  if (bundle.clone !== undefined) {
    const table = tableOf(placing, bundle.clone)
    for (let node = 0; node < table.length; node++) {
      if (!isAllowed(table, node)) continue
      table[node] = placing.tree.replicaOfNode.get(node)?.bundle === bundle ? 0 : -INFINITY_SCORE
    }
    placing.assign(placing, bundle.clone, prefer, wish)
  }
  placing.assigning[bundle.index] = 0
  placing.settled[bundle.index] = 1
  return nowhere
}

function assignReplica(
  placing: Placing,
  bundle: BundleEntry,
  replica: ReplicaEntries,
  prefer: number,
  wish: AssignWish,
): void {
  if (replica.ip !== undefined) placing.assign(placing, replica.ip, prefer, wish)
  if (replica.remote !== undefined) {
    followHostConnection(placing, replica, replica.remote)
    placing.assign(placing, replica.remote, prefer, wish)
  }
  if (replica.child === undefined || bundle.clone === undefined) return
  const node = replica.node === undefined ? undefined : placing.tree.nodeIndex.get(replica.node)
  if (node === undefined) return
  const table = tableOf(placing, replica.child)
  for (let other = 0; other < table.length; other++) {
    if (!isAllowed(table, other)) continue
    if (other !== node) table[other] = -INFINITY_SCORE
    else if (!reachedThreshold(replica.child, replica.node)) {
      placing.trail.note(replica.child.index, { kind: 'replica' }, other, INFINITY_SCORE)
      table[other] = INFINITY_SCORE
    }
  }
  placing.assigning[bundle.clone.index] = 1
  placing.assign(placing, replica.child, node, wish)
  placing.assigning[bundle.clone.index] = 0
}

/** A container on a remote node: its connection must run where that node's connection runs, which serves both. */
function followHostConnection(placing: Placing, replica: ReplicaEntries, remote: PrimitiveEntry): void {
  const host = placing.node[replica.container.index] ?? nowhere
  const primary = placing.tree.connectionOfNode.get(host)
  if (primary === undefined) return
  const known = placing.colocations.ofDependent.get(remote.index) ?? []
  if (known.some((colocation) => colocation.primary === primary)) return
  addColocation(placing.colocations, {
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
