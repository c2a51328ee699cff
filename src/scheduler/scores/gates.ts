/**
 * Gates (docs/adr/0079): a resource whose gate is closed starts on no node where it is not active already. What runs stays where it is, and may be restarted
 * there. A group counts as active where one of its members is, so that a gate which closes later does not keep the rest of it away.
 */
import { INFINITY_SCORE } from '../../cib/index.ts'
import { type GateState, gatesOf } from '../../services/index.ts'
import { type Entry, primitivesOf } from '../resources/tree.ts'
import { addBelow, type TableWork } from './table-work.ts'

export function applyGates(work: TableWork): void {
  for (const gate of gatesOf(work.status)) for (const unit of unitsOf(work, gate.resource)) closeFor(work, unit, gate)
}

/** What starts by itself: of a clone each instance, of a bundle each container. */
function unitsOf({ tree }: TableWork, resource: string): readonly Entry[] {
  return tree.all
    .filter((entry) => String(entry.resource.configuredId) === resource)
    .flatMap((entry): readonly Entry[] => {
      if (entry.kind === 'clone') return entry.members
      return entry.kind === 'bundle' ? entry.replicas.map(({ container }) => container) : [entry]
    })
}

function closeFor(work: TableWork, unit: Entry, { service, closedOn }: GateState): void {
  const active = new Set<string>(
    [...primitivesOf(unit)].flatMap(({ resource }) => resource.state.active.map(({ node }) => String(node))),
  )
  for (let node = 0; node < work.nodes.count; node++) {
    const name = work.nodes.names[node] ?? ''
    if (active.has(name)) continue
    const why = closedOn(name)
    if (why !== undefined)
      addBelow(work, unit, node, { score: -INFINITY_SCORE, source: { kind: 'gate', service, why } })
  }
}
