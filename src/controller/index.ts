/**
 * On the DC: integrates nodes, records the lost ones, asks for a transition graph and walks it. Chooses nothing: every
 * choice is in the graph. On the other nodes: campaigns when there is no DC, and ends the lease of one that is silent.
 */
export { cibOfView } from './cib-of-view.ts'
export { controllerStep, nextControllerAt } from './controller.ts'
export { type KeyWrite, writesOfEdits } from './edits.ts'
export type {
  BlockedResource,
  ControllerEffect,
  ControllerInput,
  Edit,
  FencingAction,
  TransitionRecord,
} from './effects.ts'
export { knownIncarnation, lastIncarnation, type NodeIncarnation, sinceIncarnation } from './incarnation.ts'
export { keys, subjectOf } from './keys.ts'
export { localStopStages, noQuorumReaction } from './local-stop.ts'
export { administratorsWord, isUnclean } from './node-states.ts'
export { type OwnKnowledge, viewOfItself } from './own-view.ts'
export { transitionKeyOf } from './results.ts'
export { fencingActionOf, priorityDelayMs } from './send.ts'
export {
  type ControllerState,
  defaultControllerTimings,
  initialController,
} from './state.ts'
export { isSettled } from './summary.ts'
export {
  type Change,
  type ClusterView,
  type DiskFencing,
  emptyView,
  type MemberRecord,
  type Observation,
  observe,
  parseMemberRecord,
  type ReplicatedConfiguration,
} from './view.ts'
export type { WalkedStep, WalkReport } from './walk-report.ts'
export { type DiskWatch, diskWatchOf, type ReportedWatchdog, watchdogAttributes, watchdogMsOf } from './watchdog.ts'
