/**
 * How far orderings have to be applied. An action is unchanged while it is not needed but possible, and so are its parts: no rule
 * makes anything of two such actions. So a change begins with an action that is not unchanged, and comes to others only along
 * relations and colocations. What it cannot come to stays as it was drafted; in a cluster where one thing changes, that is
 * nearly everything.
 *
 * | not unchanged                                 | because                                                         |
 * | --------------------------------------------- | --------------------------------------------------------------- |
 * | an action that is needed, or not possible     | every rule that takes something away begins with one of them    |
 * | a point that waits for enough                 | how many of its firsts are possible is counted                  |
 * | an operation that may be part of a migration  | all of the migration has to be possible, or none of it          |
 * | a point of a group or clone without its parts | it is possible only if they are                                 |
 * | the point of a clone beside an interleaved one, for which an instance has no partner | that instance stays down |
 */
import type { PlannedAction } from '../draft/action.ts'
import type { Draft } from '../draft/draft.ts'
import { type PlannedResource, topOf } from '../draft/planned-resource.ts'
import { has, type Rules, rule } from '../draft/relation.ts'
import type { PartActions } from './part-actions.ts'
import { lacksPartner } from './partners.ts'
import { hasAllParts } from './parts.ts'

/** Whether orderings may change anything about an action. */
export type Reach = (action: PlannedAction) => boolean

export function reachOf(draft: Draft, parts: PartActions): Reach {
  const { of, actionsIn, dependentsOf } = wholes(draft)
  const reached = new Set<number>()
  const waiting: number[] = []
  const reach = (whole: number): void => {
    if (reached.has(whole)) return
    reached.add(whole)
    waiting.push(whole)
  }
  for (const action of draft.actions) if (!isUnchanged(draft, parts, action)) reach(of(action))
  if (waiting.length === 0) return () => false
  for (let whole = waiting.pop(); whole !== undefined; whole = waiting.pop()) {
    for (const { after, before } of actionsIn(whole)) {
      for (const { follower, rules } of after) if (carries(rules)) reach(of(follower))
      for (const { first, rules } of before) if (carries(rules)) reach(of(first))
    }
    for (const dependent of dependentsOf(whole)) reach(dependent)
  }
  return (action) => reached.has(of(action))
}

function isUnchanged(draft: Draft, parts: PartActions, action: PlannedAction): boolean {
  const { optional, runnable, migratable } = draft.draftedState(action)
  if (!optional || !runnable || action.minRunnable !== undefined) return false
  const { rsc } = action
  if (!rsc) return true
  if (rsc.kind === 'primitive') return !migratable
  return hasAllParts(draft, parts, action) && !action.before.some((relation) => lacksPartner(draft, relation))
}

/** Rules that say only in which order things happen. */
const silent = rule.ordered | rule.onSameNode | rule.serialize | rule.guestAllowed | rule.unlessFirstMigrates

const carries = (rules: Rules): boolean =>
  has(rules, ~silent) && rules !== rule.onSameNodeOrTarget && rules !== rule.neededOnSameNode

/** What concerns one part of a resource concerns all of it. */
interface Wholes {
  /** The number of the outermost resource around an action; one that belongs to no resource has a number by itself. */
  readonly of: (action: PlannedAction) => number
  readonly actionsIn: (whole: number) => readonly PlannedAction[]
  /** What is not started where this one cannot be. */
  readonly dependentsOf: (whole: number) => readonly number[]
}

function wholes({ actions, tree, colocationsByPrimary }: Draft): Wholes {
  const numbers = new Int32Array(tree.size).fill(unknown)
  const numberOf = (rsc: PlannedResource): number => {
    const known = numbers[rsc.index] ?? unknown
    if (known !== unknown) return known
    const { index } = topOf(rsc, { throughBundles: true })
    numbers[rsc.index] = index
    return index
  }
  const of = ({ rsc, id }: PlannedAction): number => (rsc ? numberOf(rsc) : tree.size + id)
  let byWhole: ReadonlyMap<number, readonly PlannedAction[]> | undefined
  const actionsIn = (whole: number): readonly PlannedAction[] => {
    byWhole ??= grouped(actions, of)
    return byWhole.get(whole) ?? []
  }
  const dependentsOf = (whole: number): readonly number[] => {
    const rsc = actionsIn(whole)[0]?.rsc
    const primary = rsc && topOf(rsc, { throughBundles: true })
    const colocations = (primary && colocationsByPrimary.get(primary.id)) ?? []
    return colocations.flatMap(({ dependent }) => {
      const found = tree.byId.get(dependent)
      return found ? [numberOf(found)] : []
    })
  }
  return { of, actionsIn, dependentsOf }
}

const unknown = -1

function grouped(
  actions: readonly PlannedAction[],
  of: (action: PlannedAction) => number,
): ReadonlyMap<number, readonly PlannedAction[]> {
  const groups = new Map<number, PlannedAction[]>()
  for (const action of actions) {
    const same = groups.get(of(action))
    if (same) same.push(action)
    else groups.set(of(action), [action])
  }
  return groups
}
