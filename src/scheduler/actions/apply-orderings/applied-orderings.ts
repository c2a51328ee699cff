/**
 * What comes of all actions once every relation between them holds. The facts of an action are those of the draft; what
 * changed is its state, who has no place any more, and which relations turned out not to apply.
 */
import type { ActionState, PlannedAction } from '../draft/action.ts'
import type { Draft } from '../draft/draft.ts'
import type { PlannedResource } from '../draft/planned-resource.ts'
import type { Relation } from '../draft/relation.ts'

export interface AppliedOrderings extends Draft {
  readonly stateOf: (action: PlannedAction) => Readonly<ActionState>
  /** The relations that hold in which it is the `then`, latest last. */
  readonly before: (action: PlannedAction) => readonly Readonly<Relation<PlannedAction>>[]
}

/** Its agent takes the changed parameters without a restart. */
export const isReloaded = ({ ofResource, stateOf }: AppliedOrderings, rsc: PlannedResource): boolean =>
  ofResource(rsc).some((action) => action.task === 'reload-agent' && !stateOf(action).optional)
