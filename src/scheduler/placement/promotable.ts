/**
 * Which instances of a promotable clone are promoted (Pacemaker Explained, "Promotable Clones"). Every assigned instance
 * gets a rank: its promotion score, location constraints and colocations for the role Promoted, and what others wish
 * that are placed with the promoted instance. The best promoted-max instances with a rank that is not negative are
 * promoted, at most promoted-node-max on one node.
 */
import { INFINITY_SCORE, type Role, roleRank } from '../../cib/index.ts'
import type { Colocation } from '../constraints/colocations.ts'
import { type CloneEntry, type Entry, topOf } from '../tree.ts'
import { applyColocation } from './apply-colocation.ts'
import { guestWillRun, isUsable } from './availability.ts'
import { dependsOn, supports } from './colocation-index.ts'
import { instanceOrder } from './instance-order.ts'
import {
  addPriority,
  addReason,
  assignedNode,
  countsOf,
  currentRole,
  isManaged,
  nextRole,
  nowhere,
  type Placing,
  setMembers,
  setNextRole,
  tableOf,
} from './placing.ts'
import { promotionScore, unpromotable, withoutPromotionScore } from './promotion-score.ts'
import { absent, add, scoreAt } from './score-table.ts'
import { collectWishes, hasInfluence, share } from './wishes.ts'

/** Instances would rather be where they are likely to be promoted. */
export function addPromotionScores(placing: Placing, clone: CloneEntry): void {
  if (placing.promotionCounted.has(clone.index)) return
  placing.promotionCounted.add(clone.index)
  for (const instance of clone.members) {
    const table = tableOf(placing, instance)
    for (let node = 0; node < table.length; node++) {
      const was = scoreAt(table, node)
      if (was === absent || !isUsable(placing, node)) continue
      const score = promotionScore(placing, instance, node) ?? 0
      if (score > 0) {
        table[node] = add(was, score)
        placing.trail.note(instance.index, { kind: 'promotion' }, node, score)
      }
      if (score > (placing.priority[instance.index] ?? 0)) placing.priority[instance.index] = score
    }
  }
}

export function chooseRoles(placing: Placing, clone: CloneEntry): void {
  countsOf(placing, clone).fill(0)
  for (const instance of membersIn(placing, clone)) rankInstance(placing, clone, instance)
  sortForPromotion(placing, clone)
  let promoted = 0
  for (const instance of membersIn(placing, clone)) {
    showPromotion(placing, instance)
    const rank = placing.promotionRank[instance.index] ?? 0
    const open = promoted < clone.resource.promotedMax || !isManaged(placing, clone)
    if (rank >= 0 && open && canBePromoted(placing, instance) && promote(placing, clone, instance)) promoted++
    else {
      if (rank >= 0 && !open) addReason(placing, instance, { kind: 'clone-limit', limit: 'promoted-max' })
      leaveUnpromoted(placing, instance)
    }
  }
}

const membersIn = (placing: Placing, clone: CloneEntry): readonly Entry[] =>
  placing.members[clone.index] ?? clone.members

function rankInstance(placing: Placing, clone: CloneEntry, instance: Entry): void {
  const node = assignedNode(placing, instance)
  if (node === nowhere) {
    placing.promotionRank[instance.index] = unpromotable
    return
  }
  const next = nextRole(placing, instance)
  if (next === undefined || next === 'Started')
    placing.priority[instance.index] = promotionScore(placing, instance, node) ?? withoutPromotionScore
  else if (next !== 'Promoted') placing.priority[instance.index] = unpromotable
  addRoleLocations(placing, instance, instance, node)
  addRoleLocations(placing, clone, instance, node)
  if (clone.parent !== undefined) addRoleLocations(placing, clone.parent, instance, node)
  for (const colocation of dependsOn(placing, instance))
    addPriority(placing, instance, applyColocation(placing, colocation, instance, colocation.primary))
  placing.promotionRank[instance.index] = next === 'Promoted' ? INFINITY_SCORE : (placing.priority[instance.index] ?? 0)
}

function addRoleLocations(placing: Placing, named: Entry, instance: Entry, node: number): void {
  for (const location of placing.roleLocations.get(named.index) ?? []) {
    const here = location.nodes.find((place) => place.node === node)
    if (here !== undefined) addPriority(placing, instance, here.score)
  }
}

/** The clone's own scores serve as the place where ranks and wishes meet, node by node. */
function sortForPromotion(placing: Placing, clone: CloneEntry): void {
  if (placing.choosingRoles.has(clone.index)) return
  placing.choosingRoles.add(clone.index)
  placing.merging[clone.index] = 1
  const table = tableOf(placing, clone)
  const instances = membersIn(placing, clone)
  for (const instance of instances) {
    const node = assignedNode(placing, instance)
    const rank = placing.promotionRank[instance.index] ?? 0
    if (node !== nowhere && rank >= 0 && scoreAt(table, node) !== absent) table[node] = add(scoreAt(table, node), rank)
  }
  for (const colocation of supports(placing, clone)) addPromotedDependents(placing, colocation, clone)
  if (needsTicket(placing, clone)) tableOf(placing, clone).fill(-INFINITY_SCORE)
  for (const instance of instances) placing.promotionRank[instance.index] = finalRank(placing, clone, instance)
  const otherwise = instanceOrder(placing)
  setMembers(
    placing,
    clone,
    instances.toSorted((a, b) => compareForPromotion(placing, a, b) || otherwise(a, b)),
  )
  placing.merging[clone.index] = 0
}

function addPromotedDependents(placing: Placing, colocation: Colocation, clone: CloneEntry): void {
  if (colocation.primaryRole !== 'Promoted' || !hasInfluence(placing, colocation, colocation.primary)) return
  const table = tableOf(placing, clone)
  const summed = collectWishes(placing, table, {
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

function needsTicket(placing: Placing, clone: CloneEntry): boolean {
  const ticket = placing.tickets.unpromotable.get(clone.index)
  if (ticket === undefined) return false
  for (const instance of clone.members) addReason(placing, instance, { kind: 'ticket', ticket, policy: 'demote' })
  return true
}

function finalRank(placing: Placing, clone: CloneEntry, instance: Entry): number {
  const rank = placing.promotionRank[instance.index] ?? 0
  if (!isManaged(placing, instance) && nextRole(placing, instance) === 'Promoted') return INFINITY_SCORE
  const node = assignedNode(placing, instance)
  // It may have lost its node on the way, because what it must be with is nowhere.
  if (node === nowhere) return unpromotable
  if (rank < 0) return rank
  const score = scoreAt(tableOf(placing, clone), node)
  return score === absent ? rank : score
}

function compareForPromotion(placing: Placing, a: Entry, b: Entry): number {
  const rank = (placing.promotionRank[b.index] ?? 0) - (placing.promotionRank[a.index] ?? 0)
  if (rank !== 0) return rank
  return roleRank(currentRole(placing, b)) - roleRank(currentRole(placing, a))
}

function showPromotion(placing: Placing, instance: Entry): void {
  if (!placing.showScores) return
  const node = placing.tree.nodes[assignedNode(placing, instance)]?.name
  const score = placing.promotionRank[instance.index] ?? 0
  placing.lines.push({ kind: 'promotion', resource: instance.id, score, ...(node === undefined ? {} : { node }) })
}

function canBePromoted(placing: Placing, instance: Entry): boolean {
  if (instance.kind === 'group' && !instance.members.every((member) => canBePromoted(placing, member))) return false
  const node = assignedNode(placing, instance)
  if (node === nowhere) return false
  if (!isManaged(placing, instance)) {
    if (currentRole(placing, instance) !== 'Promoted') return false
  } else if ((placing.priority[instance.index] ?? 0) < 0) {
    const name = placing.tree.nodes[node]?.name
    const score = placing.priority[instance.index] ?? 0
    if (name !== undefined) addReason(placing, instance, { kind: 'promotion-score', node: name, score })
    return false
  } else if (!isUsable(placing, node) || !guestWillRun(placing, node)) return false
  const clone = cloneOf(instance)
  if (clone === undefined || scoreAt(tableOf(placing, clone), node) === absent) return false
  const full = (countsOf(placing, clone)[node] ?? 0) >= clone.resource.promotedNodeMax
  return !full || !isManaged(placing, instance)
}

function cloneOf(instance: Entry): CloneEntry | undefined {
  const top = topOf(instance)
  if (top.kind === 'clone') return top
  return top.kind === 'bundle' ? top.clone : undefined
}

function promote(placing: Placing, clone: CloneEntry, instance: Entry): boolean {
  const { haveQuorum, options } = placing.status
  if (currentRole(placing, instance) !== 'Promoted' && !haveQuorum && options.noQuorumPolicy === 'freeze') {
    addReason(placing, instance, { kind: 'no-quorum', policy: 'freeze' })
    return false
  }
  const node = assignedNode(placing, instance)
  const counts = countsOf(placing, clone)
  counts[node] = (counts[node] ?? 0) + 1
  setPromoted(placing, instance)
  return true
}

function setPromoted(placing: Placing, entry: Entry): void {
  if (entry.kind !== 'primitive') for (const member of entry.members) setPromoted(placing, member)
  else if (placing.nextRole[entry.index] === undefined) setNextRole(placing, entry, 'Promoted', 'promoted instance')
}

function leaveUnpromoted(placing: Placing, entry: Entry): void {
  for (const member of entry.members) leaveUnpromoted(placing, member)
  if (entry.kind !== 'primitive') return
  const role: Role = assignedNode(placing, entry) === nowhere ? 'Stopped' : 'Unpromoted'
  setNextRole(placing, entry, role, role === 'Stopped' ? 'stopped instance' : 'unpromoted instance')
}
