/** Location constraints, of a whole and all that is below it, with the resource discovery that they ask for. */
import type { ScoreSource } from '../assigned/assignment.ts'
import type { ExpandedLocation } from '../constraints/locations.ts'
import { type Entry, isColocatedGroup } from '../resources/tree.ts'
import { absent, add, scoreAt } from './score-table.ts'
import { type TableWork, tableOf } from './table-work.ts'

export const discoveryModes = ['always', 'never', 'exclusive'] as const

export interface LocationWork extends TableWork {
  readonly initialRole: (entry: Entry) => string | undefined
  /** By entry index: the index of `discoveryModes` per node, where any is not `always`. */
  readonly discovery: Map<number, Uint8Array>
  /** Entries of which a constraint says resource-discovery=exclusive. */
  readonly exclusive: Set<number>
}

type Weight = 'with scores' | 'without scores'

export function applyLocation(
  work: LocationWork,
  location: ExpandedLocation & { readonly health?: 'green' | 'yellow' | 'red' },
  entry: Entry,
  weight: Weight,
): void {
  applyLocationTo(work, location, entry, weight)
  switch (entry.kind) {
    case 'primitive':
      return
    case 'clone':
      for (const member of entry.members) applyLocation(work, location, member, weight)
      return
    case 'group':
      entry.members.forEach((member, index) => {
        const follows = index > 0 && isColocatedGroup(entry)
        applyLocation(work, location, member, follows ? 'without scores' : weight)
      })
      return
    case 'bundle':
      for (const { container, ip } of entry.replicas)
        for (const part of [container, ip]) if (part !== undefined) applyLocation(work, location, part, weight)
      // What a bundle's member shall be promoted on is asked when its role is chosen.
      if (entry.clone !== undefined && location.role !== undefined) applyLocation(work, location, entry.clone, weight)
      return
  }
}

function applyLocationTo(
  work: LocationWork,
  location: ExpandedLocation & { readonly health?: 'green' | 'yellow' | 'red' },
  entry: Entry,
  weight: Weight,
): void {
  if (location.role !== undefined && location.role !== work.initialRole(entry)) return
  const table = tableOf(work, entry)
  const source: ScoreSource =
    location.health === undefined
      ? {
          kind: 'location',
          constraint: location.constraint,
          ...(location.rule === undefined ? {} : { rule: location.rule }),
          ...(location.attribute === undefined ? {} : { attribute: location.attribute }),
        }
      : { kind: 'health', health: location.health }
  const mode = discoveryModes.indexOf(location.discovery)
  for (const { node, score } of location.nodes) {
    const added = weight === 'with scores' ? score : 0
    const was = scoreAt(table, node)
    table[node] = was === absent ? added : add(was, added)
    if (added !== 0) work.trail.note(entry.index, source, node, added)
    if (mode > 0) raiseDiscovery(work, entry, node, mode)
  }
}

/** Exclusive wins over never, never over always. */
function raiseDiscovery(work: LocationWork, entry: Entry, node: number, mode: number): void {
  const modes = work.discovery.get(entry.index) ?? new Uint8Array(work.nodes.count)
  if ((modes[node] ?? 0) < mode) modes[node] = mode
  work.discovery.set(entry.index, modes)
  if (mode === 2) work.exclusive.add(entry.index)
}
