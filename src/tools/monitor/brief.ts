/** crm_mon --brief: how many resources of an agent are active on a node, instead of a line for each. */
import { type ClusterStatus, isActive, type PrimitiveResource } from '../../status/index.ts'
import { agentText } from '../status-of.ts'

/** `* 1/2	(ocf:heartbeat:Dummy):	Active alpha`, by agent and node; without `withTotals` only what is active. */
export function briefLines(
  status: ClusterStatus,
  resources: readonly PrimitiveResource[],
  { withTotals }: { readonly withTotals: boolean },
): readonly string[] {
  const agents = [...new Set(resources.map(agentText))].sort()
  return agents.flatMap((agent) => {
    const own = resources.filter((resource) => agentText(resource) === agent)
    const total = withTotals ? `/${own.length}` : ''
    const counts = countByNode(status, own)
    if (counts.length > 0) return counts.map(([node, count]) => `* ${count}${total}\t(${agent}):\tActive ${node}`)
    return withTotals ? [`* 0${total}\t(${agent}):\tActive`] : []
  })
}

function countByNode(
  status: ClusterStatus,
  resources: readonly PrimitiveResource[],
): readonly (readonly [string, number])[] {
  // One that is active on several nodes counts on each.
  const active = resources
    .filter((one) => isActive(status, one))
    .flatMap(({ state }) => state.active.map(({ node }) => node))
  return status.nodes
    .map(({ name }) => [String(name), active.filter((node) => node === name).length] as const)
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Those of one node, which is named above them. */
export function briefLinesOn(resources: readonly PrimitiveResource[]): readonly string[] {
  const agents = [...new Set(resources.map(agentText))].sort()
  return agents.map((agent) => {
    const count = resources.filter((resource) => agentText(resource) === agent).length
    return `* ${count}\t(${agent}):\tActive `
  })
}
