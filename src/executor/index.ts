/**
 * The operations of this node: one at a time for each resource, recurring monitors, results recorded. `stepExecutor` decides
 * and is what simulations drive; `Executor` is its acting edge.
 */
export {
  type Answer,
  type Command,
  Executor,
} from './executor.ts'
export {
  agentParameters,
  type CountedFailure,
  countedFailure,
  type Operation,
  operationOfAction,
  type ReportedResult,
  showsPending,
} from './operation.ts'
export { leftRunning, OwnHistory } from './own-history.ts'
export { nextDueAt, stepExecutor } from './queue.ts'
export { digestsOf } from './result-digests.ts'
export type { ResultStore } from './results.ts'
export { beginsToRun, toldBy } from './started-with.ts'
export { type ExecutorEffect, type ExecutorInput, type ExecutorState, initialExecutor } from './state.ts'
