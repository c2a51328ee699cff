/** The real scheduler, on the CIB that a node's view composes into. */
import type { ResourceId } from '../../src/base/index.ts'
import { type ClusterView, cibOfView, type OwnKnowledge, viewOfItself } from '../../src/controller/index.ts'
import { plan } from '../../src/daemon/planner/plan.ts'
import type { TransitionGraph } from '../../src/transition/index.ts'

export interface Scheduled {
  readonly graph: TransitionGraph
  readonly noQuorumPolicy: string
  readonly unmanaged: readonly ResourceId[]
  readonly recheckInMs?: number
}

/** As the daemon asks its planner: `stopEverything` for a node that leaves without quorum, `own` where it decides for itself. */
export function scheduleView(
  view: ClusterView,
  now: number,
  asked: { readonly haveQuorum: boolean; readonly stopEverything?: boolean; readonly own?: OwnKnowledge },
): Scheduled {
  const { haveQuorum, stopEverything = false, own } = asked
  const cib = cibOfView(own === undefined ? view : viewOfItself(view, own), haveQuorum)
  if (cib === undefined) return { graph: { actions: [], attributes: {} }, noQuorumPolicy: 'stop', unmanaged: [] }
  const { planned } = plan(cib, { now, stopEverything, ...(own && { own }) })
  const { graph, noQuorumPolicy, unmanaged, recheckInMs } = planned
  return { graph, noQuorumPolicy, unmanaged, ...(recheckInMs === undefined ? {} : { recheckInMs }) }
}
