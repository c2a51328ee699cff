/**
 * The instances of a clone, or the containers of a bundle, spread over nodes: at most clone-max in all and clone-node-max on
 * one node. Instances are first offered their current node, as far as the nodes would be used evenly; when an instance
 * would be better off elsewhere, a place is reserved there and it is tried again, so that instances are distributed by
 * preference but as few as possible move.
 */
import { INFINITY_SCORE } from '../../cib/index.ts'
import type { CollectiveEntry, Entry } from '../tree.ts'
import { isAllowed, isAvailable, isUsable } from './availability.ts'
import { release } from './commit.ts'
import { currentNode, isActive, isFailed } from './current-nodes.ts'
import { isUnderParent, parentCounts, resetCounts } from './instance-counts.ts'
import { addReason, isSettled, nowhere, type Placing, tableOf } from './placing.ts'
import { absent, type ScoreTable, scoreAt } from './score-table.ts'
import { everywhere } from './trail.ts'

export interface InstanceLimits {
  readonly inAll: number
  readonly perNode: number
}

export function assignInstances(
  placing: Placing,
  collective: CollectiveEntry,
  instances: readonly Entry[],
  limits: InstanceLimits,
): void {
  const usable = resetCounts(placing, collective)
  const evenly = Math.max(1, usable === 0 ? 1 : Math.floor(limits.inAll / usable))
  let assigned = 0
  for (const instance of instances) {
    if (assigned >= limits.inAll) break
    const node = nodeToKeep(placing, instance, evenly)
    if (node !== nowhere && keep(placing, instance, node, { ...limits, inAll: limits.inAll - assigned })) assigned++
  }
  for (const instance of instances) {
    if (isSettled(placing, instance)) continue
    if (assigned >= limits.inAll) banSurplus(placing, instance)
    else if (assignInstance(placing, instance, nowhere, limits.perNode, 'final') !== nowhere) assigned++
  }
}

/** Its current node, unless it failed, the node cannot run it, or has its share of instances already. */
function nodeToKeep(placing: Placing, instance: Entry, evenly: number): number {
  if (isSettled(placing, instance) || !isActive(instance)) return nowhere
  if (instance.kind === 'primitive' && isFailed(instance)) return nowhere
  const node = currentNode(placing, instance)
  if (node === nowhere || !isUsable(placing, node)) return nowhere
  if (isUnderParent(placing, instance, node) && (parentCounts(placing, instance)[node] ?? 0) >= evenly) return nowhere
  return node
}

function keep(placing: Placing, instance: Entry, node: number, limits: InstanceLimits): boolean {
  if (!isAvailable(placing, tableOf(placing, instance), node)) return false
  const tables = backUp(placing, instance)
  const counts = parentCounts(placing, instance)
  const before = counts.slice()
  let kept = false
  for (let reserved = 0; reserved < limits.inAll; reserved++) {
    const chosen = assignInstance(placing, instance, node, limits.perNode, 'tentative')
    kept = chosen === node
    if (kept) break
    restore(tables)
    if (chosen === nowhere) {
      placing.settled[instance.index] = 0
      break
    }
    release(placing, instance)
  }
  counts.set(before)
  if (kept && isUnderParent(placing, instance, node)) counts[node] = (counts[node] ?? 0) + 1
  return kept
}

function assignInstance(
  placing: Placing,
  instance: Entry,
  prefer: number,
  perNode: number,
  wish: 'tentative' | 'final',
): number {
  if (placing.assigning[instance.index] === 1) return nowhere
  banFullNodes(placing, instance, perNode)
  const chosen = placing.assign(placing, instance, prefer, wish)
  if (chosen !== nowhere && isUnderParent(placing, instance, chosen)) {
    const counts = parentCounts(placing, instance)
    counts[chosen] = (counts[chosen] ?? 0) + 1
  }
  return chosen
}

/** An instance may not be where its clone may not, nor where there are as many instances as one node may have. */
function banFullNodes(placing: Placing, instance: Entry, perNode: number): void {
  const limit = instance.parent?.kind === 'bundle' ? 'replicas-per-host' : 'clone-node-max'
  const table = tableOf(placing, instance)
  const counts = parentCounts(placing, instance)
  const parent = instance.parent === undefined ? table : tableOf(placing, instance.parent)
  for (let node = 0; node < table.length; node++) {
    if (!isAllowed(table, node)) continue
    const around = scoreAt(parent, node)
    const fits =
      !instance.resource.orphan &&
      isUsable(placing, node) &&
      around !== absent &&
      around >= 0 &&
      (counts[node] ?? 0) < perNode
    if (fits) continue
    if ((counts[node] ?? 0) >= perNode && scoreAt(table, node) >= 0)
      placing.trail.note(instance.index, { kind: 'instances', limit }, node, -INFINITY_SCORE)
    table[node] = -INFINITY_SCORE
    for (const member of instance.members) {
      const inner = tableOf(placing, member)
      if (isAllowed(inner, node)) inner[node] = -INFINITY_SCORE
    }
  }
}

function banSurplus(placing: Placing, instance: Entry): void {
  for (const member of instance.members) banSurplus(placing, member)
  tableOf(placing, instance).fill(-INFINITY_SCORE)
  placing.trail.note(instance.index, { kind: 'instances', limit: 'clone-max' }, everywhere, -INFINITY_SCORE)
  addReason(placing, instance, { kind: 'clone-limit', limit: 'clone-max' })
}

type Backup = readonly { readonly table: ScoreTable; readonly copy: ScoreTable; readonly undoTrail: () => void }[]

function backUp(placing: Placing, entry: Entry): Backup {
  const table = tableOf(placing, entry)
  const undoTrail = placing.trail.mark(entry.index)
  return [{ table, copy: table.slice(), undoTrail }, ...entry.members.flatMap((member) => backUp(placing, member))]
}

function restore(backup: Backup): void {
  for (const { table, copy, undoTrail } of backup) {
    table.set(copy)
    undoTrail()
  }
}
