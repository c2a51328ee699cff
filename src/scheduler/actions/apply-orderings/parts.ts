/** What the parts of a group, clone or bundle do for an action of the whole. */
import { type ActionIndex, findAction, type PlannedAction } from '../draft/action.ts'
import type { PlannedBundle, PlannedClone } from '../draft/planned-resource.ts'
import { originalTask } from '../draft/role-tasks.ts'
import type { PartActions } from './part-actions.ts'

/** Whether nothing speaks against a point but what its parts do: each that has to be there is. */
export function hasAllParts(index: ActionIndex<PlannedAction>, parts: PartActions, action: PlannedAction): boolean {
  const { rsc } = action
  if (!rsc || rsc.kind === 'primitive') return true
  if (rsc.kind !== 'group') return parts.anywhere(rsc, taskOfParts(action, partKind(rsc))).length > 0
  const task = originalTask(action.task)
  return task === 'stop' || task === 'demote' || rsc.members.every((member) => findAction(index, member, { task }))
}

export const partKind = (rsc: PlannedClone | PlannedBundle): 'groups' | 'primitives' =>
  rsc.kind === 'clone' && rsc.instances[0]?.kind === 'group' ? 'groups' : 'primitives'

/** What the parts of a clone do when the clone does this. */
export function taskOfParts({ key, task }: PlannedAction, parts: 'primitives' | 'groups'): string {
  const notified = /_(?:confirmed-)?(?:pre|post)_notify_([a-z]+)_0$/.exec(key)
  const named = notified?.[1] ?? task
  // Groups have points of their own for what is done everywhere.
  return parts === 'groups' ? named : originalTask(named)
}
