/** The graph of actions between the scheduler and the hands. */
export type { ActionId, ClusterAction, GraphAction, PseudoAction, ResourceAction, TransitionGraph } from './graph.ts'
export { printDot } from './print-dot.ts'
export { printGraphXml } from './print-graph-xml.ts'
export { printSvg } from './print-svg.ts'
export {
  comparePlans,
  type DecisionRecord,
  decisionText,
  isSamePlan,
  type PlanDifference,
  type PlannedAction,
  printDecision,
  recordedPlan,
} from './recorded-plan.ts'
