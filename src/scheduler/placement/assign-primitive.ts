/**
 * Where one primitive goes. What it must be with is assigned first; then its colocations are applied, mandatory before
 * optional, and the wishes of what depends on it; then the best node is taken. Unmanaged resources stay where they are.
 */
import { INFINITY_SCORE, roleRank } from '../../cib/index.ts'
import type { Colocation } from '../constraints/colocations.ts'
import { isUnique, type PrimitiveEntry } from '../tree.ts'
import { applyColocation } from './apply-colocation.ts'
import { anyAvailable, isAllowed, isAvailable, isUsable } from './availability.ts'
import { banWithoutRoom } from './capacity.ts'
import { dependsOn, supports } from './colocation-index.ts'
import { commit, connectionAssigned, settle } from './commit.ts'
import { currentNode } from './current-nodes.ts'
import { bestNode } from './node-order.ts'
import {
  type AssignWish,
  addReason,
  currentRole,
  isManaged,
  isSettled,
  nowhere,
  type Placing,
  setNextRole,
  showScores,
  tableOf,
} from './placing.ts'
import { scoreAt } from './score-table.ts'
import { everywhere } from './trail.ts'
import { addDependentWishes } from './wishes.ts'

export function assignPrimitive(placing: Placing, entry: PrimitiveEntry, prefer: number, wish: AssignWish): number {
  const { parent } = entry
  if (parent !== undefined && placing.assigning[parent.index] === 0) placing.assign(placing, parent, prefer, wish)
  if (isSettled(placing, entry)) return placing.node[entry.index] ?? nowhere
  if (placing.assigning[entry.index] === 1) return nowhere
  placing.assigning[entry.index] = 1
  applyColocations(placing, entry)
  limitRole(placing, entry)
  showScores(placing, 'primitive', entry)
  // Without any fence device nothing could be recovered safely, so nothing is touched.
  const { options, haveFenceDevice } = placing.status
  if (options.fencingEnabled && !haveFenceDevice) placing.managed[entry.index] = 0
  decide(placing, entry, prefer, wish)
  placing.assigning[entry.index] = 0
  if (entry.resource.connectionOf !== undefined) connectionAssigned(placing, entry)
  return placing.node[entry.index] ?? nowhere
}

const isMandatory = ({ score }: Colocation): boolean => Math.abs(score) >= INFINITY_SCORE

function applyColocations(placing: Placing, entry: PrimitiveEntry): void {
  const depends = dependsOn(placing, entry)
  const supported = supports(placing, entry)
  for (const mandatory of [true, false]) {
    for (const colocation of depends)
      if (isMandatory(colocation) === mandatory) applyDependency(placing, colocation, entry)
    for (const colocation of supported)
      if (isMandatory(colocation) === mandatory) addDependentWishes(placing, colocation, entry)
  }
}

/** Where only the promoted role depends on it, or it is a mere dislike, it must not leave the resource without any node. */
function applyDependency(placing: Placing, colocation: Colocation, entry: PrimitiveEntry): void {
  const { primary, score, dependentRole } = colocation
  const revocable = dependentRole === 'Promoted' || (score < 0 && score > -INFINITY_SCORE)
  const before = revocable ? tableOf(placing, entry).slice() : undefined
  const undoTrail = placing.trail.mark(entry.index)
  if (!isSettled(placing, primary)) placing.assign(placing, primary, nowhere, 'final')
  applyColocation(placing, colocation, entry, primary)
  if (before === undefined || anyAvailable(placing, tableOf(placing, entry))) return
  tableOf(placing, entry).set(before)
  undoTrail()
}

function limitRole(placing: Placing, entry: PrimitiveEntry): void {
  const next = placing.nextRole[entry.index]
  const { options, haveQuorum } = placing.status
  if (next === 'Stopped') {
    tableOf(placing, entry).fill(-INFINITY_SCORE)
    placing.trail.note(entry.index, { kind: 'target-role', role: 'Stopped' }, everywhere, -INFINITY_SCORE)
    return
  }
  const current = currentRole(placing, entry)
  if (roleRank(next) > roleRank(current) && !haveQuorum && options.noQuorumPolicy === 'freeze') {
    setNextRole(placing, entry, current, 'no-quorum-policy=freeze')
    addReason(placing, entry, { kind: 'no-quorum', policy: 'freeze' })
  }
}

function decide(placing: Placing, entry: PrimitiveEntry, prefer: number, wish: AssignWish): void {
  if (!isManaged(placing, entry)) {
    setNextRole(placing, entry, entry.resource.state.role, 'unmanaged')
    settle(placing, entry, currentNode(placing, entry), wish)
    return
  }
  if (placing.status.options.stopAllResources) {
    addReason(placing, entry, { kind: 'stop-all-resources' })
    settle(placing, entry, nowhere, wish)
    return
  }
  const roomiest = banWithoutRoom(placing, entry)
  if (isSettled(placing, entry)) return
  const wanted = prefer === nowhere ? roomiest : prefer
  const chosen = choose(placing, entry, wanted)
  if (chosen === undefined) settle(placing, entry, nowhere, wish)
  else commit(placing, entry, chosen, wish)
}

function choose(placing: Placing, entry: PrimitiveEntry, prefer: number): number | undefined {
  const table = tableOf(placing, entry)
  const current = currentNode(placing, entry)
  const best = bestNode(placing, table, current)
  if (best === undefined) return undefined
  if (prefer !== nowhere && isAllowed(table, prefer)) {
    if (scoreAt(table, prefer) >= scoreAt(table, best) && isAvailable(placing, table, prefer)) return prefer
  }
  // Instances of a unique clone were offered their current nodes before; what is left takes any.
  if (isUnique(entry) && entry.parent?.kind === 'clone') return best
  if (scoreAt(table, best) <= 0 || !isUsable(placing, best)) return best
  if (current === nowhere || !isUsable(placing, current) || !isAllowed(table, current)) return best
  return scoreAt(table, current) === scoreAt(table, best) ? current : best
}
