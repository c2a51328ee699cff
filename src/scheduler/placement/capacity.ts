/**
 * Utilization (Pacemaker Explained, "Utilization and Placement Strategy"): a node without room for a resource, and for all
 * that must be with it, is ruled out. Where no node has room for all of them, room for the resource alone is enough,
 * and the node with most free capacity is preferred.
 */
import { INFINITY_SCORE } from '../../cib/index.ts'
import { type Entry, isColocatedGroup, type PrimitiveEntry } from '../tree.ts'
import { rolesApply } from './apply-colocation.ts'
import { isAvailable } from './availability.ts'
import { dependsOn, supports } from './colocation-index.ts'
import { compareCapacity, fits } from './free-capacity.ts'
import { addReason, isSettled, membersOf, nowhere, type Placing, tableOf } from './placing.ts'

/** Returns the node to prefer, if capacity is what decides. */
export function banWithoutRoom(placing: Placing, entry: PrimitiveEntry): number {
  if (placing.status.options.placementStrategy === 'default') return nowhere
  const together = new Set<Entry>()
  gather(placing, entry, entry, together)
  const needed = new Map<string, number>()
  for (const other of together) if (!isSettled(placing, other)) addNeeds(placing, other, together, needed)
  const table = tableOf(placing, entry)
  let anyFits = false
  let roomiest = nowhere
  for (let node = 0; node < table.length; node++) {
    if (!isAvailable(placing, table, node)) continue
    if (fits(placing.nodes, node, needed)) anyFits = true
    if (roomiest === nowhere || compareCapacity(placing.nodes, node, roomiest) < 0) roomiest = node
  }
  banWhere(placing, entry, anyFits ? needed : entry.resource.utilization)
  return anyFits ? nowhere : roomiest
}

function banWhere(placing: Placing, entry: PrimitiveEntry, needed: ReadonlyMap<string, number>): void {
  const table = tableOf(placing, entry)
  for (let node = 0; node < table.length; node++) {
    if (!isAvailable(placing, table, node) || fits(placing.nodes, node, needed)) continue
    table[node] = -INFINITY_SCORE
    placing.trail.note(entry.index, { kind: 'utilization' }, node, -INFINITY_SCORE)
    const status = placing.tree.nodes[node]
    if (status !== undefined) addReason(placing, entry, { kind: 'capacity', node: status.name })
  }
}

/** Everything that mandatory colocations tie to an entry, in either direction. */
function gather(placing: Placing, entry: Entry, origin: Entry, found: Set<Entry>): void {
  if (entry.kind === 'group') {
    const tied = isColocatedGroup(entry) || entry.parent?.kind === 'clone' ? entry.members : entry.members.slice(0, 1)
    for (const member of tied) gather(placing, member, origin, found)
  }
  if (found.has(entry)) return
  found.add(entry)
  for (const colocation of dependsOn(placing, entry)) {
    const { primary, score } = colocation
    if (primary === origin || score < INFINITY_SCORE) continue
    if (couldApply(placing, colocation, entry, primary)) gather(placing, primary, origin, found)
  }
  for (const colocation of supports(placing, entry)) {
    const { dependent, score } = colocation
    if (dependent === origin || score < INFINITY_SCORE) continue
    // Which instance of a clone something else will be with is not known before.
    if (entry.kind === 'clone' && dependent.kind !== 'clone') continue
    if (couldApply(placing, colocation, dependent, entry)) gather(placing, dependent, origin, found)
  }
}

function couldApply(
  placing: Placing,
  colocation: Parameters<typeof rolesApply>[1],
  dependent: Entry,
  primary: Entry,
): boolean {
  const aboutRole =
    (colocation.dependentRole === 'Promoted' || colocation.dependentRole === 'Unpromoted') &&
    dependent.parent?.kind === 'clone' &&
    dependent.parent.resource.promotable &&
    isSettled(placing, dependent)
  return !aboutRole && rolesApply(placing, colocation, dependent, primary)
}

function addNeeds(placing: Placing, entry: Entry, together: ReadonlySet<Entry>, needed: Map<string, number>): void {
  if (isSettled(placing, entry)) return
  switch (entry.kind) {
    case 'primitive':
      for (const [name, value] of entry.resource.utilization) needed.set(name, (needed.get(name) ?? 0) + value)
      return
    case 'group': {
      const tied = isColocatedGroup(entry) || entry.parent?.kind === 'clone' ? entry.members : entry.members.slice(0, 1)
      for (const member of tied) if (!together.has(member)) addNeeds(placing, member, together, needed)
      return
    }
    case 'clone': {
      const members = membersOf(placing, entry)
      const [first] = members
      const counted = members.some((member) => [member, ...member.members].some((inner) => together.has(inner)))
      if (!counted && first !== undefined) addNeeds(placing, first, together, needed)
      return
    }
    case 'bundle': {
      const container = entry.replicas[0]?.container
      if (container !== undefined && !together.has(container)) addNeeds(placing, container, together, needed)
      return
    }
  }
}
