/** The journal of what happened in the cluster, the incidents in it, and the cluster as it was at a moment. */
export { type Arrival, arrivalOf, type Place } from './arrivals.ts'
export { type CallsNoted, type NotedCall, noCalls, noteCall } from './calls.ts'
export { describeHappening, describeIncident, seconds, sinceBegin } from './describe.ts'
export {
  type FencingSeen,
  type Happening,
  happenings,
  type JournalEvent,
  type JournalState,
  mergeJournals,
  nothingSeen,
  parseJournalLine,
  type StoreNews,
} from './event.ts'
export { type Away, type Incident, incidentsIn, isTrouble } from './incidents.ts'
export { cibThen, stateThen, type Then } from './then.ts'
export { aboutOf, momentIn, type TimelineKind, timeIn, timelineKinds } from './timeline.ts'
