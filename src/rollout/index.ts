/**
 * Rollouts: what a rollout file says, which nodes it concerns, and how it goes on from step to step. Pure: the daemon performs the effects
 * (src/daemon/rollout), the command line reads the file.
 */
export { whyRequired } from './availability.ts'
export { startsClusterAgain } from './commands.ts'
export type { RolloutCommand, RolloutDefinition, Stage } from './definition.ts'
export type { NodeSeen, RolloutEffect, RolloutInput, TaskSeen } from './effects.ts'
export type { ClusterPlan } from './fleet/cluster-plan.ts'
export {
  type FleetPart,
  type FleetRolloutRecord,
  hasFleetEnded,
  isFleetRolloutRecord,
  newFleetRecord,
  partKey,
} from './fleet/fleet-record.ts'
export {
  type FleetAnswer,
  type FleetAsk,
  fleetStep,
  type PartAnswer,
  whyClustersWait,
} from './fleet/fleet-step.ts'
export { fleetWord } from './fleet/fleet-words.ts'
export {
  type DesiredVersion,
  type JournalLine,
  type NodeVersionRecord,
  type RolloutsKnown,
  versionRun,
} from './known.ts'
export {
  failedPart,
  isBetween,
  type LifecycleKnown,
  longestExcerpt,
  reported,
  runningVersions,
  type StatusType,
  statusTypes,
  triggered,
  type VersionReport,
  versionsOfAll,
  whyLagging,
  whyNotTriggered,
  withTransition,
} from './lifecycle.ts'
export { nodeFactsOf } from './node-facts.ts'
export { readRollout } from './read-rollout.ts'
export {
  hasEnded,
  isRolloutRecord,
  isUnderWay,
  leavesCluster,
  meantNodes,
  type NodeVersion,
  newestFirst,
  newRecord,
  type RolloutNode,
  type RolloutRecord,
  type VersionState,
} from './record.ts'
export { countRoles, type NodeFacts, type Resolved, resolveNodes } from './resolve-nodes.ts'
export { rolloutSchema } from './schema.ts'
export {
  type Setting,
  type SettingKind,
  type SettingPlace,
  type SettingScope,
  settingKinds,
  settingScopes,
  settingsFor,
} from './settings.ts'
export { rolloutStep, whyWaiting } from './step.ts'
export { rolloutWord, type Said, type Word, words } from './words.ts'
