/**
 * The order in which the instances of a clone, or the containers of a bundle, are assigned. Those that are well where
 * they are come first, so that they stay and the others fill what is left.
 */
import { compareNames } from '../../status/index.ts'
import type { Entry } from '../tree.ts'
import { isUsable } from './availability.ts'
import { dependsOn, supports } from './colocation-index.ts'
import { activeNodes, currentNode, isFailed } from './current-nodes.ts'
import { isUnderParent, parentCounts } from './instance-counts.ts'
import { nowhere, type Placing, tableOf } from './placing.ts'
import { absent, scoreAt } from './score-table.ts'
import { collectWishesOn, hasInfluence, share } from './wishes.ts'

export function sortInstances(placing: Placing, instances: readonly Entry[]): readonly Entry[] {
  return instances.toSorted(instanceOrder(placing))
}

/** Compares instances while nothing changes: what others wish for each is collected once. */
export function instanceOrder(placing: Placing): (a: Entry, b: Entry) => number {
  const wishes = new Map<Entry, number>()
  const wished = (active: Active): number => {
    const known = wishes.get(active.entry)
    if (known !== undefined) return known
    const found = wishedThere(placing, active)
    wishes.set(active.entry, found)
    return found
  }
  return (a, b) => compareInstances(placing, a, b, wished)
}

type Wished = (active: Active) => number

/** Negative where `a` is assigned first. */
function compareInstances(placing: Placing, a: Entry, b: Entry, wished: Wished): number {
  const activeOn = [activeNodes(placing, a).length, activeNodes(placing, b).length] as const
  // One that is active on several nodes comes after one that is active on fewer.
  if (activeOn[0] > 0 && activeOn[1] > 0 && activeOn[0] !== activeOn[1]) return activeOn[0] - activeOn[1]
  const first = whereItMayStay(placing, a)
  const second = whereItMayStay(placing, b)
  if (first.allowed !== second.allowed) return first.allowed ? -1 : 1
  const priority = (placing.priority[b.index] ?? 0) - (placing.priority[a.index] ?? 0)
  if (priority !== 0) return priority
  if (first.node === nowhere && second.node === nowhere) return 0
  if (first.node === nowhere) return 1
  if (second.node === nowhere) return -1
  return compareActive(placing, { entry: a, node: first.node }, { entry: b, node: second.node }, wished)
}

interface Active {
  readonly entry: Entry
  readonly node: number
}

function compareActive(placing: Placing, a: Active, b: Active, wished: Wished): number {
  const usable = Number(isUsable(placing, b.node)) - Number(isUsable(placing, a.node))
  if (usable !== 0) return usable
  const allowed = [isUnderParent(placing, a.entry, a.node), isUnderParent(placing, b.entry, b.node)] as const
  if (!allowed[0] && !allowed[1]) return 0
  if (allowed[0] !== allowed[1]) return allowed[0] ? -1 : 1
  const crowded = (parentCounts(placing, a.entry)[a.node] ?? 0) - (parentCounts(placing, b.entry)[b.node] ?? 0)
  if (crowded !== 0) return crowded
  const failed = Number(isFailed(a.entry)) - Number(isFailed(b.entry))
  if (failed !== 0) return failed
  const wishes = wished(b) - wished(a)
  if (wishes !== 0) return wishes
  return compareNames(a.entry.id, b.entry.id)
}

/** An instance on a node that it may not be on counts as not active, and comes last. */
function whereItMayStay(placing: Placing, entry: Entry): { readonly node: number; readonly allowed: boolean } {
  const node = currentNode(placing, entry)
  if (node === nowhere) return { node, allowed: true }
  const score = scoreAt(tableOf(placing, entry), node)
  return score === absent || score < 0 ? { node: nowhere, allowed: false } : { node, allowed: true }
}

/** What the resources that it is colocated with think of the node where it is. */
function wishedThere(placing: Placing, { entry, node }: Active): number {
  const common = { target: entry, optional: false, follow: 'dependents' } as const
  let score = placing.nodes.baseScore[node] ?? 0
  for (const colocation of dependsOn(placing, entry)) {
    const wish = { ...common, source: colocation.primary, colocation, factor: share(colocation), onlyPositive: false }
    score = collectWishesOn(placing, node, score, wish)
  }
  for (const colocation of supports(placing, entry)) {
    if (!hasInfluence(placing, colocation, entry)) continue
    const wish = { ...common, source: colocation.dependent, colocation, factor: share(colocation), onlyPositive: true }
    score = collectWishesOn(placing, node, score, wish)
  }
  return score
}
