/** Turns orderings, which name resources and operations, into relations between the actions that there are. */
import { actionsWithKey, operationKey, type PlannedAction, probesOf, sameNode } from '../action.ts'
import { obtain, type Plan } from '../draft.ts'
import { has, none, relate, rule } from '../relation.ts'
import { splitKey } from '../role-tasks.ts'
import { isInterleaved, partnerOf } from '../settling/interleave.ts'
import { currentRole, isActive, isReplicated, type PrimitiveUnit, primitivesOf, topOf, type Unit } from '../unit.ts'
import type { Ordering } from './order.ts'

export function resolveOrderings(plan: Plan): void {
  for (const ordering of plan.orderings) {
    const thens = actionsOf(ordering.follower)
    const firsts = firstsOf(plan, ordering)
    for (const first of firsts) {
      for (const follower of thens ?? []) relate(first, follower, rulesBetween(first, follower, ordering))
    }
  }
}

/** The stop that clears up after a failed migration must not restart what runs elsewhere. */
function rulesBetween(first: PlannedAction, follower: PlannedAction, { rules }: Ordering): number {
  return first.abortsMigration && first.unit === follower.unit ? rules & ~rule.firstImpliesThen : rules
}

function actionsOf(side: Ordering['first']): readonly PlannedAction[] {
  if (side.action) return [side.action]
  if (!side.unit || side.key === undefined) return []
  const found = actionsWithKey(side.unit, side.key)
  if (found.length > 0) return found
  // The key may be that of a part of the unit.
  const { task, intervalMs } = splitKey(side.key)
  return actionsWithKey(side.unit, operationKey(side.unit.id, task, intervalMs))
}

/** An action that others wait for exists even if nobody planned it, unless there is nothing left to do for it. */
function firstsOf(plan: Plan, { first, follower }: Ordering): readonly PlannedAction[] {
  const found = actionsOf(first)
  const { unit, key } = first
  if (found.length > 0 || !unit || key === undefined || unit === follower.unit) return found
  const { task, intervalMs } = splitKey(key)
  const role = currentRole(unit)
  if ((task === 'stop' || task === 'demote') && role === 'Stopped') return []
  if (task === 'demote' && role === 'Unpromoted') return []
  return [obtain(plan, { unit, task, intervalMs, optional: true })]
}

/** What depends on a resource that was never probed waits for the probe, and what stops before it starts does so too. */
export function orderAfterProbes(plan: Plan): void {
  const ways: Ways = new Map()
  for (const unit of plan.tree.top.flatMap(primitivesOf)) orderRestartsAfterProbes(plan, unit, ways)
  for (const ordering of plan.orderings) orderProbesBeforeFollowers(ordering)
}

function orderRestartsAfterProbes(plan: Plan, unit: PrimitiveUnit, ways: Ways): void {
  for (const probe of probesOf(unit)) {
    const seen = new Set<PlannedAction>()
    for (const { follower, rules } of probe.after.slice()) {
      if (!probe.runnable && !has(rules, rule.unrunnableFirstBlocks)) blockInactive(probe, follower)
      followFromProbe({ plan, unit, probe, seen, ways }, follower)
    }
  }
}

/**
 * While some instances of a clone are active, one that cannot be probed does not stop the others from what they do; but none
 * that is down starts, since there might be too many then.
 */
function blockInactive(probe: PlannedAction, start: PlannedAction): void {
  const { unit } = start
  if (start.task !== 'start' || !isReplicated(unit) || !probe.unit || topOf(probe.unit) !== unit) return
  for (const { follower } of start.after.slice()) {
    if (follower.task !== 'start' || !follower.unit || topOf(follower.unit) !== unit) continue
    if (primitivesOf(follower.unit).some(isActive)) continue
    relate(probe, follower, rule.ordered | rule.unrunnableFirstBlocks)
  }
}

/** Where the search goes on from an action: to what must happen as well, and from a group or clone to its parts. */
interface Way {
  readonly implied: readonly PlannedAction[]
  readonly parts: ReadonlyMap<Unit, readonly PlannedAction[]>
}

/** Made once for each action, since many probes lead to the same ones. */
type Ways = Map<PlannedAction, Way>

interface FromProbe {
  readonly plan: Plan
  readonly unit: PrimitiveUnit
  readonly probe: PlannedAction
  readonly seen: Set<PlannedAction>
  readonly ways: Ways
}

/** What goes down when something has to go up again. */
const wayDown: Readonly<Record<string, string>> = { start: 'stop', promote: 'demote' }

/** Whatever would have to restart, or be promoted again, if the probe finds something waits for the probe. */
function followFromProbe(from: FromProbe, after: PlannedAction): void {
  const { unit, probe, seen } = from
  if (seen.has(after)) return
  seen.add(after)
  const down = wayDown[after.task]
  if (down !== undefined && after.unit?.kind === 'primitive' && after.unit !== unit) {
    for (const action of actionsWithKey(after.unit, operationKey(after.unit.id, down))) {
      if (!action.pseudo) relate(probe, action, rule.ordered)
    }
  }
  const way = wayFrom(from.ways, after)
  for (const next of way.implied) followFromProbe(from, next)
  for (const next of partsBeside(from, after, way)) followFromProbe(from, next)
}

function wayFrom(ways: Ways, action: PlannedAction): Way {
  const known = ways.get(action)
  if (known) return known
  const implied: PlannedAction[] = []
  const parts = new Map<Unit, PlannedAction[]>()
  for (const { follower, rules } of action.after) {
    if (has(rules, rule.firstImpliesThen)) implied.push(follower)
    else if (follower.unit && follower.unit !== action.unit && follower.unit.parent === action.unit) {
      const same = parts.get(follower.unit)
      if (same) same.push(follower)
      else parts.set(follower.unit, [follower])
    }
  }
  const way = { implied, parts }
  ways.set(action, way)
  return way
}

/** In an interleaved clone only the part beside the probed instance is concerned. */
function partsBeside({ plan, unit }: FromProbe, after: PlannedAction, { parts }: Way): readonly PlannedAction[] {
  if (!after.unit || after.unit.kind === 'primitive' || unit.parent === after.unit) return []
  if (!isReplicated(after.unit) || !isInterleaved(after.unit)) {
    return [...parts].flatMap(([part, actions]) => (isReplicated(part) ? [] : actions))
  }
  const partner = partnerOf(plan, unit, after.unit, false)
  return (partner && parts.get(partner)) ?? []
}

/** Where something waits for a stop, and the resource may turn out to be active elsewhere, it waits for the probe too. */
function orderProbesBeforeFollowers({ first, follower, rules }: Ordering): void {
  const { unit } = first
  if (rules === none || unit?.kind !== 'primitive' || unit === follower.unit || !follower.unit) return
  const firstTask = first.action ? first.action.task : splitKey(first.key ?? '').task
  if (firstTask !== 'stop') return
  if (follower.unit && unit.container === follower.unit) {
    // The container may start again and the probe come after that.
    const thenTask = follower.action ? follower.action.task : splitKey(follower.key ?? '').task
    if (thenTask === 'stop') return
  }
  const kept = rules & (rule.unlessFirstMigrates | rule.onSameNode)
  const probeRules = rules === rule.onSameNodeOrTarget || rules === rule.neededOnSameNode ? rules : rule.ordered | kept
  const probes = probesOf(unit)
  if (probes.length === 0) return
  const thens = follower.action
    ? [follower.action]
    : follower.unit && follower.key !== undefined
      ? actionsWithKey(follower.unit, follower.key)
      : []
  for (const probe of probes) {
    for (const action of thens) if (waitsForProbe(action, probe)) relate(probe, action, probeRules)
  }
}

/** A node is probed after it was unfenced, and before it shuts down; no other node's shutdown waits for that. */
function waitsForProbe(action: PlannedAction, probe: PlannedAction): boolean {
  if (action.meta.get('stonith_action') === 'on') return !sameNode(action.node, probe.node)
  return action.task !== 'do_shutdown' || sameNode(action.node, probe.node)
}
