/**
 * One node of a cluster, as a core: `nodeStep(state, input, now) → {state, effects}`, composed of the cores of the rooms that decide. The daemon has
 * one driver of it, the simulation another (ADR 44).
 */
export { answerOf, type CommandAnswer, heardFrom } from './commands.ts'
export { whyNotThroughDisks } from './disk-fencing.ts'
export {
  actedWithoutThisNode,
  judgeConfirmationOfTwo,
  judgeEarlierConfirmation,
  livesThatAreOver,
  type OtherAnswer,
  type RegisteredHere,
} from './earlier-confirmation.ts'
export { fencedInput } from './fencing.ts'
export { fenceDevices, isNodeFenceable } from './fencing-devices.ts'
export type { FencerName, NodeFencingEffect, NodeFencingInput } from './fencing-state.ts'
export type { RecordedFencing } from './left-off.ts'
export { NodeLoop } from './loop.ts'
export { initialNode, nodeStep } from './node.ts'
export { diskTroubles } from './own-disks.ts'
export { saidOf } from './own-member.ts'
export type { SlotAnswer, SlotRequest } from './own-slot-state.ts'
export { voterStateOf } from './own-votes.ts'
export type { VotesEffect, VotesInput } from './own-votes-state.ts'
export { type OwnWatchdogEffect, type OwnWatchdogInput, watchdogTrouble } from './own-watchdog-state.ts'
export { connectionStep, connectionTrouble, isMended, isTried, nextConnectionAt } from './remote-connection.ts'
export {
  type ConnectionEffect,
  type ConnectionInput,
  type RemoteConnectionState,
  unopenedConnection,
} from './remote-connection-state.ts'
export { changesToListed, startUpTrouble, waitsForPeer } from './start-up.ts'
export type { StartUpEffect, StartUpInput, StoreCopyEffect, StoreCopyInput } from './start-up-state.ts'
export { isQuorate, type NodeEffect, type NodeInput, type NodeState, type OwnPlan, type SelfEnd } from './state.ts'
export { nodeTimings } from './timings.ts'
export { fencingEnabled, heartbeatOf, type SituationFacts, silentOf, twoNodeSituation } from './two-node-situation.ts'
export { isCountedOn, watchdogSetting } from './watchdog-setting.ts'
