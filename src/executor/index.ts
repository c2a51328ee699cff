/**
 * The operations of this node: one at a time for each resource, recurring monitors, results recorded. `stepExecutor` decides
 * and is what simulations drive; `Executor` is its acting edge.
 */
export { type Command, inputOfCommand } from './command-input.ts'
export { type Answer, type EndedOperation, Executor } from './executor.ts'
export {
  agentParameters,
  type CountedFailure,
  countedFailure,
  type Operation,
  ownOperationOf,
  type ReportedResult,
  showsPending,
} from './operation.ts'
export { leftRunning, OwnHistory } from './own-history.ts'
export { nextDueAt, stepExecutor } from './queue.ts'
export { digestsOf } from './result-digests.ts'
export type { ResultStore } from './results.ts'
export { beginsToRun, toldBy } from './started-with.ts'
export { type ExecutorEffect, type ExecutorInput, type ExecutorState, initialExecutor } from './state.ts'
