/**
 * How resources that are placed with another one pull it to where they could run (Pacemaker Explained, "Colocation": a
 * dependent's node scores count for the primary's, in proportion to the colocation's score). They pass along
 * chains: those of what depends on the dependent are added too, multiplied by every score on the way.
 */
import { INFINITY_SCORE } from '../../cib/index.ts'
import type { Colocation } from '../constraints/colocations.ts'
import type { Entry } from '../resources/tree.ts'
import { absent, add, type ScoreTable, scoreAt, unusable } from '../scores/score-table.ts'
import { type AssignmentDraft, tableOf } from './assignment-draft.ts'
import { anyAvailable, isUsable } from './availability.ts'
import { dependsOn, supports } from './colocation-index.ts'
import { activeNodes, isActive, isFailed } from './current-nodes.ts'
import { colocationValue, nodeNameAttribute } from './node-attribute.ts'

export interface ColocatedSource {
  /** Whose node scores are added, together with those of what is colocated with it. */
  readonly source: Entry
  /** For whom they count. */
  readonly target: Entry
  /** By which colocation; undefined where a resource collects its own. */
  readonly colocation?: Colocation
  readonly factor: number
  /** Never make a node that was fine unattractive (for clones, one of whose instances may be elsewhere). */
  readonly onlyPositive: boolean
  /** Give the scores up where they would leave no node. */
  readonly optional: boolean
  /** Who else is asked: what depends on the source, or what the source depends on. */
  readonly follow: 'dependents' | 'primaries'
}

/** The dependent's scores for a primary that is about to be assigned. */
export function addDependentScores(draft: AssignmentDraft, colocation: Colocation, primary: Entry): void {
  if (!hasInfluence(draft, colocation, colocation.primary)) return
  const table = tableOf(draft, primary)
  const summed = collectColocatedScores(draft, table, {
    source: colocation.dependent,
    target: primary,
    colocation,
    factor: share(colocation),
    onlyPositive: primary.kind === 'clone',
    optional: true,
    follow: 'dependents',
  })
  if (draft.notes.trail.recording) {
    const { id, dependent } = colocation
    const source = { kind: 'colocation', constraint: id, with: dependent.id, as: 'primary' } as const
    draft.notes.trail.noteChange(primary.index, source, table, summed)
  }
  if (summed !== table) table.set(summed)
}

/** The part of an infinite score that a colocation passes on, in single precision as scores were always attenuated. */
export function share({ score }: Colocation): number {
  return Math.fround(score / INFINITY_SCORE)
}

/**
 * The dependent has a say where `influence` grants it, or while the primary is not active anyway. A bundle's connection
 * never moves a container that runs well: the connection itself is light.
 */
export function hasInfluence(draft: AssignmentDraft, { dependent, influence }: Colocation, primary: Entry): boolean {
  const replica = draft.tree.replicaOf.get(dependent.index)
  if (replica?.remote === dependent && !isFailed(primary) && activeNodes(draft, primary).length === 1) return false
  return influence || !isActive(primary)
}

/** The table with the scores added; the same table where they came to nothing. The given one is never changed. */
export function collectColocatedScores(
  draft: AssignmentDraft,
  table: ScoreTable | undefined,
  from: ColocatedSource,
): ScoreTable {
  const { source } = from
  if (source.kind === 'group') {
    const member = table === undefined ? source.members.at(-1) : source.members[0]
    if (draft.underWay.collecting[source.index] === 1 || member === undefined) return table ?? tableOf(draft, source)
    draft.underWay.collecting[source.index] = 1
    const summed = collectColocatedScores(draft, table, { ...from, source: member })
    draft.underWay.collecting[source.index] = 0
    return summed
  }
  if (draft.underWay.collecting[source.index] === 1) return table ?? tableOf(draft, source)
  draft.underWay.collecting[source.index] = 1
  const summed = collectFrom(draft, table, from)
  draft.underWay.collecting[source.index] = 0
  return summed
}

function collectFrom(draft: AssignmentDraft, table: ScoreTable | undefined, from: ColocatedSource): ScoreTable {
  let work = table === undefined ? tableOf(draft, from.source) : withSourceScores(draft, table, from)
  if (anyAvailable(draft, work)) {
    work = collectBehind(draft, work, table === undefined ? { ...from, target: from.source } : from)
  } else if (from.optional) return table ?? work
  return from.onlyPositive ? withoutUnusable(work) : work
}

function collectBehind(draft: AssignmentDraft, table: ScoreTable, from: ColocatedSource): ScoreTable {
  const { source, target, onlyPositive, follow } = from
  let work = table
  for (const colocation of follow === 'primaries' ? dependsOn(draft, source) : supports(draft, source)) {
    if (follow === 'dependents' && !hasInfluence(draft, colocation, colocation.primary)) continue
    work = collectColocatedScores(draft, work, {
      source: follow === 'primaries' ? colocation.primary : colocation.dependent,
      target,
      colocation,
      factor: passedOn(from, colocation),
      onlyPositive,
      optional: true,
      follow,
    })
  }
  return work
}

/** The part of a score that arrives over one more colocation. */
const passedOn = ({ factor }: ColocatedSource, { score }: Colocation): number =>
  Math.fround(Math.fround(factor * score) / INFINITY_SCORE)

/** A table with one source's scores added, made only where they change anything: most have none for most nodes. */
function withSourceScores(draft: AssignmentDraft, table: ScoreTable, from: ColocatedSource): ScoreTable {
  const scores = scoreOnNode(draft, from)
  const tolerated = toleratedDislike(draft, from)
  let work = table
  for (let node = 0; node < table.length; node++) {
    const was = scoreAt(table, node)
    const sum = summed(was, scores(node), from, tolerated)
    if (sum === was) continue
    if (work === table) work = table.slice()
    work[node] = sum
  }
  return work
}

function withoutUnusable(table: ScoreTable): ScoreTable {
  if (!table.includes(unusable)) return table
  return table.map((score) => (score === unusable ? 1 : score))
}

/** What a node's score becomes once a colocated score for it is added. */
function summed(
  was: number,
  colocatedScore: number,
  { factor, onlyPositive }: ColocatedSource,
  tolerated: number,
): number {
  if (was === absent || was === unusable) return was
  if (factor < 0 && colocatedScore < 0 && -colocatedScore <= tolerated) return was
  const sum = add(attenuate(factor, colocatedScore), was)
  if (onlyPositive && sum < 0) {
    if (was > 0) return unusable
    if (was === 0) return was
  }
  return sum
}

/**
 * Keeping away from what avoids a node is no reason to go there, unless that has only one node to be on and its dislike
 * weighs more than staying.
 */
function toleratedDislike(draft: AssignmentDraft, from: ColocatedSource): number {
  if (from.factor >= 0 || !hasOneChoice(draft, from)) return Number.POSITIVE_INFINITY
  return from.colocation?.primary.resource.meta.stickiness ?? 0
}

/** The same as `collectColocatedScores` where a single node is of interest: its score, with the scores added. */
export function collectColocatedScoresOn(
  draft: AssignmentDraft,
  node: number,
  score: number,
  from: ColocatedSource,
): number {
  const { source } = from
  if (draft.underWay.collecting[source.index] === 1) return score
  draft.underWay.collecting[source.index] = 1
  const member = source.kind === 'group' ? source.members[0] : undefined
  const sum =
    source.kind === 'group'
      ? member === undefined
        ? score
        : collectColocatedScoresOn(draft, node, score, { ...from, source: member })
      : collectFromOn(draft, node, score, from)
  draft.underWay.collecting[source.index] = 0
  return sum
}

function collectFromOn(draft: AssignmentDraft, node: number, score: number, from: ColocatedSource): number {
  const { target, onlyPositive, follow } = from
  let sum = summed(score, scoreOnOne(draft, from, node), from, toleratedDislike(draft, from))
  if (isUsable(draft, node) && sum >= 0) {
    for (const colocation of supports(draft, from.source)) {
      if (!hasInfluence(draft, colocation, colocation.primary)) continue
      const factor = passedOn(from, colocation)
      const behind = { source: colocation.dependent, target, colocation, factor, onlyPositive, optional: true, follow }
      sum = collectColocatedScoresOn(draft, node, sum, behind)
    }
  } else if (from.optional) return score
  return onlyPositive && sum === unusable ? 1 : sum
}

/** Rounded away from zero at the half; a score never vanishes by its share alone. */
function attenuate(factor: number, colocatedScore: number): number {
  if (factor === 1) return colocatedScore
  const part = Math.fround(factor * colocatedScore)
  const rounded = Math.trunc(part < 0 ? part - 0.5 : part + 0.5)
  if (rounded !== 0 || colocatedScore === 0) return rounded
  return Math.sign(factor)
}

/** What wants to be apart can be in one place only, and has a say. */
function hasOneChoice(draft: AssignmentDraft, { colocation }: ColocatedSource): boolean {
  if (colocation === undefined || !allowsOneNode(tableOf(draft, colocation.dependent))) return false
  return hasInfluence(draft, colocation, colocation.primary)
}

function allowsOneNode(table: ScoreTable): boolean {
  let allowed = 0
  for (const score of table) if (score >= 0 && ++allowed > 1) return false
  return allowed === 1
}

/** What the source thinks of a node counts for that node, not for others that are alike. */
const isPlain = ({ tree }: AssignmentDraft, { colocation }: ColocatedSource): boolean =>
  (colocation?.nodeAttribute ?? nodeNameAttribute) === nodeNameAttribute && tree.replicaOfNode.size === 0

/** By node of the target: the best score that the source has where the colocation's attribute has the same value. */
function scoreOnNode(draft: AssignmentDraft, from: ColocatedSource): (node: number) => number {
  const { source, target, colocation } = from
  const table = tableWithGroupLocations(draft, source, colocation)
  if (isPlain(draft, from)) return (node) => scoreIfUsable(draft, table, node)
  const attribute = colocation?.nodeAttribute ?? nodeNameAttribute
  const best = new Map<string | undefined, number>()
  for (let node = 0; node < table.length; node++) {
    const score = scoreIfUsable(draft, table, node)
    if (score <= -INFINITY_SCORE) continue
    const value = colocationValue(draft, node, attribute, source)
    if (score > (best.get(value) ?? -INFINITY_SCORE)) best.set(value, score)
  }
  return (node) => best.get(colocationValue(draft, node, attribute, target)) ?? -INFINITY_SCORE
}

/** The same for a single node. */
function scoreOnOne(draft: AssignmentDraft, from: ColocatedSource, node: number): number {
  if (!isPlain(draft, from)) return scoreOnNode(draft, from)(node)
  return scoreIfUsable(draft, tableWithGroupLocations(draft, from.source, from.colocation), node)
}

function scoreIfUsable(draft: AssignmentDraft, table: ScoreTable, node: number): number {
  const score = scoreAt(table, node)
  return score === absent || !isUsable(draft, node) ? -INFINITY_SCORE : score
}

/**
 * Later members of a group do not carry the scores of the group's location constraints, because they follow the first
 * one. As the dependent of a constraint of its own, such a member must have them all the same.
 */
function tableWithGroupLocations(
  draft: AssignmentDraft,
  source: Entry,
  colocation: Colocation | undefined,
): ScoreTable {
  const table = tableOf(draft, source)
  const group = source.parent
  if (colocation?.explicit !== true || colocation.dependent !== source) return table
  if (group?.kind !== 'group' || group.members[0] === source) return table
  const work = table.slice()
  for (const location of draft.locations) {
    if (location.target !== group || location.role !== undefined) continue
    for (const { node, score } of location.nodes) {
      const was = scoreAt(work, node)
      work[node] = was === absent ? score : add(was, score)
    }
  }
  return work
}
