/** The graph of actions between the scheduler and the hands. */
export type { ActionId, ClusterAction, GraphAction, PseudoAction, ResourceAction, TransitionGraph } from './graph.ts'
