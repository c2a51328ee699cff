/**
 * Whether an order constraint has nothing to say while its resources are unchanged: every action that it names is there then, and
 * possible. What asks for only some of its resources, for a role that not all of them have, or for a partner that is not there,
 * is left to the draft.
 */
import type { OrderConstraint } from '../../../cib/index.ts'
import { isInterleaved } from '../draft/pairing.ts'
import { isReplicated, type PlannedResource } from '../draft/planned-resource.ts'
import type { Setting } from '../draft/setting.ts'

export function isOrderWithoutEffect(setting: Setting, constraint: OrderConstraint): boolean {
  const resources = orderedResources(setting, constraint)
  const tasks = tasksIn(constraint)
  if (!needsAll(constraint) || resources.some((rsc) => !tasks.every((task) => isDoneBy(rsc, task)))) return false
  return resources.every((follower, index) =>
    resources.slice(0, index).every((first) => hasPartners(setting, first, follower)),
  )
}

/** The resources that it names, in the order that it gives them. */
export function orderedResources(
  { assignment: { references }, tree }: Setting,
  { between }: OrderConstraint,
): readonly PlannedResource[] {
  const named = between.by === 'sets' ? between.sets.flatMap(({ members }) => members) : [between.first, between.then]
  return named.flatMap(references.expand).flatMap((id) => {
    const entry = references.resource(id)
    return (entry && tree.byId.get(entry.id)) ?? []
  })
}

function tasksIn({ between }: OrderConstraint): readonly string[] {
  if (between.by === 'sets') return between.sets.map(({ action }) => action ?? 'start')
  const first = between.firstAction ?? 'start'
  return [first, between.thenAction ?? first]
}

const needsAll = ({ between, requireAll }: OrderConstraint): boolean =>
  between.by === 'sets' ? between.sets.every((set) => set.requireAll) : requireAll

function isDoneBy(rsc: PlannedResource, task: string): boolean {
  const isWhole = rsc.parent === undefined || (rsc.parent.kind === 'group' && rsc.parent.parent === undefined)
  if (!isWhole || (rsc.kind === 'clone' && rsc.resource.cloneMin > 0)) return false
  if (task === 'start' || task === 'stop') return true
  return rsc.kind === 'clone' && rsc.resource.promotable && (task === 'promote' || task === 'demote')
}

/** An instance of an interleaved clone stays down where there is none of the clone before it. */
function hasPartners({ pairing }: Setting, first: PlannedResource, follower: PlannedResource): boolean {
  if (!isReplicated(first) || !isReplicated(follower) || !isInterleaved(follower)) return true
  const there = pairing.byNode(first, 'up')
  return [...pairing.byNode(follower, 'up').keys()].every((node) => there.has(node))
}
