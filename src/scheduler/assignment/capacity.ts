/**
 * Utilization (Pacemaker Explained, "Utilization and Placement Strategy"): a node without free capacity for a resource, and for all
 * that must be with it, is ruled out. Where no node has it for all of them, capacity for the resource alone is enough,
 * and the node with most free capacity is preferred.
 */
import { INFINITY_SCORE } from '../../cib/index.ts'
import { type Entry, isColocatedGroup, type PrimitiveEntry } from '../resources/tree.ts'
import { rolesApply } from './apply-colocation.ts'
import { type AssignmentDraft, addReason, isAssigned, membersOf, nowhere, tableOf } from './assignment-draft.ts'
import { isAvailable } from './availability.ts'
import { dependsOn, supports } from './colocation-index.ts'
import { compareCapacity, fits } from './free-capacity.ts'

/** Returns the node to prefer, if capacity is what decides. */
export function banWithoutCapacity(draft: AssignmentDraft, entry: PrimitiveEntry): number {
  if (draft.status.options.placementStrategy === 'default') return nowhere
  const together = new Set<Entry>()
  gather(draft, entry, entry, together)
  const needed = new Map<string, number>()
  for (const other of together) if (!isAssigned(draft, other)) addNeeds(draft, other, together, needed)
  const table = tableOf(draft, entry)
  let anyFits = false
  let mostCapacity = nowhere
  for (let node = 0; node < table.length; node++) {
    if (!isAvailable(draft, table, node)) continue
    if (fits(draft.nodes, node, needed)) anyFits = true
    if (mostCapacity === nowhere || compareCapacity(draft.nodes, node, mostCapacity) < 0) mostCapacity = node
  }
  banWhere(draft, entry, anyFits ? needed : entry.resource.utilization)
  return anyFits ? nowhere : mostCapacity
}

function banWhere(draft: AssignmentDraft, entry: PrimitiveEntry, needed: ReadonlyMap<string, number>): void {
  const table = tableOf(draft, entry)
  for (let node = 0; node < table.length; node++) {
    if (!isAvailable(draft, table, node) || fits(draft.nodes, node, needed)) continue
    table[node] = -INFINITY_SCORE
    draft.notes.trail.note(entry.index, { kind: 'utilization' }, node, -INFINITY_SCORE)
    const status = draft.tree.nodes[node]
    if (status !== undefined) addReason(draft, entry, { kind: 'capacity', node: status.name })
  }
}

/** Everything that mandatory colocations tie to an entry, in either direction. */
function gather(draft: AssignmentDraft, entry: Entry, origin: Entry, found: Set<Entry>): void {
  if (entry.kind === 'group') {
    const tied = isColocatedGroup(entry) || entry.parent?.kind === 'clone' ? entry.members : entry.members.slice(0, 1)
    for (const member of tied) gather(draft, member, origin, found)
  }
  if (found.has(entry)) return
  found.add(entry)
  for (const colocation of dependsOn(draft, entry)) {
    const { primary, score } = colocation
    if (primary === origin || score < INFINITY_SCORE) continue
    if (couldApply(draft, colocation, entry, primary)) gather(draft, primary, origin, found)
  }
  for (const colocation of supports(draft, entry)) {
    const { dependent, score } = colocation
    if (dependent === origin || score < INFINITY_SCORE) continue
    // Which instance of a clone something else will be with is not known before.
    if (entry.kind === 'clone' && dependent.kind !== 'clone') continue
    if (couldApply(draft, colocation, dependent, entry)) gather(draft, dependent, origin, found)
  }
}

function couldApply(
  draft: AssignmentDraft,
  colocation: Parameters<typeof rolesApply>[1],
  dependent: Entry,
  primary: Entry,
): boolean {
  const aboutRole =
    (colocation.dependentRole === 'Promoted' || colocation.dependentRole === 'Unpromoted') &&
    dependent.parent?.kind === 'clone' &&
    dependent.parent.resource.promotable &&
    isAssigned(draft, dependent)
  return !aboutRole && rolesApply(draft, colocation, dependent, primary)
}

function addNeeds(
  draft: AssignmentDraft,
  entry: Entry,
  together: ReadonlySet<Entry>,
  needed: Map<string, number>,
): void {
  if (isAssigned(draft, entry)) return
  switch (entry.kind) {
    case 'primitive':
      for (const [name, value] of entry.resource.utilization) needed.set(name, (needed.get(name) ?? 0) + value)
      return
    case 'group': {
      const tied = isColocatedGroup(entry) || entry.parent?.kind === 'clone' ? entry.members : entry.members.slice(0, 1)
      for (const member of tied) if (!together.has(member)) addNeeds(draft, member, together, needed)
      return
    }
    case 'clone': {
      const members = membersOf(draft, entry)
      const [first] = members
      const counted = members.some((member) => [member, ...member.members].some((inner) => together.has(inner)))
      if (!counted && first !== undefined) addNeeds(draft, first, together, needed)
      return
    }
    case 'bundle': {
      const container = entry.replicas[0]?.container
      if (container !== undefined && !together.has(container)) addNeeds(draft, container, together, needed)
      return
    }
  }
}
