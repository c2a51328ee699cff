/**
 * Placement while it goes on: the one value that the files of `assign/` work on, made from the base scores and turned
 * into an `Assignment` when everything is assigned. Nothing outside this folder sees it.
 *
 * Assigning one resource may first need another to be assigned (what it is colocated with, what it is a member of), so
 * this is a recursion over one table, not a loop over a list.
 */
import { type Role, roleRank, type Score } from '../../cib/index.ts'
import type { ClusterStatus } from '../../status/index.ts'
import type { PlacementReason, ScoreLine } from '../assignment.ts'
import type { Colocation } from '../constraints/colocations.ts'
import type { ExpandedLocation } from '../constraints/locations.ts'
import type { TicketEffects } from '../constraints/tickets.ts'
import type { CollectiveEntry, Entry, PrimitiveEntry, ResourceTree } from '../tree.ts'
import type { ColocationIndex } from './colocation-index.ts'
import type { NodeTable } from './node-table.ts'
import { add, type ScoreTable } from './score-table.ts'
import type { Trail } from './trail.ts'

export const nowhere = -1

export interface Placing {
  readonly status: ClusterStatus
  readonly tree: ResourceTree
  readonly nodes: NodeTable
  readonly locations: readonly ExpandedLocation[]
  readonly tickets: TicketEffects
  readonly colocations: ColocationIndex
  readonly trail: Trail
  /** Everything below is by entry index. */
  readonly tables: ScoreTable[]
  /** 1 once it is decided where it goes, or that it goes nowhere. */
  readonly settled: Uint8Array
  /** 1 while it is being assigned: colocations may form a loop. */
  readonly assigning: Uint8Array
  /** 1 while its wishes are being collected, for the same reason. */
  readonly merging: Uint8Array
  readonly node: Int32Array
  /** The score that the node had for the resource when it was assigned to it; what the node has for all where it just stays. */
  readonly scoreWhenAssigned: Int32Array
  readonly managed: Uint8Array
  readonly blocked: Uint8Array
  readonly nextRole: (Role | undefined)[]
  readonly nextRoleReason: (string | undefined)[]
  readonly priority: number[]
  /** Promotable instances: what they are sorted by when some of them are promoted. */
  readonly promotionRank: number[]
  readonly members: (readonly Entry[])[]
  /** How many instances of a clone or bundle each node has: assigned, and later promoted ones. */
  readonly counts: Map<number, Int32Array>
  /** Of clones: the first instance that is assigned to each node, as long as no assignment of an instance changes. */
  readonly instancesByNode: Map<number, readonly (Entry | undefined)[]>
  /** Clones whose promotion scores were taken into account, and those for which roles are being chosen. */
  readonly promotionCounted: Set<number>
  readonly choosingRoles: Set<number>
  readonly whyNot: Map<number, PlacementReason[]>
  readonly lines: ScoreLine[]
  readonly showScores: boolean
  /** The locations that decide on the role Promoted, by the entry that they are about. */
  readonly roleLocations: ReadonlyMap<number, readonly ExpandedLocation[]>
  /** Assigns an entry of any kind; returns its node, or `nowhere`. */
  readonly assign: (placing: Placing, entry: Entry, prefer: number, wish: AssignWish) => number
}

/** A tentative assignment may fail without consequence; a final one that fails stops the resource. */
export type AssignWish = 'tentative' | 'final'

export interface ColocationUse {
  readonly colocation: Colocation
  readonly dependent: Entry
  readonly primary: Entry
}

export function tableOf(placing: Placing, entry: Entry): ScoreTable {
  const table = placing.tables[entry.index]
  if (table === undefined) throw new RangeError(`no scores for ${entry.id}`)
  return table
}

export function membersOf(placing: Placing, entry: Entry): readonly Entry[] {
  return placing.members[entry.index] ?? entry.members
}

/** Puts the instances of a clone in another order. */
export function setMembers(placing: Placing, clone: Entry, members: readonly Entry[]): void {
  placing.members[clone.index] = members
  placing.instancesByNode.delete(clone.index)
}

export function addPriority(placing: Placing, entry: Entry, score: Score): void {
  placing.priority[entry.index] = add(placing.priority[entry.index] ?? 0, score)
}

export function isSettled(placing: Placing, entry: Entry): boolean {
  return placing.settled[entry.index] === 1
}

export function isManaged(placing: Placing, entry: Entry): boolean {
  return placing.managed[entry.index] === 1
}

/** The role that an entry has now; of a collective the highest of its members. */
export function currentRole(placing: Placing, entry: Entry): Role {
  if (entry.kind !== 'primitive') return highest(entry.members.map((member) => currentRole(placing, member)))
  const { role } = entry.resource.state
  // An active instance of a promotable clone that is not promoted is unpromoted, whatever the history calls it.
  return role === 'Started' && entry.resource.instance?.promotable === true ? 'Unpromoted' : role
}

export function nextRole(placing: Placing, entry: Entry): Role | undefined {
  if (entry.kind === 'primitive') return placing.nextRole[entry.index]
  let found: Role | undefined
  for (const member of entry.members) {
    const role = nextRole(placing, member)
    if (roleRank(role) > roleRank(found)) found = role
  }
  return found
}

function highest(roles: readonly Role[]): Role {
  return roles.reduce<Role>((best, role) => (roleRank(role) > roleRank(best) ? role : best), 'Stopped')
}

export function setNextRole(placing: Placing, entry: Entry, role: Role, reason: string): void {
  placing.nextRole[entry.index] = role
  placing.nextRoleReason[entry.index] = reason
}

/** Where an entry was assigned; for a collective only if all its assigned members are on one node. */
export function assignedNode(placing: Placing, entry: Entry): number {
  if (entry.kind === 'primitive') return placing.node[entry.index] ?? nowhere
  let found = nowhere
  for (const member of entry.members) {
    const node = assignedNode(placing, member)
    if (node === nowhere) continue
    if (found !== nowhere && found !== node) return nowhere
    found = node
  }
  return found
}

/** The primitive whose score table knew the node when a collective's member was assigned. */
export function firstAssigned(placing: Placing, entry: Entry): PrimitiveEntry | undefined {
  if (entry.kind === 'primitive') return placing.node[entry.index] === nowhere ? undefined : entry
  for (const member of entry.members) {
    const found = firstAssigned(placing, member)
    if (found !== undefined) return found
  }
  return undefined
}

/** Blocked itself or, for a collective, in any of its members. */
export function isBlocked(placing: Placing, entry: Entry): boolean {
  if (placing.blocked[entry.index] === 1) return true
  return entry.members.some((member) => isBlocked(placing, member))
}

export function countsOf(placing: Placing, entry: CollectiveEntry): Int32Array {
  const known = placing.counts.get(entry.index)
  if (known !== undefined) return known
  const counts = new Int32Array(placing.nodes.count)
  placing.counts.set(entry.index, counts)
  return counts
}

export function addReason(placing: Placing, entry: Entry, reason: PlacementReason): void {
  const known = placing.whyNot.get(entry.index)
  if (known === undefined) placing.whyNot.set(entry.index, [reason])
  else known.push(reason)
}

/** Writes down the line that shows scores, for an entry and everything below it; orphans are not shown. */
export function showScores(placing: Placing, by: 'primitive' | 'group' | 'clone' | 'bundle', entry: Entry): void {
  if (!placing.showScores || entry.resource.orphan) return
  placing.lines.push({ kind: 'scores', by, resource: entry.id, scores: tableOf(placing, entry).slice() })
  for (const member of membersOf(placing, entry)) showScores(placing, by, member)
}
