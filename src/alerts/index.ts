/**
 * Alerts (Pacemaker Explained, "Alerts"): what is an event, which programs are called for it with which environment, and in which order
 * they run. Decides from the configuration and from what happened; the daemon runs the programs.
 */
export { type AlertCall, type AlertSetting, callsFor, lanesOf, type QueuedCall } from './calls.ts'
export {
  type AlertEvent,
  fencingEvent,
  membershipEvents,
  type OutboxEvent,
  operationEvent,
  parseOutboxEvent,
} from './event.ts'
export {
  type AlertQueue,
  emptyQueue,
  type QueueEffect,
  type QueueInput,
  queueNextAt,
  stepQueue,
} from './queue.ts'
export { formatTimestamp } from './timestamp.ts'
