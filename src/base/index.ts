/** What every room may use and no administrator would recognise: no domain in it. */

export { AssertionError, assert, assertNever, defined, isDefect } from './assert.ts'
export {
  type Branded,
  type MonotonicMs,
  monotonicMs,
  type NodeName,
  nodeName,
  type ResourceId,
  resourceId,
} from './branded.ts'
export { checkBySchema, type FieldPath, fieldOf, isMap, type Mistake } from './check-schema.ts'
export { compareText } from './compare-text.ts'
export { didYouMean, similarWords } from './did-you-mean.ts'
export { durationWord, parseDurationMs } from './duration.ts'
export { utcOffsetAt } from './host-zone.ts'
export { isShortage } from './machine-shortages.ts'
export { isoTime, momentSeen } from './moment.ts'
export { longestAttributeName, longestId, longestName, shortened, tooLong } from './name-length.ts'
export { onDemand } from './on-demand.ts'
export { OutsideError, reasonOf } from './outside-error.ts'
export { ownerOfAddress } from './owner-of-address.ts'
export { type Pattern, patternOrNothing, readPattern } from './pattern.ts'
export { firstNotInXml, printable } from './printable.ts'
export { seededRandom } from './random.ts'
export { RequestRoom, type RoomBounds } from './request-room.ts'
export { failed, ok, type Result } from './result.ts'
export type { Schema } from './schema.ts'
export type { Step } from './step.ts'
export { doneAtOnce, flatMapInSteps, type Steps } from './steps.ts'
export { takesNoChange } from './takes-no-change.ts'
export { timerMs } from './timer.ts'
