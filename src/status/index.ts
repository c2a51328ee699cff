/**
 * Reads the history: what runs where, in which role, with which failures. Chooses nothing. `readStatus` turns a CIB into a
 * `ClusterStatus`; `printClusterStatus` tells it to people.
 */
export type * from './cluster-status.ts'
export {
  compareDigests,
  type DigestSources,
  type ParameterDifference,
  parametersTask,
  recordedDigests,
} from './digests.ts'
export { type FailuresAlike, failuresAlike } from './failures-alike.ts'
export { compareNames } from './names.ts'
export { isRoleName, roleAttribute, roleIn, rolesOf } from './node-roles.ts'
export { partsOf, primitivesIn, replicaParts } from './parts.ts'
export { describeExitCode, exitWord, statusWord } from './print/exit-codes.ts'
export {
  nodeKind,
  nodeState,
  printClusterStatus,
  printNodeList,
  printPrimitive,
  printResourceList,
  printSummaryHeader,
} from './print/index.ts'
export { roleOrChange } from './print/primitive.ts'
export { isActive } from './print/resource-state.ts'
export { readStatus, type StatusInput } from './read/read-status.ts'
export { statusOfCib } from './read/status-of-cib.ts'
export { type Remark, remarksOn } from './remarks.ts'
export { guestNodes, isConnectionAgent, remoteNodeNames } from './remote-definitions.ts'
export { bundleNodes } from './resources/bundle.ts'
export { connectedNodeNames, isConnectionWanted } from './resources/connected-nodes.ts'
export {
  addDuration,
  addNvSets,
  calendarFields,
  hasRules,
  parseLocalMoment,
  parseMoment,
  type RuleContext,
  ruleHolds,
  type Standing,
  standingOf,
  type UtcOffsetAt,
  utc,
} from './rules/index.ts'
export { type Verification, verificationsOn, whyUnmonitored } from './verification.ts'
