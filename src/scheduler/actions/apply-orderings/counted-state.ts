/**
 * The state of an action as it counts for others. That of a group, clone or bundle follows from what its parts do: its own
 * point is needed when something below it is, and possible when what is below it is.
 */
import type { NodeStatus } from '../../../status/index.ts'
import { findAction, type PlannedAction } from '../draft/action.ts'
import { isInClone, type PlannedBundle, type PlannedClone, type PlannedGroup } from '../draft/planned-resource.ts'
import { originalTask } from '../draft/role-tasks.ts'
import type { Applying } from './applying.ts'
import type { Counted } from './counted.ts'
import { partKind, taskOfParts } from './parts.ts'

/** For a clone on a node: whether it is needed on that node, but whether it can run anywhere at all. */
export function countedForOrder(applying: Applying, action: PlannedAction, node: NodeStatus | undefined): Counted {
  const anywhere = counted(applying, action, undefined)
  if (!node || !action.rsc || !isInClone(action.rsc)) return anywhere
  const there = counted(applying, action, node)
  return { optional: there.optional, runnable: there.runnable || anywhere.runnable }
}

/** What is found out about a point by its parts stays with it. */
export function counted(applying: Applying, action: PlannedAction, node: NodeStatus | undefined): Counted {
  const { rsc } = action
  if (!rsc || rsc.kind === 'primitive') return applying.stateOf(action)
  if (rsc.kind === 'group') return countGroup(applying, action, rsc, node)
  return node === undefined ? countAnywhere(applying, action, rsc) : countParts(applying, action, rsc, node)
}

/** Every part counts here, and every part's relation asks: it is counted again only after something changed. */
function countAnywhere(applying: Applying, action: PlannedAction, rsc: PlannedClone | PlannedBundle): Counted {
  const known = applying.counts.get(action)
  if (known?.changes === applying.changes) return known.counted
  const found = countParts(applying, action, rsc, undefined)
  applying.counts.set(action, { counted: found, changes: applying.changes })
  return found
}

function countGroup(
  applying: Applying,
  action: PlannedAction,
  { members }: PlannedGroup,
  node: NodeStatus | undefined,
): Counted {
  const task = originalTask(action.task)
  const isDone = task !== action.task
  const state = applying.stateOf(action)
  let optional = true
  let runnable = true
  for (const member of members) {
    const own = findAction(applying.draft, member, { task, node })
    if (!own) {
      // A group is not up without all of its members; going down, none is missed.
      if (task !== 'stop' && task !== 'demote') runnable = false
      continue
    }
    const ofMember = applying.stateOf(own)
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
  applying: Applying,
  action: PlannedAction,
  rsc: PlannedClone | PlannedBundle,
  node: NodeStatus | undefined,
): Counted {
  const kind = partKind(rsc)
  const ofGroups = kind === 'groups'
  const task = taskOfParts(action, kind)
  const state = applying.stateOf(action)
  let optional = true
  let runnable = false
  const { parts } = applying
  const own = node === undefined || ofGroups ? parts.anywhere(rsc, task) : parts.on(rsc, task, node.name)
  for (const action of own) {
    const ofPart = counted(applying, action, node)
    if (!ofPart.optional) optional = false
    if (ofPart.runnable) runnable = true
    // More is not to be found out; only groups note what counts for them on the way.
    if (runnable && !optional && !ofGroups) break
  }
  if (!optional) state.optional = false
  if (!runnable && node === undefined) state.runnable = false
  return { optional, runnable }
}
