/** Turns orderings, which name resources and operations, into relations between the actions that there are. */
import { actionsWithKey, operationKey, type PlannedAction, probesOf } from './action.ts'
import { isInterleaved, partnerOf } from './interleave.ts'
import type { Ordering } from './ordering.ts'
import { obtain, type Plan } from './plan.ts'
import { has, none, type Relation, relate, rule } from './relation.ts'
import { splitKey } from './role-tasks.ts'
import { currentRole, isReplicated, type PrimitiveUnit, primitivesOf, type Unit } from './unit.ts'

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
  for (const unit of plan.tree.top.flatMap(primitivesOf)) orderRestartsAfterProbes(plan, unit)
  for (const ordering of plan.orderings) orderProbesBeforeFollowers(ordering)
}

function orderRestartsAfterProbes(plan: Plan, unit: PrimitiveUnit): void {
  for (const probe of probesOf(unit)) {
    const seen = new Set<PlannedAction>()
    for (const { follower } of probe.after.slice()) followFromProbe({ plan, unit, probe, seen }, follower)
  }
}

interface FromProbe {
  readonly plan: Plan
  readonly unit: PrimitiveUnit
  readonly probe: PlannedAction
  readonly seen: Set<PlannedAction>
}

/** The stops of whatever would have to restart if the probe finds something wait for the probe. */
function followFromProbe(from: FromProbe, after: PlannedAction): void {
  const { plan, unit, probe, seen } = from
  if (seen.has(after)) return
  seen.add(after)
  if (after.unit?.kind === 'primitive' && after.unit !== unit) {
    for (const stop of actionsWithKey(after.unit, operationKey(after.unit.id, 'stop'))) {
      if (!stop.pseudo) relate(probe, stop, rule.ordered)
    }
  }
  const partner = isInterleavedUnit(after.unit) ? partnerOf(plan, unit, after.unit, false) : undefined
  for (const relation of after.after.slice()) {
    if (has(relation.rules, rule.firstImpliesThen) || leadsInside(from, after, relation, partner)) {
      followFromProbe(from, relation.follower)
    }
  }
}

const isInterleavedUnit = (unit: Unit | undefined): unit is Extract<Unit, { kind: 'clone' | 'bundle' }> =>
  isReplicated(unit) && isInterleaved(unit)

/** From a group or clone to its parts; in an interleaved clone only to the part beside the probed instance. */
function leadsInside(
  { unit }: FromProbe,
  after: PlannedAction,
  { follower }: Relation,
  partner: Unit | undefined,
): boolean {
  if (!after.unit || after.unit.kind === 'primitive' || unit.parent === after.unit) return false
  if (!follower.unit || isReplicated(follower.unit) || follower.unit.parent !== after.unit) return false
  return !isInterleavedUnit(after.unit) || (partner !== undefined && partner === follower.unit)
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
  for (const probe of probes) for (const action of thens) relate(probe, action, probeRules)
}
