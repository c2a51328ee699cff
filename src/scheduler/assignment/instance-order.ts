/**
 * The order in which the instances of a clone, or the containers of a bundle, are assigned. Those that are well where
 * they are come first, so that they stay and the others fill what is left.
 */
import { compareNames } from '../../status/index.ts'
import type { Colocation } from '../constraints/colocations.ts'
import type { Entry } from '../resources/tree.ts'
import { absent, scoreAt } from '../scores/score-table.ts'
import { type AssignmentDraft, nowhere, tableOf } from './assignment-draft.ts'
import { isUsable } from './availability.ts'
import { type ColocatedSource, collectColocatedScoresOn, hasInfluence, share } from './colocated-node-scores.ts'
import { dependsOn, supports } from './colocation-index.ts'
import { activeNodes, currentNode, isFailed } from './current-nodes.ts'
import { isUnderParent, parentCounts } from './instance-counts.ts'

export function sortInstances(draft: AssignmentDraft, instances: readonly Entry[]): readonly Entry[] {
  return instances.toSorted(instanceOrder(draft))
}

/** Negative where the first one is assigned first. For as long as nothing changes: each instance is looked at once. */
export function instanceOrder(draft: AssignmentDraft): (a: Entry, b: Entry) => number {
  const known = new Map<Entry, Standing>()
  const standingOf = (entry: Entry): Standing => {
    const before = known.get(entry)
    if (before !== undefined) return before
    const found = standing(draft, entry)
    known.set(entry, found)
    return found
  }
  return (a, b) => compareInstances(draft, standingOf(a), standingOf(b))
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
  /** That node's score with those of what it is colocated with added; computed only between equals. */
  colocatedScore: number | undefined
}

function standing(draft: AssignmentDraft, entry: Entry): Standing {
  const at = currentNode(draft, entry)
  const score = at === nowhere ? 0 : scoreAt(tableOf(draft, entry), at)
  const allowed = score !== absent && score >= 0
  return {
    entry,
    activeOn: activeNodes(draft, entry).length,
    node: allowed ? at : nowhere,
    allowed,
    priority: draft.promotion.priority[entry.index] ?? 0,
    colocatedScore: undefined,
  }
}

function compareInstances(draft: AssignmentDraft, a: Standing, b: Standing): number {
  // One that is active on several nodes comes after one that is active on fewer.
  if (a.activeOn > 0 && b.activeOn > 0 && a.activeOn !== b.activeOn) return a.activeOn - b.activeOn
  if (a.allowed !== b.allowed) return a.allowed ? -1 : 1
  if (a.priority !== b.priority) return b.priority - a.priority
  if (a.node === nowhere && b.node === nowhere) return 0
  if (a.node === nowhere) return 1
  if (b.node === nowhere) return -1
  return compareActive(draft, a, b)
}

function compareActive(draft: AssignmentDraft, a: Standing, b: Standing): number {
  const usable = Number(isUsable(draft, b.node)) - Number(isUsable(draft, a.node))
  if (usable !== 0) return usable
  const allowed = isUnderParent(draft, a.entry, a.node)
  if (allowed !== isUnderParent(draft, b.entry, b.node)) return allowed ? -1 : 1
  if (!allowed) return 0
  const crowded = (parentCounts(draft, a.entry)[a.node] ?? 0) - (parentCounts(draft, b.entry)[b.node] ?? 0)
  if (crowded !== 0) return crowded
  const failed = Number(isFailed(a.entry)) - Number(isFailed(b.entry))
  if (failed !== 0) return failed
  const scores = colocatedScoreOf(draft, b) - colocatedScoreOf(draft, a)
  if (scores !== 0) return scores
  return compareNames(a.entry.id, b.entry.id)
}

function colocatedScoreOf(draft: AssignmentDraft, of: Standing): number {
  of.colocatedScore ??= colocatedScoreThere(draft, of)
  return of.colocatedScore
}

/** The score of the node where it is, with those of the resources that it is colocated with. */
function colocatedScoreThere(draft: AssignmentDraft, { entry, node }: Standing): number {
  let score = draft.nodes.baseScore[node] ?? 0
  for (const colocation of dependsOn(draft, entry)) {
    const asked = { source: colocation.primary, onlyPositive: false }
    score = collectColocatedScoresOn(draft, node, score, colocatedSource(entry, colocation, asked))
  }
  for (const colocation of supports(draft, entry)) {
    if (!hasInfluence(draft, colocation, entry)) continue
    const asked = { source: colocation.dependent, onlyPositive: true }
    score = collectColocatedScoresOn(draft, node, score, colocatedSource(entry, colocation, asked))
  }
  return score
}

const colocatedSource = (
  target: Entry,
  colocation: Colocation,
  { source, onlyPositive }: Pick<ColocatedSource, 'source' | 'onlyPositive'>,
): ColocatedSource => ({
  source,
  target,
  colocation,
  factor: share(colocation),
  onlyPositive,
  optional: false,
  follow: 'dependents',
})
