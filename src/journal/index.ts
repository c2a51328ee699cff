/** The journal of what happened in the cluster, and the incidents in it. */
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
export { type Away, type Incident, incidentsIn } from './incidents.ts'
