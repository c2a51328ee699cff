/**
 * The order in which the instances of a clone, or the containers of a bundle, are assigned. Those that are well where
 * they are come first, so that they stay and the others fill what is left.
 */
import { compareNames } from '../../status/index.ts'
import type { Colocation } from '../constraints/colocations.ts'
import type { Entry } from '../tree.ts'
import { isUsable } from './availability.ts'
import { dependsOn, supports } from './colocation-index.ts'
import { activeNodes, currentNode, isFailed } from './current-nodes.ts'
import { isUnderParent, parentCounts } from './instance-counts.ts'
import { nowhere, type Placing, tableOf } from './placing.ts'
import { absent, scoreAt } from './score-table.ts'
import { collectWishesOn, hasInfluence, share, type Wish } from './wishes.ts'

export function sortInstances(placing: Placing, instances: readonly Entry[]): readonly Entry[] {
  return instances.toSorted(instanceOrder(placing))
}

/** Negative where the first one is assigned first. For as long as nothing changes: each instance is looked at once. */
export function instanceOrder(placing: Placing): (a: Entry, b: Entry) => number {
  const known = new Map<Entry, Standing>()
  const standingOf = (entry: Entry): Standing => {
    const before = known.get(entry)
    if (before !== undefined) return before
    const found = standing(placing, entry)
    known.set(entry, found)
    return found
  }
  return (a, b) => compareInstances(placing, standingOf(a), standingOf(b))
}

/** How well an instance is where it is. */
interface Standing {
  readonly entry: Entry
  /** On how many nodes it is active. */
  readonly activeOn: number
  /** Its node; nowhere where it is not active, or may not stay. */
  readonly node: number
  /** False for an instance on a node that it may not be on: it comes last. */
  readonly allowed: boolean
  readonly priority: number
  /** What others wish for that node; asked for only between equals. */
  wished: number | undefined
}

function standing(placing: Placing, entry: Entry): Standing {
  const at = currentNode(placing, entry)
  const score = at === nowhere ? 0 : scoreAt(tableOf(placing, entry), at)
  const allowed = score !== absent && score >= 0
  return {
    entry,
    activeOn: activeNodes(placing, entry).length,
    node: allowed ? at : nowhere,
    allowed,
    priority: placing.priority[entry.index] ?? 0,
    wished: undefined,
  }
}

function compareInstances(placing: Placing, a: Standing, b: Standing): number {
  // One that is active on several nodes comes after one that is active on fewer.
  if (a.activeOn > 0 && b.activeOn > 0 && a.activeOn !== b.activeOn) return a.activeOn - b.activeOn
  if (a.allowed !== b.allowed) return a.allowed ? -1 : 1
  if (a.priority !== b.priority) return b.priority - a.priority
  if (a.node === nowhere && b.node === nowhere) return 0
  if (a.node === nowhere) return 1
  if (b.node === nowhere) return -1
  return compareActive(placing, a, b)
}

function compareActive(placing: Placing, a: Standing, b: Standing): number {
  const usable = Number(isUsable(placing, b.node)) - Number(isUsable(placing, a.node))
  if (usable !== 0) return usable
  const allowed = isUnderParent(placing, a.entry, a.node)
  if (allowed !== isUnderParent(placing, b.entry, b.node)) return allowed ? -1 : 1
  if (!allowed) return 0
  const crowded = (parentCounts(placing, a.entry)[a.node] ?? 0) - (parentCounts(placing, b.entry)[b.node] ?? 0)
  if (crowded !== 0) return crowded
  const failed = Number(isFailed(a.entry)) - Number(isFailed(b.entry))
  if (failed !== 0) return failed
  const wishes = wishedFor(placing, b) - wishedFor(placing, a)
  if (wishes !== 0) return wishes
  return compareNames(a.entry.id, b.entry.id)
}

function wishedFor(placing: Placing, of: Standing): number {
  of.wished ??= wishedThere(placing, of)
  return of.wished
}

/** What the resources that it is colocated with think of the node where it is. */
function wishedThere(placing: Placing, { entry, node }: Standing): number {
  let score = placing.nodes.baseScore[node] ?? 0
  for (const colocation of dependsOn(placing, entry)) {
    const asked = { source: colocation.primary, onlyPositive: false }
    score = collectWishesOn(placing, node, score, wishOf(entry, colocation, asked))
  }
  for (const colocation of supports(placing, entry)) {
    if (!hasInfluence(placing, colocation, entry)) continue
    const asked = { source: colocation.dependent, onlyPositive: true }
    score = collectWishesOn(placing, node, score, wishOf(entry, colocation, asked))
  }
  return score
}

const wishOf = (
  target: Entry,
  colocation: Colocation,
  { source, onlyPositive }: Pick<Wish, 'source' | 'onlyPositive'>,
): Wish => ({
  source,
  target,
  colocation,
  factor: share(colocation),
  onlyPositive,
  optional: false,
  follow: 'dependents',
})
