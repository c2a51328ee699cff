/**
 * Assignment while it goes on: the one value that the files of this folder work on, made from the base scores and turned
 * into an `Assignment` when everything is assigned. Nothing outside this folder sees it.
 *
 * Assigning one resource may first need another to be assigned (what it is colocated with, what it is a member of), so
 * this is a recursion over one table, not a loop over a list.
 */
import { type Role, roleRank, type Score } from '../../cib/index.ts'
import type { ClusterStatus } from '../../status/index.ts'
import type { PlacementReason, ScoreLine } from '../assigned/assignment.ts'
import type { Colocation } from '../constraints/colocations.ts'
import type { ExpandedLocation } from '../constraints/locations.ts'
import type { TicketEffects } from '../constraints/tickets.ts'
import type { CollectiveEntry, Entry, PrimitiveEntry, ResourceTree } from '../resources/tree.ts'
import type { NodeTable } from '../scores/node-table.ts'
import { add, type ScoreTable } from '../scores/score-table.ts'
import type { Trail } from '../scores/trail.ts'
import type { ColocationIndex } from './colocation-index.ts'

export const nowhere = -1

export interface AssignmentDraft {
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
  readonly assigned: Uint8Array
  /** 1 while it is being assigned: colocations may form a loop. */
  readonly assigning: Uint8Array
  /** 1 while its scores are being collected, for the same reason. */
  readonly collecting: Uint8Array
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
  readonly assign: (draft: AssignmentDraft, entry: Entry, prefer: number, mode: AssignMode) => number
}

/** A tentative assignment may fail without consequence; a final one that fails stops the resource. */
export type AssignMode = 'tentative' | 'final'

export interface ColocationUse {
  readonly colocation: Colocation
  readonly dependent: Entry
  readonly primary: Entry
}

export function tableOf(draft: AssignmentDraft, entry: Entry): ScoreTable {
  const table = draft.tables[entry.index]
  if (table === undefined) throw new RangeError(`no scores for ${entry.id}`)
  return table
}

export function membersOf(draft: AssignmentDraft, entry: Entry): readonly Entry[] {
  return draft.members[entry.index] ?? entry.members
}

/** Puts the instances of a clone in another order. */
export function setMembers(draft: AssignmentDraft, clone: Entry, members: readonly Entry[]): void {
  draft.members[clone.index] = members
  draft.instancesByNode.delete(clone.index)
}

export function addPriority(draft: AssignmentDraft, entry: Entry, score: Score): void {
  draft.priority[entry.index] = add(draft.priority[entry.index] ?? 0, score)
}

export function isAssigned(draft: AssignmentDraft, entry: Entry): boolean {
  return draft.assigned[entry.index] === 1
}

export function isManaged(draft: AssignmentDraft, entry: Entry): boolean {
  return draft.managed[entry.index] === 1
}

/** The role that an entry has now; of a collective the highest of its members. */
export function currentRole(draft: AssignmentDraft, entry: Entry): Role {
  if (entry.kind !== 'primitive') return highest(entry.members.map((member) => currentRole(draft, member)))
  const { role } = entry.resource.state
  // An active instance of a promotable clone that is not promoted is unpromoted, whatever the history calls it.
  return role === 'Started' && entry.resource.instance?.promotable === true ? 'Unpromoted' : role
}

export function nextRole(draft: AssignmentDraft, entry: Entry): Role | undefined {
  if (entry.kind === 'primitive') return draft.nextRole[entry.index]
  let found: Role | undefined
  for (const member of entry.members) {
    const role = nextRole(draft, member)
    if (roleRank(role) > roleRank(found)) found = role
  }
  return found
}

function highest(roles: readonly Role[]): Role {
  return roles.reduce<Role>((best, role) => (roleRank(role) > roleRank(best) ? role : best), 'Stopped')
}

export function setNextRole(draft: AssignmentDraft, entry: Entry, role: Role, reason: string): void {
  draft.nextRole[entry.index] = role
  draft.nextRoleReason[entry.index] = reason
}

/** Where an entry was assigned; for a collective only if all its assigned members are on one node. */
export function assignedNode(draft: AssignmentDraft, entry: Entry): number {
  if (entry.kind === 'primitive') return draft.node[entry.index] ?? nowhere
  let found = nowhere
  for (const member of entry.members) {
    const node = assignedNode(draft, member)
    if (node === nowhere) continue
    if (found !== nowhere && found !== node) return nowhere
    found = node
  }
  return found
}

/** The primitive whose score table knew the node when a collective's member was assigned. */
export function firstAssigned(draft: AssignmentDraft, entry: Entry): PrimitiveEntry | undefined {
  if (entry.kind === 'primitive') return draft.node[entry.index] === nowhere ? undefined : entry
  for (const member of entry.members) {
    const found = firstAssigned(draft, member)
    if (found !== undefined) return found
  }
  return undefined
}

/** Blocked itself or, for a collective, in any of its members. */
export function isBlocked(draft: AssignmentDraft, entry: Entry): boolean {
  if (draft.blocked[entry.index] === 1) return true
  return entry.members.some((member) => isBlocked(draft, member))
}

export function countsOf(draft: AssignmentDraft, entry: CollectiveEntry): Int32Array {
  const known = draft.counts.get(entry.index)
  if (known !== undefined) return known
  const counts = new Int32Array(draft.nodes.count)
  draft.counts.set(entry.index, counts)
  return counts
}

export function addReason(draft: AssignmentDraft, entry: Entry, reason: PlacementReason): void {
  const known = draft.whyNot.get(entry.index)
  if (known === undefined) draft.whyNot.set(entry.index, [reason])
  else known.push(reason)
}

/** Writes down the line that shows scores, for an entry and everything below it; orphans are not shown. */
export function showScores(draft: AssignmentDraft, by: 'primitive' | 'group' | 'clone' | 'bundle', entry: Entry): void {
  if (!draft.showScores || entry.resource.orphan) return
  draft.lines.push({ kind: 'scores', by, resource: entry.id, scores: tableOf(draft, entry).slice() })
  for (const member of membersOf(draft, entry)) showScores(draft, by, member)
}
