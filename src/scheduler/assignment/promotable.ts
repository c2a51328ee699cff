/**
 * Which instances of a promotable clone are promoted (Pacemaker Explained, "Promotable Clones"). Every assigned instance
 * gets a rank: its promotion score, location constraints and colocations for the role Promoted, and what others prefer
 * that are placed with the promoted instance. The best promoted-max instances with a rank that is not negative are
 * promoted, at most promoted-node-max on one node.
 */
import { INFINITY_SCORE, type Role, roleRank } from '../../cib/index.ts'
import type { Colocation } from '../constraints/colocations.ts'
import { type CloneEntry, type Entry, topOf } from '../resources/tree.ts'
import { absent, add, scoreAt } from '../scores/score-table.ts'
import { applyColocation } from './apply-colocation.ts'
import {
  type AssignmentDraft,
  addPriority,
  addReason,
  assignedNode,
  countsOf,
  currentRole,
  isManaged,
  nextRole,
  nowhere,
  setMembers,
  setNextRole,
  tableOf,
} from './assignment-draft.ts'
import { guestWillRun, isUsable } from './availability.ts'
import { collectColocatedScores, hasInfluence, share } from './colocated-node-scores.ts'
import { dependsOn, supports } from './colocation-index.ts'
import { instanceOrder } from './instance-order.ts'
import { promotionScore, unpromotable, withoutPromotionScore } from './promotion-score.ts'

/** Instances would rather be where they are likely to be promoted. */
export function addPromotionScores(draft: AssignmentDraft, clone: CloneEntry): void {
  if (draft.promotion.counted.has(clone.index)) return
  draft.promotion.counted.add(clone.index)
  for (const instance of clone.members) {
    const table = tableOf(draft, instance)
    for (let node = 0; node < table.length; node++) {
      const was = scoreAt(table, node)
      if (was === absent || !isUsable(draft, node)) continue
      const score = promotionScore(draft, instance, node) ?? 0
      if (score > 0) {
        table[node] = add(was, score)
        draft.notes.trail.note(instance.index, { kind: 'promotion' }, node, score)
      }
      if (score > (draft.promotion.priority[instance.index] ?? 0)) draft.promotion.priority[instance.index] = score
    }
  }
}

export function chooseRoles(draft: AssignmentDraft, clone: CloneEntry): void {
  countsOf(draft, clone).fill(0)
  for (const instance of membersIn(draft, clone)) rankInstance(draft, clone, instance)
  sortForPromotion(draft, clone)
  let promoted = 0
  for (const instance of membersIn(draft, clone)) {
    showPromotion(draft, instance)
    const rank = draft.promotion.rank[instance.index] ?? 0
    const open = promoted < clone.resource.promotedMax || !isManaged(draft, clone)
    if (rank >= 0 && open && canBePromoted(draft, instance) && promote(draft, clone, instance)) promoted++
    else {
      if (rank >= 0 && !open) addReason(draft, instance, { kind: 'clone-limit', limit: 'promoted-max' })
      leaveUnpromoted(draft, instance)
    }
  }
}

const membersIn = (draft: AssignmentDraft, clone: CloneEntry): readonly Entry[] =>
  draft.instances.members[clone.index] ?? clone.members

function rankInstance(draft: AssignmentDraft, clone: CloneEntry, instance: Entry): void {
  const node = assignedNode(draft, instance)
  if (node === nowhere) {
    draft.promotion.rank[instance.index] = unpromotable
    return
  }
  const next = nextRole(draft, instance)
  if (next === undefined || next === 'Started')
    draft.promotion.priority[instance.index] = promotionScore(draft, instance, node) ?? withoutPromotionScore
  else if (next !== 'Promoted') draft.promotion.priority[instance.index] = unpromotable
  addRoleLocations(draft, instance, instance, node)
  addRoleLocations(draft, clone, instance, node)
  if (clone.parent !== undefined) addRoleLocations(draft, clone.parent, instance, node)
  for (const colocation of dependsOn(draft, instance))
    addPriority(draft, instance, applyColocation(draft, colocation, instance, colocation.primary))
  draft.promotion.rank[instance.index] =
    next === 'Promoted' ? INFINITY_SCORE : (draft.promotion.priority[instance.index] ?? 0)
}

function addRoleLocations(draft: AssignmentDraft, named: Entry, instance: Entry, node: number): void {
  for (const location of draft.promotion.locations.get(named.index) ?? []) {
    const here = location.nodes.find((place) => place.node === node)
    if (here !== undefined) addPriority(draft, instance, here.score)
  }
}

/** The clone's own scores serve as the place where ranks and scores meet, node by node. */
function sortForPromotion(draft: AssignmentDraft, clone: CloneEntry): void {
  if (draft.promotion.choosing.has(clone.index)) return
  draft.promotion.choosing.add(clone.index)
  draft.underWay.collecting[clone.index] = 1
  const table = tableOf(draft, clone)
  const instances = membersIn(draft, clone)
  for (const instance of instances) {
    const node = assignedNode(draft, instance)
    const rank = draft.promotion.rank[instance.index] ?? 0
    if (node !== nowhere && rank >= 0 && scoreAt(table, node) !== absent) table[node] = add(scoreAt(table, node), rank)
  }
  for (const colocation of supports(draft, clone)) addPromotedDependents(draft, colocation, clone)
  if (needsTicket(draft, clone)) tableOf(draft, clone).fill(-INFINITY_SCORE)
  for (const instance of instances) draft.promotion.rank[instance.index] = finalRank(draft, clone, instance)
  const otherwise = instanceOrder(draft)
  setMembers(
    draft,
    clone,
    instances.toSorted((a, b) => compareForPromotion(draft, a, b) || otherwise(a, b)),
  )
  draft.underWay.collecting[clone.index] = 0
}

function addPromotedDependents(draft: AssignmentDraft, colocation: Colocation, clone: CloneEntry): void {
  if (colocation.primaryRole !== 'Promoted' || !hasInfluence(draft, colocation, colocation.primary)) return
  const table = tableOf(draft, clone)
  const summed = collectColocatedScores(draft, table, {
    source: colocation.dependent,
    target: clone,
    colocation,
    factor: share(colocation),
    onlyPositive: true,
    optional: true,
    follow: 'dependents',
  })
  if (summed !== table) table.set(summed)
}

function needsTicket(draft: AssignmentDraft, clone: CloneEntry): boolean {
  const ticket = draft.tickets.unpromotable.get(clone.index)
  if (ticket === undefined) return false
  for (const instance of clone.members) addReason(draft, instance, { kind: 'ticket', ticket, policy: 'demote' })
  return true
}

function finalRank(draft: AssignmentDraft, clone: CloneEntry, instance: Entry): number {
  const rank = draft.promotion.rank[instance.index] ?? 0
  if (!isManaged(draft, instance) && nextRole(draft, instance) === 'Promoted') return INFINITY_SCORE
  const node = assignedNode(draft, instance)
  // It may have lost its node on the way, because what it must be with is nowhere.
  if (node === nowhere) return unpromotable
  if (rank < 0) return rank
  const score = scoreAt(tableOf(draft, clone), node)
  return score === absent ? rank : score
}

function compareForPromotion(draft: AssignmentDraft, a: Entry, b: Entry): number {
  const rank = (draft.promotion.rank[b.index] ?? 0) - (draft.promotion.rank[a.index] ?? 0)
  if (rank !== 0) return rank
  return roleRank(currentRole(draft, b)) - roleRank(currentRole(draft, a))
}

function showPromotion(draft: AssignmentDraft, instance: Entry): void {
  if (!draft.notes.showScores) return
  const node = draft.tree.nodes[assignedNode(draft, instance)]?.name
  const score = draft.promotion.rank[instance.index] ?? 0
  draft.notes.lines.push({ kind: 'promotion', resource: instance.id, score, ...(node === undefined ? {} : { node }) })
}

function canBePromoted(draft: AssignmentDraft, instance: Entry): boolean {
  if (instance.kind === 'group' && !instance.members.every((member) => canBePromoted(draft, member))) return false
  const node = assignedNode(draft, instance)
  if (node === nowhere) return false
  if (!isManaged(draft, instance)) {
    if (currentRole(draft, instance) !== 'Promoted') return false
  } else if ((draft.promotion.priority[instance.index] ?? 0) < 0) {
    const name = draft.tree.nodes[node]?.name
    const score = draft.promotion.priority[instance.index] ?? 0
    if (name !== undefined) addReason(draft, instance, { kind: 'promotion-score', node: name, score })
    return false
  } else if (!isUsable(draft, node) || !guestWillRun(draft, node)) return false
  const clone = cloneOf(instance)
  if (clone === undefined || scoreAt(tableOf(draft, clone), node) === absent) return false
  const full = (countsOf(draft, clone)[node] ?? 0) >= clone.resource.promotedNodeMax
  return !full || !isManaged(draft, instance)
}

function cloneOf(instance: Entry): CloneEntry | undefined {
  const top = topOf(instance)
  if (top.kind === 'clone') return top
  return top.kind === 'bundle' ? top.clone : undefined
}

function promote(draft: AssignmentDraft, clone: CloneEntry, instance: Entry): boolean {
  const { haveQuorum, options } = draft.status
  if (currentRole(draft, instance) !== 'Promoted' && !haveQuorum && options.noQuorumPolicy === 'freeze') {
    addReason(draft, instance, { kind: 'no-quorum', policy: 'freeze' })
    return false
  }
  const node = assignedNode(draft, instance)
  const counts = countsOf(draft, clone)
  counts[node] = (counts[node] ?? 0) + 1
  setPromoted(draft, instance)
  return true
}

function setPromoted(draft: AssignmentDraft, entry: Entry): void {
  if (entry.kind !== 'primitive') for (const member of entry.members) setPromoted(draft, member)
  else if (draft.roles.next[entry.index] === undefined) setNextRole(draft, entry, 'Promoted', 'promoted instance')
}

function leaveUnpromoted(draft: AssignmentDraft, entry: Entry): void {
  for (const member of entry.members) leaveUnpromoted(draft, member)
  if (entry.kind !== 'primitive') return
  const role: Role = assignedNode(draft, entry) === nowhere ? 'Stopped' : 'Unpromoted'
  setNextRole(draft, entry, role, role === 'Stopped' ? 'stopped instance' : 'unpromoted instance')
}
