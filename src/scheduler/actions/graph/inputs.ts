/**
 * What an action in the graph waits for: of all relations those that still say something about the order, now that it is
 * known what is needed, what can run, and what migrates.
 */
import { type PlannedAction, sameNode } from '../draft/action.ts'
import { has, none, type Rules, rule } from '../draft/relation.ts'
import { targetOf } from '../draft/setting.ts'
import { isInClone, isReplicated, type PrimitiveUnit, type Unit } from '../draft/unit.ts'
import type { Notices } from '../notifications/notices.ts'
import type { Settled } from '../settling/settled.ts'

export interface Outcome {
  readonly settled: Settled
  readonly notices: Notices
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
  const { settled, notices } = outcome
  return (action) => {
    const merged = new Map<PlannedAction, Rules>()
    for (const { first, rules, number } of settled.before(action)) {
      if (!dropped.has(number)) merged.set(first, (merged.get(first) ?? none) | rules)
    }
    for (const first of notices.awaited(action)) merged.set(first, (merged.get(first) ?? none) | rule.ordered)
    return [...merged].flatMap(([first, rules]) =>
      isInput(outcome, action, { first, rules }) ? [{ first, rules }] : [],
    )
  }
}

/** Nothing is waited for that does not happen. */
function isInput({ settled, notices }: Outcome, action: PlannedAction, { first, rules }: Input): boolean {
  const state = notices.stateOf(first)
  if (rules === none) return false
  if (!state.runnable) {
    // Something that can never happen is waited for only if it says that this cannot happen either.
    const meansIt = has(rules, ~(rule.ordered | rule.firstShowsThen | rule.thenShowsFirst))
    if (!meansIt || has(rules, rule.minRunnable | rule.unmigratableThenBlocks)) return false
  }
  if (has(rules, rule.unlessFirstMigrates) && state.migratable) return false
  const isStop = first.key.endsWith('_stop_0')
  if (rules === rule.ordered && state.migratable && isStop) return false
  if (rules === rule.onSameNodeOrTarget && (state.optional || !frees(settled, first, action))) return false
  if (rules === rule.neededOnSameNode) {
    if (state.optional || (first.node && action.node && !sameNode(first.node, action.node))) return false
  }
  const { unit } = first
  if (unit?.kind === 'primitive' && unit !== action.unit && isStuck(unit) && isStop && inSomeClone(action.unit)) {
    return false
  }
  return !state.optional || state.alwaysInGraph
}

const isStuck = ({ resource, assigned }: PrimitiveUnit): boolean => resource.state.failed && !assigned.managed

const inSomeClone = (unit: Unit | undefined): boolean => unit !== undefined && (isReplicated(unit) || isInClone(unit))

/** Capacity matters on the node where something goes, which for a migration is its target. */
function frees(settled: Settled, first: PlannedAction, { unit, task, node }: PlannedAction): boolean {
  const goesTo = unit?.kind === 'primitive' && task === 'migrate_to' ? targetOf(settled, unit) : node
  return sameNode(first.node, goesTo)
}

/**
 * Orders that cannot be kept, by their numbers: between a guest's container and what runs in the guest, unless the cluster
 * itself made them; and the wait for capacity, where two resources change places by live migration and would wait for each
 * other.
 */
function unkeepable(outcome: Outcome): ReadonlySet<number> {
  const { settled } = outcome
  const dropped = new Set<number>()
  const containers = guestContainers(settled)
  for (const action of settled.actions.toReversed()) {
    const isOnGuestContainer = action.unit !== undefined && containers.has(action.unit.id)
    const mayLoop = action.task === 'migrate_to' && action.unit !== undefined
    if (!isOnGuestContainer && !mayLoop) continue
    for (const { number, first, rules } of settled.before(action)) {
      const isForGuest =
        !has(rules, rule.guestAllowed) && first.node?.kind === 'guest' && first.node.container === action.unit?.id
      const loops = mayLoop && rules === rule.onSameNodeOrTarget && closesLoop(outcome, { action, first, dropped })
      if ((isForGuest && first.unit) || loops) dropped.add(number)
    }
  }
  return dropped
}

function guestContainers({ nodeList }: Settled): ReadonlySet<string> {
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
    for (const relation of outcome.settled.before(next)) {
      if (!dropped.has(relation.number) && isInput(outcome, next, relation)) waiting.push(relation.first)
    }
  }
  return false
}
