/** The tables of scores while base scores are added up, and what the rules that add to them share. */
import { INFINITY_SCORE, type Score } from '../../cib/index.ts'
import type { ClusterStatus } from '../../status/index.ts'
import type { ScoreSource } from '../assigned/assignment.ts'
import type { TicketEffects } from '../constraints/tickets.ts'
import type { Entry, PrimitiveEntry, ResourceTree } from '../resources/tree.ts'
import type { NodeTable } from './node-table.ts'
import { absent, add, type ScoreTable, scoreAt } from './score-table.ts'
import { everywhere, type Trail } from './trail.ts'

export interface TableWork {
  readonly status: ClusterStatus
  readonly tree: ResourceTree
  readonly nodes: NodeTable
  readonly tickets: TicketEffects
  readonly trail: Trail
  /** By entry index. */
  readonly tables: readonly ScoreTable[]
}

export interface GivenScore {
  readonly score: Score
  readonly source: ScoreSource
}

/** Adds a score on a node to an entry and everything below it. A node that was not allowed becomes known by this. */
export function addBelow(work: TableWork, entry: Entry, node: number, given: GivenScore): void {
  for (const member of entry.members) addBelow(work, member, node, given)
  addTo(work, entry, node, given)
}

export function addTo(work: TableWork, entry: Entry, node: number, { score, source }: GivenScore): void {
  const table = tableOf(work, entry)
  const was = scoreAt(table, node)
  table[node] = add(was === absent ? (work.nodes.baseScore[node] ?? 0) : was, score)
  work.trail.note(entry.index, source, node, score)
}

export function tableOf(work: TableWork, entry: Entry): ScoreTable {
  const table = work.tables[entry.index]
  if (table === undefined) throw new RangeError(`no scores for ${entry.id}`)
  return table
}

export function banEverywhere(work: TableWork, entry: Entry, source: ScoreSource): void {
  for (const member of entry.members) banEverywhere(work, member, source)
  tableOf(work, entry).fill(-INFINITY_SCORE)
  work.trail.note(entry.index, source, everywhere, -INFINITY_SCORE)
}

/** The entry as such; what is below it finds out when it is assigned. */
export function banAlone(work: TableWork, entry: Entry, source: ScoreSource): void {
  tableOf(work, entry).fill(-INFINITY_SCORE)
  work.trail.note(entry.index, source, everywhere, -INFINITY_SCORE)
}

export const isManaged = (work: TableWork, entry: PrimitiveEntry): boolean =>
  entry.resource.state.managed && !work.tickets.frozen.has(entry.index)
