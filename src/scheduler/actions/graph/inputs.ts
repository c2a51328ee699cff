/**
 * What an action in the graph waits for: of all relations those that still say something about the order, now that it is
 * known what is needed, what can run, and what migrates.
 */

import type { AppliedOrderings } from '../apply-orderings/applied-orderings.ts'
import { type PlannedAction, sameNode } from '../draft/action.ts'
import { isInClone, isReplicated, type PlannedPrimitive, type PlannedResource } from '../draft/planned-resource.ts'
import { has, none, type Rules, rule } from '../draft/relation.ts'
import { targetOf } from '../draft/setting.ts'
import type { NotifyActions } from '../notifications/notify-actions.ts'

export interface Outcome {
  readonly applied: AppliedOrderings
  readonly notifyActions: NotifyActions
}

/** Something that is waited for. */
export interface Input {
  readonly first: PlannedAction
  readonly rules: Rules
}

export type Inputs = (action: PlannedAction) => readonly Input[]

/** By action; those orders are left out that nobody could keep. */
export function inputsOf(outcome: Outcome): Inputs {
  const dropped = unkeepable(outcome)
  const { applied, notifyActions } = outcome
  return (action) => {
    const merged = new Map<PlannedAction, Rules>()
    for (const { first, rules, number } of applied.before(action)) {
      if (!dropped.has(number)) merged.set(first, (merged.get(first) ?? none) | rules)
    }
    for (const first of notifyActions.awaited(action)) merged.set(first, (merged.get(first) ?? none) | rule.ordered)
    return [...merged].flatMap(([first, rules]) =>
      isInput(outcome, action, { first, rules }) ? [{ first, rules }] : [],
    )
  }
}

/** Nothing is waited for that does not happen. */
function isInput({ applied, notifyActions }: Outcome, action: PlannedAction, { first, rules }: Input): boolean {
  const state = notifyActions.stateOf(first)
  if (rules === none) return false
  if (!state.runnable) {
    // Something that can never happen is waited for only if it says that this cannot happen either.
    const meansIt = has(rules, ~(rule.ordered | rule.firstShowsThen | rule.thenShowsFirst))
    if (!meansIt || has(rules, rule.minRunnable | rule.unmigratableThenBlocks)) return false
  }
  if (has(rules, rule.unlessFirstMigrates) && state.migratable) return false
  const isStop = first.key.endsWith('_stop_0')
  if (rules === rule.ordered && state.migratable && isStop) return false
  if (rules === rule.onSameNodeOrTarget && (state.optional || !frees(applied, first, action))) return false
  if (rules === rule.neededOnSameNode) {
    if (state.optional || (first.node && action.node && !sameNode(first.node, action.node))) return false
  }
  const { rsc } = first
  if (rsc?.kind === 'primitive' && rsc !== action.rsc && isStuck(rsc) && isStop && inSomeClone(action.rsc)) {
    return false
  }
  return !state.optional || state.alwaysInGraph
}

const isStuck = ({ resource, assigned }: PlannedPrimitive): boolean => resource.state.failed && !assigned.managed

const inSomeClone = (rsc: PlannedResource | undefined): boolean =>
  rsc !== undefined && (isReplicated(rsc) || isInClone(rsc))

/** Capacity matters on the node where something goes, which for a migration is its target. */
function frees(applied: AppliedOrderings, first: PlannedAction, { rsc, task, node }: PlannedAction): boolean {
  const goesTo = rsc?.kind === 'primitive' && task === 'migrate_to' ? targetOf(applied, rsc) : node
  return sameNode(first.node, goesTo)
}

/**
 * Orders that cannot be kept, by their numbers: between a guest's container and what runs in the guest, unless the cluster
 * itself made them; and the wait for capacity, where two resources change places by live migration and would wait for each
 * other.
 */
function unkeepable(outcome: Outcome): ReadonlySet<number> {
  const { applied } = outcome
  const dropped = new Set<number>()
  const containers = guestContainers(applied)
  for (const action of applied.actions.toReversed()) {
    const isOnGuestContainer = action.rsc !== undefined && containers.has(action.rsc.id)
    const mayLoop = action.task === 'migrate_to' && action.rsc !== undefined
    if (!isOnGuestContainer && !mayLoop) continue
    for (const { number, first, rules } of applied.before(action)) {
      const isForGuest =
        !has(rules, rule.guestAllowed) && first.node?.kind === 'guest' && first.node.container === action.rsc?.id
      const loops = mayLoop && rules === rule.onSameNodeOrTarget && closesLoop(outcome, { action, first, dropped })
      if ((isForGuest && first.rsc) || loops) dropped.add(number)
    }
  }
  return dropped
}

function guestContainers({ nodeList }: AppliedOrderings): ReadonlySet<string> {
  return new Set(nodeList.flatMap(({ kind, container }) => (kind === 'guest' && container ? [container] : [])))
}

interface Wait {
  readonly action: PlannedAction
  readonly first: PlannedAction
  readonly dropped: ReadonlySet<number>
}

function closesLoop(outcome: Outcome, { action, first, dropped }: Wait): boolean {
  const seen = new Set<PlannedAction>()
  const waiting = [first]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (next === action) return true
    if (seen.has(next)) continue
    seen.add(next)
    for (const relation of outcome.applied.before(next)) {
      if (!dropped.has(relation.number) && isInput(outcome, next, relation)) waiting.push(relation.first)
    }
  }
  return false
}
