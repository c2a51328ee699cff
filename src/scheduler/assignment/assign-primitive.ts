/**
 * Where one primitive goes. What it must be with is assigned first; then its colocations are applied, mandatory before
 * optional, and the scores of what depends on it; then the best node is taken. Unmanaged resources stay where they are.
 */
import { INFINITY_SCORE, roleRank } from '../../cib/index.ts'
import type { Colocation } from '../constraints/colocations.ts'
import { isUnique, type PrimitiveEntry } from '../resources/tree.ts'
import { scoreAt } from '../scores/score-table.ts'
import { everywhere } from '../scores/trail.ts'
import { applyColocation } from './apply-colocation.ts'
import { assignToNode, connectionAssigned, recordAssignment } from './assign-to-node.ts'
import {
  type AssignMode,
  type AssignmentDraft,
  addReason,
  currentRole,
  isAssigned,
  isManaged,
  nowhere,
  setNextRole,
  showScores,
  tableOf,
} from './assignment-draft.ts'
import { anyAvailable, isAllowed, isAvailable, isUsable } from './availability.ts'
import { banWithoutCapacity } from './capacity.ts'
import { addDependentScores } from './colocated-node-scores.ts'
import { dependsOn, supports } from './colocation-index.ts'
import { currentNode } from './current-nodes.ts'
import { bestNode } from './node-order.ts'

export function assignPrimitive(
  draft: AssignmentDraft,
  entry: PrimitiveEntry,
  prefer: number,
  mode: AssignMode,
): number {
  const { parent } = entry
  if (parent !== undefined && draft.underWay.assigning[parent.index] === 0) draft.assign(draft, parent, prefer, mode)
  if (isAssigned(draft, entry)) return draft.placement.node[entry.index] ?? nowhere
  if (draft.underWay.assigning[entry.index] === 1) return nowhere
  draft.underWay.assigning[entry.index] = 1
  applyColocations(draft, entry)
  limitRole(draft, entry)
  showScores(draft, 'primitive', entry)
  // Without any fence device nothing could be recovered safely, so nothing is touched.
  const { options, haveFenceDevice } = draft.status
  if (options.fencingEnabled && !haveFenceDevice) draft.standing.managed[entry.index] = 0
  decide(draft, entry, prefer, mode)
  draft.underWay.assigning[entry.index] = 0
  if (entry.resource.connectionOf !== undefined) connectionAssigned(draft, entry)
  return draft.placement.node[entry.index] ?? nowhere
}

const isMandatory = ({ score }: Colocation): boolean => Math.abs(score) >= INFINITY_SCORE

function applyColocations(draft: AssignmentDraft, entry: PrimitiveEntry): void {
  const depends = dependsOn(draft, entry)
  const supported = supports(draft, entry)
  for (const mandatory of [true, false]) {
    for (const colocation of depends)
      if (isMandatory(colocation) === mandatory) applyDependency(draft, colocation, entry)
    for (const colocation of supported)
      if (isMandatory(colocation) === mandatory) addDependentScores(draft, colocation, entry)
  }
}

/** Where only the promoted role depends on it, or it is a mere dislike, it must not leave the resource without any node. */
function applyDependency(draft: AssignmentDraft, colocation: Colocation, entry: PrimitiveEntry): void {
  const { primary, score, dependentRole } = colocation
  const revocable = dependentRole === 'Promoted' || (score < 0 && score > -INFINITY_SCORE)
  const before = revocable ? tableOf(draft, entry).slice() : undefined
  const undoTrail = draft.notes.trail.mark(entry.index)
  if (!isAssigned(draft, primary)) draft.assign(draft, primary, nowhere, 'final')
  applyColocation(draft, colocation, entry, primary)
  if (before === undefined || anyAvailable(draft, tableOf(draft, entry))) return
  tableOf(draft, entry).set(before)
  undoTrail()
}

function limitRole(draft: AssignmentDraft, entry: PrimitiveEntry): void {
  const next = draft.roles.next[entry.index]
  const { options, haveQuorum } = draft.status
  if (next === 'Stopped') {
    tableOf(draft, entry).fill(-INFINITY_SCORE)
    draft.notes.trail.note(entry.index, { kind: 'target-role', role: 'Stopped' }, everywhere, -INFINITY_SCORE)
    return
  }
  const current = currentRole(draft, entry)
  if (roleRank(next) > roleRank(current) && !haveQuorum && options.noQuorumPolicy === 'freeze') {
    setNextRole(draft, entry, current, 'no-quorum-policy=freeze')
    addReason(draft, entry, { kind: 'no-quorum', policy: 'freeze' })
  }
}

function decide(draft: AssignmentDraft, entry: PrimitiveEntry, prefer: number, mode: AssignMode): void {
  if (!isManaged(draft, entry)) {
    setNextRole(draft, entry, entry.resource.state.role, 'unmanaged')
    recordAssignment(draft, entry, currentNode(draft, entry), mode)
    return
  }
  if (draft.status.options.stopAllResources) {
    addReason(draft, entry, { kind: 'stop-all-resources' })
    recordAssignment(draft, entry, nowhere, mode)
    return
  }
  const mostCapacity = banWithoutCapacity(draft, entry)
  if (isAssigned(draft, entry)) return
  const wanted = prefer === nowhere ? mostCapacity : prefer
  const chosen = choose(draft, entry, wanted)
  if (chosen === undefined) recordAssignment(draft, entry, nowhere, mode)
  else assignToNode(draft, entry, chosen, mode)
}

function choose(draft: AssignmentDraft, entry: PrimitiveEntry, prefer: number): number | undefined {
  const table = tableOf(draft, entry)
  const current = currentNode(draft, entry)
  const best = bestNode(draft, table, current)
  if (best === undefined) return undefined
  if (prefer !== nowhere && isAllowed(table, prefer)) {
    if (scoreAt(table, prefer) >= scoreAt(table, best) && isAvailable(draft, table, prefer)) return prefer
  }
  // Instances of a unique clone were offered their current nodes before; what is left takes any.
  if (isUnique(entry) && entry.parent?.kind === 'clone') return best
  if (scoreAt(table, best) <= 0 || !isUsable(draft, best)) return best
  if (current === nowhere || !isUsable(draft, current) || !isAllowed(table, current)) return best
  return scoreAt(table, current) === scoreAt(table, best) ? current : best
}
