/**
 * Holds: what is to be otherwise for a while (a drained node, a resource that is to move) and ends with whoever asked for it. A hold is a record beside the
 * configuration, which it never changes. `composeHolds` gives the configuration as it is meant while holds are in force, and `splitHolds` is the way back: what
 * is composed is never stored (docs/adr/0054-holds.md).
 */
export {
  composeHolds,
  type HeldPart,
  restoreHolds,
  type SplitHolds,
  splitHolds,
  withoutHolds,
} from './compose-holds.ts'
export { describeHold, howToEnd } from './describe-hold.ts'
export { changedHolds, contradictedHolds, endsByRemoval, type HoldChange } from './hold-changes.ts'
export {
  type HoldKind,
  type HoldOwner,
  type HoldRecord,
  holdKinds,
  isHoldId,
  longestHoldReason,
  mostHolds,
  parseHold,
  sameHold,
} from './hold-record.ts'
export {
  type HoldEffect,
  type HoldInput,
  type HoldKeeperState,
  type HoldSeen,
  holdStep,
  noHoldsSeen,
} from './hold-step.ts'
export { type HoldNote, holdsIn } from './holds-in-cib.ts'
export {
  confirmUntilMs,
  longestConfirmationMs,
  mostUnconfirmed,
  mostUnconfirmedOfUser,
  noneUnconfirmed,
  parseUnconfirmed,
  shortestConfirmationMs,
  type UnconfirmedChange,
  type UnconfirmedEffect,
  type UnconfirmedState,
  unconfirmedStep,
} from './unconfirmed.ts'
