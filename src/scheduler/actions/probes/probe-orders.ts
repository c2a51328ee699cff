/**
 * What waits for probes: as long as nobody knows where a resource is active, nothing that would have to restart with it
 * goes down, and nothing that waits for its stop goes on.
 */
import { actionsWithTask, findAction, probesOf, sameNode } from '../draft/action.ts'
import type { Drafting } from '../draft/draft.ts'
import type { DraftAction } from '../draft/draft-action.ts'
import type { Order, Side } from '../draft/order.ts'
import { isInterleaved } from '../draft/pairing.ts'
import {
  isActive,
  isReplicated,
  type PlannedPrimitive,
  type PlannedResource,
  primitivesOf,
  topOf,
} from '../draft/planned-resource.ts'
import { has, none, relate, rule } from '../draft/relation.ts'
import { actionsOf } from '../orders/resolve.ts'
/** What depends on a resource that was never probed waits for the probe, and what stops before it starts does so too. */
export function orderAfterProbes(draft: Drafting, orders: readonly Order[]): void {
  const ways: Ways = new Map()
  for (const rsc of draft.tree.primitives) orderRestartsAfterProbes(draft, rsc, ways)
  for (const order of orders) orderProbesBeforeFollowers(draft, order)
}

function orderRestartsAfterProbes(draft: Drafting, rsc: PlannedPrimitive, ways: Ways): void {
  for (const probe of probesOf(draft, rsc)) {
    const seen = new Set<DraftAction>()
    for (const { follower, rules } of probe.after.slice()) {
      if (!probe.runnable && !has(rules, rule.unrunnableFirstBlocks)) blockInactive(probe, follower)
      followFromProbe({ draft, rsc, probe, seen, ways }, follower)
    }
  }
}

/**
 * While some instances of a clone are active, one that cannot be probed does not stop the others from what they do; but none
 * that is down starts, since there might be too many then.
 */
function blockInactive(probe: DraftAction, start: DraftAction): void {
  const { rsc } = start
  if (start.task !== 'start' || !isReplicated(rsc) || !probe.rsc || topOf(probe.rsc) !== rsc) return
  for (const { follower } of start.after.slice()) {
    if (follower.task !== 'start' || !follower.rsc || topOf(follower.rsc) !== rsc) continue
    if (primitivesOf(follower.rsc).some(isActive)) continue
    relate(probe, follower, rule.ordered | rule.unrunnableFirstBlocks)
  }
}

/** Where the search goes on from an action: to what must happen as well, and from a group or clone to its parts. */
interface Way {
  readonly implied: readonly DraftAction[]
  readonly parts: ReadonlyMap<PlannedResource, readonly DraftAction[]>
}

/** Made once for each action, since many probes lead to the same ones. */
type Ways = Map<DraftAction, Way>

interface FromProbe {
  readonly draft: Drafting
  readonly rsc: PlannedPrimitive
  readonly probe: DraftAction
  readonly seen: Set<DraftAction>
  readonly ways: Ways
}

/** What goes down when something has to go up again. */
const wayDown: Readonly<Record<string, string>> = { start: 'stop', promote: 'demote' }

/** Whatever would have to restart, or be promoted again, if the probe finds something waits for the probe. */
function followFromProbe(from: FromProbe, after: DraftAction): void {
  const { draft, rsc, probe, seen } = from
  if (seen.has(after)) return
  seen.add(after)
  const down = wayDown[after.task]
  if (down !== undefined && after.rsc?.kind === 'primitive' && after.rsc !== rsc) {
    for (const action of actionsWithTask(draft, after.rsc, down)) {
      if (!action.pseudo) relate(probe, action, rule.ordered)
    }
  }
  const way = wayFrom(from, after)
  for (const next of way.implied) followFromProbe(from, next)
  for (const next of partsBeside(from, after, way)) followFromProbe(from, next)
}

function wayFrom({ draft, ways }: FromProbe, action: DraftAction): Way {
  const known = ways.get(action)
  if (known) return known
  const implied: DraftAction[] = []
  const parts = new Map<PlannedResource, DraftAction[]>()
  for (const { follower, rules } of [...action.after, ...waitingForAll(draft, action)]) {
    if (has(rules, rule.firstImpliesThen)) implied.push(follower)
    else if (follower.rsc && follower.rsc !== action.rsc && follower.rsc.parent === action.rsc) {
      const same = parts.get(follower.rsc)
      if (same) same.push(follower)
      else parts.set(follower.rsc, [follower])
    }
  }
  const way = { implied, parts }
  ways.set(action, way)
  return way
}

const beginnings: Readonly<Record<string, string>> = { running: 'start', promoted: 'promote' }

/** What is ordered after the start of a group waits until all of it is up. */
function waitingForAll(draft: Drafting, { rsc, task }: DraftAction): DraftAction['after'] {
  const beginning = beginnings[task]
  const begin = rsc?.kind === 'group' && beginning !== undefined && findAction(draft, rsc, { task: beginning })
  return begin ? begin.after.filter(({ follower }) => follower.rsc !== rsc && follower.rsc?.parent !== rsc) : []
}

/** In an interleaved clone only the part beside the probed instance is concerned. */
function partsBeside({ draft, rsc }: FromProbe, after: DraftAction, { parts }: Way): readonly DraftAction[] {
  if (!after.rsc || after.rsc.kind === 'primitive' || rsc.parent === after.rsc) return []
  if (!isReplicated(after.rsc) || !isInterleaved(after.rsc)) {
    return [...parts].flatMap(([part, actions]) => (isReplicated(part) ? [] : actions))
  }
  const partner = draft.pairing.partnerOf(rsc, after.rsc, 'up')
  return (partner && parts.get(partner)) ?? []
}

/** Where something waits for a stop, and the resource may turn out to be active elsewhere, it waits for the probe too. */
function orderProbesBeforeFollowers(draft: Drafting, { first, follower, rules }: Order): void {
  const { rsc } = first
  if (rules === none || rsc?.kind !== 'primitive' || rsc === follower.rsc || taskOf(first) !== 'stop') return
  // The container may start again and the probe come after that.
  if (follower.rsc && rsc.container === follower.rsc && taskOf(follower) === 'stop') return
  const probes = probesOf(draft, rsc)
  if (probes.length === 0) return
  const kept = rules & (rule.unlessFirstMigrates | rule.onSameNode)
  const probeRules = rules === rule.onSameNodeOrTarget || rules === rule.neededOnSameNode ? rules : rule.ordered | kept
  const followers = actionsOf(draft, follower)
  for (const probe of probes) {
    for (const action of followers) if (waitsForProbe(action, probe)) relate(probe, action, probeRules)
  }
}

const taskOf = ({ action, task }: Side): string | undefined => (action ? action.task : task)

/** A node is probed after it was unfenced, and before it shuts down; no other node's shutdown waits for that. */
function waitsForProbe(action: DraftAction, probe: DraftAction): boolean {
  if (action.rsc === undefined && action.meta.get('stonith_action') === 'on') return !sameNode(action.node, probe.node)
  return action.task !== 'do_shutdown' || sameNode(action.node, probe.node)
}
