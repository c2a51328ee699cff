/**
 * One node of a cluster, as a core: `nodeStep(state, input, now) → {state, effects}`, composed of the cores of the rooms that decide. The daemon has
 * one driver of it, the simulation another (ADR 44).
 */
export { answerOf, type CommandAnswer, heardFrom } from './commands.ts'
export { NodeLoop } from './loop.ts'
export { initialNode, nodeStep, ownCopyWillDo } from './node.ts'
export { isQuorate, type NodeEffect, type NodeInput, type NodeState, type OwnPlan } from './state.ts'
export { nodeTimings } from './timings.ts'
