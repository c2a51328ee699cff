/**
 * The scheduler: a pure function from the CIB to placement, transition graph and reasons. `simulate` plays the graph, `explain…`
 * tell why; previews and what-if questions are this same function.
 */
export type { TransitionChange } from './actions/graph/summary.ts'
export type { Assignment, PrimitiveAssignment } from './assigned/assignment.ts'
export {
  type ListedColocation,
  listPlacement,
  nodesWithLostTickets,
  type PlacementListing,
} from './constraints/listing.ts'
export type { Cause } from './explain/causes.ts'
export { explainFencing } from './explain/explain-fencing.ts'
export { explainMove } from './explain/explain-move.ts'
export { explainNode, type NodeReport } from './explain/explain-node.ts'
export { explainResource } from './explain/explain-resource.ts'
export { canBeFenced, fenceDevicesIn, fenceTopologyOf } from './explain/fence-devices.ts'
export type { ResourceExplanation } from './explain/resource-explanation.ts'
export { scoresByNode } from './print-scores.ts'
export { type Schedule, type SchedulerInput, schedule } from './schedule.ts'
export { answerLine, momentOf, type Surroundings, simulateFile } from './simulate/batch.ts'
export { formatOperationSpec, type OperationSpec, parseOperationSpec } from './simulate/operation-spec.ts'
export { namesKnownTo, playedName } from './simulate/play.ts'
export { type SimulationQuestion, type SimulationText, simulateCib } from './simulate/print-simulation.ts'
export { type AllocationLine, allocations, printAllocations, utilizationOf } from './simulate/print-utilization.ts'
export { type Simulation, type SimulationInput, simulate } from './simulate/simulate.ts'
export { type Moment, questionMistakes, suppose, type WhatIf } from './simulate/what-if.ts'
