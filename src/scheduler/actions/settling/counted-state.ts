/**
 * The state of an action as it counts for others. That of a group, clone or bundle follows from what its parts do: its own
 * point is needed when something below it is, and possible when what is below it is.
 */
import type { NodeStatus } from '../../../status/index.ts'
import { findAction, type PlannedAction } from '../draft/action.ts'
import { originalTask } from '../draft/role-tasks.ts'
import { type BundleUnit, type CloneUnit, type GroupUnit, isInClone } from '../draft/unit.ts'
import type { Counted } from './counted.ts'
import { partKind, taskOfParts } from './parts.ts'
import type { Settling } from './settling.ts'

/** For a clone on a node: whether it is needed on that node, but whether it can run anywhere at all. */
export function countedForOrder(settling: Settling, action: PlannedAction, node: NodeStatus | undefined): Counted {
  const anywhere = counted(settling, action, undefined)
  if (!node || !action.unit || !isInClone(action.unit)) return anywhere
  const there = counted(settling, action, node)
  return { optional: there.optional, runnable: there.runnable || anywhere.runnable }
}

/** What is found out about a point by its parts stays with it. */
export function counted(settling: Settling, action: PlannedAction, node: NodeStatus | undefined): Counted {
  const { unit } = action
  if (!unit || unit.kind === 'primitive') return settling.stateOf(action)
  if (unit.kind === 'group') return countGroup(settling, action, unit, node)
  return node === undefined ? countAnywhere(settling, action, unit) : countParts(settling, action, unit, node)
}

/** Every part counts here, and every part's relation asks: it is counted again only after something changed. */
function countAnywhere(settling: Settling, action: PlannedAction, unit: CloneUnit | BundleUnit): Counted {
  const known = settling.counts.get(action)
  if (known?.changes === settling.changes) return known.counted
  const found = countParts(settling, action, unit, undefined)
  settling.counts.set(action, { counted: found, changes: settling.changes })
  return found
}

function countGroup(
  settling: Settling,
  action: PlannedAction,
  { members }: GroupUnit,
  node: NodeStatus | undefined,
): Counted {
  const task = originalTask(action.task)
  const isDone = task !== action.task
  const state = settling.stateOf(action)
  let optional = true
  let runnable = true
  for (const member of members) {
    const own = findAction(settling.draft, member, { task, node })
    if (!own) {
      // A group is not up without all of its members; going down, none is missed.
      if (task !== 'stop' && task !== 'demote') runnable = false
      continue
    }
    const ofMember = settling.stateOf(own)
    if (!ofMember.optional) {
      optional = false
      state.optional = false
    }
    // The start of a group may begin although not all members can start; only `running` needs all of them.
    if (!ofMember.runnable && isDone) {
      runnable = false
      state.runnable = false
    }
  }
  return { optional, runnable }
}

function countParts(
  settling: Settling,
  action: PlannedAction,
  unit: CloneUnit | BundleUnit,
  node: NodeStatus | undefined,
): Counted {
  const kind = partKind(unit)
  const ofGroups = kind === 'groups'
  const task = taskOfParts(action, kind)
  const state = settling.stateOf(action)
  let optional = true
  let runnable = false
  const { parts } = settling
  const own = node === undefined || ofGroups ? parts.anywhere(unit, task) : parts.on(unit, task, node.name)
  for (const action of own) {
    const ofPart = counted(settling, action, node)
    if (!ofPart.optional) optional = false
    if (ofPart.runnable) runnable = true
    // More is not to be found out; only groups note what counts for them on the way.
    if (runnable && !optional && !ofGroups) break
  }
  if (!optional) state.optional = false
  if (!runnable && node === undefined) state.runnable = false
  return { optional, runnable }
}
