/** Node health as a location score for every resource; `allow-unhealthy-nodes` ignores bad health. */
import { applyLocation, type LocationWork } from './locations.ts'

export function applyHealth(work: LocationWork): void {
  if (work.status.options.nodeHealthStrategy === 'none') return
  work.status.nodes.forEach((status, node) => {
    if (status.healthScore === 0) return
    for (const entry of work.tree.top) {
      if (entry.parent !== undefined) continue
      const tolerant = /^(true|yes|y|on|1)$/i.test(entry.resource.meta.raw.get('allow-unhealthy-nodes') ?? '')
      if (status.healthScore < 0 && tolerant) continue
      const nodes = [{ node, score: status.healthScore }]
      const location = { constraint: 'node-health', target: entry, nodes, discovery: 'always' as const }
      applyLocation(work, { ...location, health: status.health }, entry, 'with scores')
    }
  })
}
