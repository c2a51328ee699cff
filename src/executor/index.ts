/**
 * The operations of this node: one at a time for each resource, recurring monitors, results recorded. `stepExecutor` decides
 * and is what simulations drive; `Executor` is its acting edge.
 */
export {
  type Answer,
  type Command,
  Executor,
  type ResultStore,
} from './executor.ts'
export { type Operation, operationOfAction, type ReportedResult, showsPending } from './operation.ts'
export {
  type ExecutorEffect,
  type ExecutorInput,
  type ExecutorState,
  initialExecutor,
  nextDueAt,
  stepExecutor,
} from './queue.ts'
export type {
  MonitorNode,
  MonitorPrimitive,
  MonitorResource,
  MonitorStatus,
} from './tools/monitor-status.ts'
export { runTool } from './tools/run-tool.ts'
export { serveTools, type ToolServer } from './tools/socket.ts'
export type { ToolNode, ToolWorld } from './tools/world.ts'
