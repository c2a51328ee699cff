/**
 * Assignment while it goes on: made from the base scores, and turned into an `Assignment` when everything is assigned. Nothing outside
 * this folder sees it. It consists of facts, and of one part for each question that assignment answers.
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

/** What was known before the first resource is assigned. Nothing of it changes but the nodes' load and state. */
export interface AssignmentFacts {
  readonly status: ClusterStatus
  readonly tree: ResourceTree
  readonly nodes: NodeTable
  readonly locations: readonly ExpandedLocation[]
  readonly tickets: TicketEffects
  readonly colocations: ColocationIndex
}

/** Where each resource goes. All arrays here and below are by entry index. */
export interface Placement {
  /** 1 once it is decided where it goes, or that it goes nowhere. */
  readonly isAssigned: Uint8Array
  readonly node: Int32Array
  /** The score that the node had for the resource when it was assigned to it; what the node has for all where it just stays. */
  readonly score: Int32Array
}

/** What the recursion is in the middle of, because colocations may form a loop: 1 where it is. */
export interface UnderWay {
  readonly assigning: Uint8Array
  /** Its colocated node scores are being collected. */
  readonly collecting: Uint8Array
}

/** Whether the cluster may act on a resource at all: 1 where it is so. */
export interface Standing {
  readonly managed: Uint8Array
  readonly blocked: Uint8Array
}

export interface NextRoles {
  readonly next: (Role | undefined)[]
  readonly reason: (string | undefined)[]
}

/** Of the instances of promotable clones. */
export interface Promotion {
  readonly priority: number[]
  /** What they are sorted by when some of them are promoted. */
  readonly rank: number[]
  /** Clones whose promotion scores were taken into account, and those for which roles are being chosen. */
  readonly counted: Set<number>
  readonly choosing: Set<number>
  /** The locations that decide on the role Promoted, by the entry that they are about. */
  readonly locations: ReadonlyMap<number, readonly ExpandedLocation[]>
}

/** Of clones and bundles. */
export interface Instances {
  /** In the order in which they are assigned and promoted. */
  readonly members: (readonly Entry[])[]
  /** How many instances each node has: assigned, and later promoted ones. */
  readonly counts: Map<number, Int32Array>
  /** Of clones: the first instance that is assigned to each node, as long as no assignment of an instance changes. */
  readonly byNode: Map<number, readonly (Entry | undefined)[]>
}

/** For people: nothing is decided by it. */
export interface Notes {
  readonly trail: Trail
  readonly whyNot: Map<number, PlacementReason[]>
  readonly lines: ScoreLine[]
  readonly showScores: boolean
}

export interface AssignmentDraft extends AssignmentFacts {
  readonly tables: ScoreTable[]
  readonly placement: Placement
  readonly underWay: UnderWay
  readonly standing: Standing
  readonly roles: NextRoles
  readonly promotion: Promotion
  readonly instances: Instances
  readonly notes: Notes
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
  return draft.instances.members[entry.index] ?? entry.members
}

/** Puts the instances of a clone in another order. */
export function setMembers(draft: AssignmentDraft, clone: Entry, members: readonly Entry[]): void {
  draft.instances.members[clone.index] = members
  draft.instances.byNode.delete(clone.index)
}

export function addPriority(draft: AssignmentDraft, entry: Entry, score: Score): void {
  draft.promotion.priority[entry.index] = add(draft.promotion.priority[entry.index] ?? 0, score)
}

export function isAssigned(draft: AssignmentDraft, entry: Entry): boolean {
  return draft.placement.isAssigned[entry.index] === 1
}

export function isManaged(draft: AssignmentDraft, entry: Entry): boolean {
  return draft.standing.managed[entry.index] === 1
}

/** The role that an entry has now; of a collective the highest of its members. */
export function currentRole(draft: AssignmentDraft, entry: Entry): Role {
  if (entry.kind !== 'primitive') return highest(entry.members.map((member) => currentRole(draft, member)))
  const { role } = entry.resource.state
  // An active instance of a promotable clone that is not promoted is unpromoted, whatever the history calls it.
  return role === 'Started' && entry.resource.instance?.promotable === true ? 'Unpromoted' : role
}

export function nextRole(draft: AssignmentDraft, entry: Entry): Role | undefined {
  if (entry.kind === 'primitive') return draft.roles.next[entry.index]
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
  draft.roles.next[entry.index] = role
  draft.roles.reason[entry.index] = reason
}

/** Where an entry was assigned; for a collective only if all its assigned members are on one node. */
export function assignedNode(draft: AssignmentDraft, entry: Entry): number {
  if (entry.kind === 'primitive') return draft.placement.node[entry.index] ?? nowhere
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
  if (entry.kind === 'primitive') return draft.placement.node[entry.index] === nowhere ? undefined : entry
  for (const member of entry.members) {
    const found = firstAssigned(draft, member)
    if (found !== undefined) return found
  }
  return undefined
}

/** Blocked itself or, for a collective, in any of its members. */
export function isBlocked(draft: AssignmentDraft, entry: Entry): boolean {
  if (draft.standing.blocked[entry.index] === 1) return true
  return entry.members.some((member) => isBlocked(draft, member))
}

export function countsOf(draft: AssignmentDraft, entry: CollectiveEntry): Int32Array {
  const known = draft.instances.counts.get(entry.index)
  if (known !== undefined) return known
  const counts = new Int32Array(draft.nodes.count)
  draft.instances.counts.set(entry.index, counts)
  return counts
}

export function addReason(draft: AssignmentDraft, entry: Entry, reason: PlacementReason): void {
  const known = draft.notes.whyNot.get(entry.index)
  if (known === undefined) draft.notes.whyNot.set(entry.index, [reason])
  else known.push(reason)
}

/** Writes down the line that shows scores, for an entry and everything below it; orphans are not shown. */
export function showScores(draft: AssignmentDraft, by: 'primitive' | 'group' | 'clone' | 'bundle', entry: Entry): void {
  if (!draft.notes.showScores || entry.resource.orphan) return
  draft.notes.lines.push({ kind: 'scores', by, resource: entry.id, scores: tableOf(draft, entry).slice() })
  for (const member of membersOf(draft, entry)) showScores(draft, by, member)
}
