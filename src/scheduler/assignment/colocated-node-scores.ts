/**
 * How resources that are placed with another one pull it to where they could run (Pacemaker Explained, "Colocation": a
 * dependent's preferences count for the primary's location, in proportion to the colocation's score). Wishes travel along
 * chains: those of what depends on the dependent arrive too, multiplied by every score on the way.
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

export interface Wish {
  /** Whose wishes; they and those of what is behind it are added. */
  readonly source: Entry
  /** For whom they count. */
  readonly target: Entry
  /** By which colocation; undefined where a resource collects its own. */
  readonly colocation?: Colocation
  readonly factor: number
  /** Never make a node that was fine unattractive (for clones, one of whose instances may be elsewhere). */
  readonly onlyPositive: boolean
  /** Give the wishes up where they would leave no node. */
  readonly optional: boolean
  /** Who else is asked: what depends on the source, or what the source depends on. */
  readonly follow: 'dependents' | 'primaries'
}

/** The dependent's wishes for a primary that is about to be assigned. */
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
  if (draft.trail.recording) {
    const { id, dependent } = colocation
    const source = { kind: 'colocation', constraint: id, with: dependent.id, as: 'primary' } as const
    draft.trail.noteChange(primary.index, source, table, summed)
  }
  if (summed !== table) table.set(summed)
}

/** The part of an infinite wish that a colocation passes on, in single precision as scores were always attenuated. */
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

/** The table with the wishes added; the same table where they came to nothing. The given one is never changed. */
export function collectColocatedScores(draft: AssignmentDraft, table: ScoreTable | undefined, wish: Wish): ScoreTable {
  const { source } = wish
  if (source.kind === 'group') {
    const member = table === undefined ? source.members.at(-1) : source.members[0]
    if (draft.merging[source.index] === 1 || member === undefined) return table ?? tableOf(draft, source)
    draft.merging[source.index] = 1
    const summed = collectColocatedScores(draft, table, { ...wish, source: member })
    draft.merging[source.index] = 0
    return summed
  }
  if (draft.merging[source.index] === 1) return table ?? tableOf(draft, source)
  draft.merging[source.index] = 1
  const summed = collectFrom(draft, table, wish)
  draft.merging[source.index] = 0
  return summed
}

function collectFrom(draft: AssignmentDraft, table: ScoreTable | undefined, wish: Wish): ScoreTable {
  let work = table === undefined ? tableOf(draft, wish.source) : withWishes(draft, table, wish)
  if (anyAvailable(draft, work)) {
    work = collectBehind(draft, work, table === undefined ? { ...wish, target: wish.source } : wish)
  } else if (wish.optional) return table ?? work
  return wish.onlyPositive ? withoutUnusable(work) : work
}

function collectBehind(draft: AssignmentDraft, table: ScoreTable, wish: Wish): ScoreTable {
  const { source, target, onlyPositive, follow } = wish
  let work = table
  for (const colocation of follow === 'primaries' ? dependsOn(draft, source) : supports(draft, source)) {
    if (follow === 'dependents' && !hasInfluence(draft, colocation, colocation.primary)) continue
    work = collectColocatedScores(draft, work, {
      source: follow === 'primaries' ? colocation.primary : colocation.dependent,
      target,
      colocation,
      factor: passedOn(wish, colocation),
      onlyPositive,
      optional: true,
      follow,
    })
  }
  return work
}

/** The part of a wish that arrives over one more colocation. */
const passedOn = ({ factor }: Wish, { score }: Colocation): number =>
  Math.fround(Math.fround(factor * score) / INFINITY_SCORE)

/** A table with one source's wishes added, made only where they change anything: most have none for most nodes. */
function withWishes(draft: AssignmentDraft, table: ScoreTable, wish: Wish): ScoreTable {
  const wishes = wishOnNode(draft, wish)
  const bearable = bearableDislike(draft, wish)
  let work = table
  for (let node = 0; node < table.length; node++) {
    const was = scoreAt(table, node)
    const sum = summed(was, wishes(node), wish, bearable)
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

/** What a node's score becomes once a wish for it is added. */
function summed(was: number, wished: number, { factor, onlyPositive }: Wish, bearable: number): number {
  if (was === absent || was === unusable) return was
  if (factor < 0 && wished < 0 && -wished <= bearable) return was
  const sum = add(attenuate(factor, wished), was)
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
function bearableDislike(draft: AssignmentDraft, wish: Wish): number {
  if (wish.factor >= 0 || !hasOneChoice(draft, wish)) return Number.POSITIVE_INFINITY
  return wish.colocation?.primary.resource.meta.stickiness ?? 0
}

/** The same as `collectColocatedScores` where a single node is of interest: its score, with the wishes added. */
export function collectColocatedScoresOn(draft: AssignmentDraft, node: number, score: number, wish: Wish): number {
  const { source } = wish
  if (draft.merging[source.index] === 1) return score
  draft.merging[source.index] = 1
  const member = source.kind === 'group' ? source.members[0] : undefined
  const sum =
    source.kind === 'group'
      ? member === undefined
        ? score
        : collectColocatedScoresOn(draft, node, score, { ...wish, source: member })
      : collectFromOn(draft, node, score, wish)
  draft.merging[source.index] = 0
  return sum
}

function collectFromOn(draft: AssignmentDraft, node: number, score: number, wish: Wish): number {
  const { target, onlyPositive, follow } = wish
  let sum = summed(score, wishForOne(draft, wish, node), wish, bearableDislike(draft, wish))
  if (isUsable(draft, node) && sum >= 0) {
    for (const colocation of supports(draft, wish.source)) {
      if (!hasInfluence(draft, colocation, colocation.primary)) continue
      const factor = passedOn(wish, colocation)
      const behind = { source: colocation.dependent, target, colocation, factor, onlyPositive, optional: true, follow }
      sum = collectColocatedScoresOn(draft, node, sum, behind)
    }
  } else if (wish.optional) return score
  return onlyPositive && sum === unusable ? 1 : sum
}

/** Rounded away from zero at the half; a wish never vanishes by its share alone. */
function attenuate(factor: number, wished: number): number {
  if (factor === 1) return wished
  const part = Math.fround(factor * wished)
  const rounded = Math.trunc(part < 0 ? part - 0.5 : part + 0.5)
  if (rounded !== 0 || wished === 0) return rounded
  return Math.sign(factor)
}

/** What wants to be apart can be in one place only, and has a say. */
function hasOneChoice(draft: AssignmentDraft, { colocation }: Wish): boolean {
  if (colocation === undefined || !allowsOneNode(tableOf(draft, colocation.dependent))) return false
  return hasInfluence(draft, colocation, colocation.primary)
}

function allowsOneNode(table: ScoreTable): boolean {
  let allowed = 0
  for (const score of table) if (score >= 0 && ++allowed > 1) return false
  return allowed === 1
}

/** What the source thinks of a node counts for that node, not for others that are alike. */
const isPlain = ({ tree }: AssignmentDraft, { colocation }: Wish): boolean =>
  (colocation?.nodeAttribute ?? nodeNameAttribute) === nodeNameAttribute && tree.replicaOfNode.size === 0

/** By node of the target: the best score that the source has where the colocation's attribute has the same value. */
function wishOnNode(draft: AssignmentDraft, wish: Wish): (node: number) => number {
  const { source, target, colocation } = wish
  const table = tableWithGroupLocations(draft, source, colocation)
  if (isPlain(draft, wish)) return (node) => scoreIfUsable(draft, table, node)
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
function wishForOne(draft: AssignmentDraft, wish: Wish, node: number): number {
  if (!isPlain(draft, wish)) return wishOnNode(draft, wish)(node)
  return scoreIfUsable(draft, tableWithGroupLocations(draft, wish.source, wish.colocation), node)
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
