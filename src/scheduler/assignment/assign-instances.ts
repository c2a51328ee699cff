/**
 * The instances of a clone, or the containers of a bundle, spread over nodes: at most clone-max in all and clone-node-max on
 * one node. Instances are first offered their current node, as far as the nodes would be used evenly; when an instance
 * would be better off elsewhere, a place is reserved there and it is tried again, so that instances are distributed by
 * preference but as few as possible move.
 */
import { INFINITY_SCORE } from '../../cib/index.ts'
import type { CollectiveEntry, Entry } from '../resources/tree.ts'
import { absent, type ScoreTable, scoreAt } from '../scores/score-table.ts'
import { everywhere } from '../scores/trail.ts'
import { release } from './assign-to-node.ts'
import { type AssignmentDraft, addReason, isAssigned, nowhere, tableOf } from './assignment-draft.ts'
import { isAllowed, isAvailable, isUsable } from './availability.ts'
import { currentNode, isActive, isFailed } from './current-nodes.ts'
import { isUnderParent, parentCounts, resetCounts } from './instance-counts.ts'

export interface InstanceLimits {
  readonly inAll: number
  readonly perNode: number
}

export function assignInstances(
  draft: AssignmentDraft,
  collective: CollectiveEntry,
  instances: readonly Entry[],
  limits: InstanceLimits,
): void {
  const usable = resetCounts(draft, collective)
  const evenly = Math.max(1, usable === 0 ? 1 : Math.floor(limits.inAll / usable))
  let assigned = 0
  for (const instance of instances) {
    if (assigned >= limits.inAll) break
    const node = nodeToKeep(draft, instance, evenly)
    if (node !== nowhere && keep(draft, instance, node, { ...limits, inAll: limits.inAll - assigned })) assigned++
  }
  for (const instance of instances) {
    if (isAssigned(draft, instance)) continue
    if (assigned >= limits.inAll) banSurplus(draft, instance)
    else if (assignInstance(draft, instance, { prefer: nowhere, perNode: limits.perNode, mode: 'final' }) !== nowhere)
      assigned++
  }
}

/** Its current node, unless it failed, the node cannot run it, or has its share of instances already. */
function nodeToKeep(draft: AssignmentDraft, instance: Entry, evenly: number): number {
  if (isAssigned(draft, instance) || !isActive(instance)) return nowhere
  if (instance.kind === 'primitive' && isFailed(instance)) return nowhere
  const node = currentNode(draft, instance)
  if (node === nowhere || !isUsable(draft, node)) return nowhere
  if (isUnderParent(draft, instance, node) && (parentCounts(draft, instance)[node] ?? 0) >= evenly) return nowhere
  return node
}

function keep(draft: AssignmentDraft, instance: Entry, node: number, limits: InstanceLimits): boolean {
  if (!isAvailable(draft, tableOf(draft, instance), node)) return false
  const tables = backUp(draft, instance)
  const counts = parentCounts(draft, instance)
  const before = counts.slice()
  let kept = false
  for (let reserved = 0; reserved < limits.inAll; reserved++) {
    const chosen = assignInstance(draft, instance, { prefer: node, perNode: limits.perNode, mode: 'tentative' })
    kept = chosen === node
    if (kept) break
    restore(tables)
    if (chosen === nowhere) {
      draft.placement.isAssigned[instance.index] = 0
      break
    }
    release(draft, instance)
  }
  counts.set(before)
  if (kept && isUnderParent(draft, instance, node)) counts[node] = (counts[node] ?? 0) + 1
  return kept
}

function assignInstance(
  draft: AssignmentDraft,
  instance: Entry,
  {
    prefer,
    perNode,
    mode,
  }: { readonly prefer: number; readonly perNode: number; readonly mode: 'tentative' | 'final' },
): number {
  if (draft.underWay.assigning[instance.index] === 1) return nowhere
  banFullNodes(draft, instance, perNode)
  const chosen = draft.assign(draft, instance, prefer, mode)
  if (chosen !== nowhere && isUnderParent(draft, instance, chosen)) {
    const counts = parentCounts(draft, instance)
    counts[chosen] = (counts[chosen] ?? 0) + 1
  }
  return chosen
}

/** An instance may not be where its clone may not, nor where there are as many instances as one node may have. */
function banFullNodes(draft: AssignmentDraft, instance: Entry, perNode: number): void {
  const limit = instance.parent?.kind === 'bundle' ? 'replicas-per-host' : 'clone-node-max'
  const table = tableOf(draft, instance)
  const counts = parentCounts(draft, instance)
  const parent = instance.parent === undefined ? table : tableOf(draft, instance.parent)
  for (let node = 0; node < table.length; node++) {
    if (!isAllowed(table, node)) continue
    const around = scoreAt(parent, node)
    const fits =
      !instance.resource.orphan &&
      isUsable(draft, node) &&
      around !== absent &&
      around >= 0 &&
      (counts[node] ?? 0) < perNode
    if (fits) continue
    if ((counts[node] ?? 0) >= perNode && scoreAt(table, node) >= 0)
      draft.notes.trail.note(instance.index, { kind: 'instances', limit }, node, -INFINITY_SCORE)
    table[node] = -INFINITY_SCORE
    for (const member of instance.members) {
      const inner = tableOf(draft, member)
      if (isAllowed(inner, node)) inner[node] = -INFINITY_SCORE
    }
  }
}

function banSurplus(draft: AssignmentDraft, instance: Entry): void {
  for (const member of instance.members) banSurplus(draft, member)
  tableOf(draft, instance).fill(-INFINITY_SCORE)
  draft.notes.trail.note(instance.index, { kind: 'instances', limit: 'clone-max' }, everywhere, -INFINITY_SCORE)
  addReason(draft, instance, { kind: 'clone-limit', limit: 'clone-max' })
}

type Backup = readonly { readonly table: ScoreTable; readonly copy: ScoreTable; readonly undoTrail: () => void }[]

function backUp(draft: AssignmentDraft, entry: Entry): Backup {
  const table = tableOf(draft, entry)
  const undoTrail = draft.notes.trail.mark(entry.index)
  return [{ table, copy: table.slice(), undoTrail }, ...entry.members.flatMap((member) => backUp(draft, member))]
}

function restore(backup: Backup): void {
  for (const { table, copy, undoTrail } of backup) {
    table.set(copy)
    undoTrail()
  }
}
