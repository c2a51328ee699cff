/**
 * Which nodes can run resources, as placement goes on: where a remote or guest node's connection is assigned decides
 * whether that node will be there.
 */
import type { NodeName } from '../../base/index.ts'
import { INFINITY_SCORE } from '../../cib/index.ts'
import type { ClusterStatus, NodeStatus } from '../../status/index.ts'
import type { NodeUnavailable } from '../assigned/assignment.ts'
import type { ResourceTree } from '../resources/tree.ts'

export interface NodeTable {
  readonly count: number
  readonly names: readonly string[]
  /** 1 where nothing but a score stands against running a resource. */
  readonly usable: Uint8Array
  readonly online: Uint8Array
  readonly shutdown: Uint8Array
  readonly unclean: Uint8Array
  /** How many resources were assigned to each so far. */
  readonly load: Int32Array
  /** What is left of each node's capacity; consumed as resources are assigned. */
  readonly capacity: readonly Map<string, number>[]
  /** What a resource's score on a node starts from. */
  readonly configuredScore: Int32Array
  /** The same for a resource that is allowed there only because something names the node later: minus INFINITY where it is down. */
  readonly baseScore: Int32Array
}

interface Input {
  readonly status: ClusterStatus
  readonly tree: ResourceTree
  /** Nodes that a decision of this run, rather than their state, makes unclean. */
  readonly mustBeFenced: ReadonlyMap<NodeName, unknown>
}

export function createNodeTable({ status, tree, mustBeFenced }: Input): NodeTable {
  const { nodes } = status
  const configured = new Map(status.configuration.nodes.map(({ name, score }) => [name, score ?? 0]))
  const flags = (test: (node: NodeStatus) => boolean): Uint8Array =>
    Uint8Array.from(nodes, (node) => Number(test(node)))
  const table: NodeTable = {
    count: nodes.length,
    names: nodes.map((node) => node.name),
    usable: new Uint8Array(nodes.length),
    online: flags((node) => node.online),
    shutdown: flags((node) => node.shutdown),
    unclean: flags((node) => node.unclean || mustBeFenced.has(node.name)),
    load: new Int32Array(nodes.length),
    capacity: nodes.map((node) => new Map(node.utilization)),
    configuredScore: Int32Array.from(nodes, ({ name }) => configured.get(name) ?? 0),
    baseScore: Int32Array.from(nodes, (node, index) => {
      const isDown = node.kind === 'member' && (!node.online || node.shutdown)
      return tree.replicaOfNode.has(index) || isDown ? -INFINITY_SCORE : (configured.get(node.name) ?? 0)
    }),
  }
  for (const [index, node] of nodes.entries()) updateUsable(table, node, index)
  return table
}

export function updateUsable(table: NodeTable, node: NodeStatus, index: number): void {
  const usable =
    table.online[index] === 1 &&
    table.shutdown[index] === 0 &&
    table.unclean[index] === 0 &&
    !node.standby &&
    !node.maintenance &&
    !node.pending
  table.usable[index] = Number(usable)
}

/** Why nothing can be placed on a node; undefined where something can. */
export function whyUnusable(table: NodeTable, node: NodeStatus, index: number): NodeUnavailable | undefined {
  if (table.usable[index] === 1) return undefined
  if (table.unclean[index] === 1) return 'unclean'
  if (table.online[index] === 0)
    return node.kind === 'member'
      ? 'offline'
      : node.kind === 'guest'
        ? 'its container is not running'
        : 'its connection is not running'
  if (node.pending) return 'pending'
  if (table.shutdown[index] === 1) return 'shutting down'
  return node.standby ? 'standby' : 'in maintenance'
}
