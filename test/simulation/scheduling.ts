/** The real scheduler, on the CIB that a node's view composes into. */
import { type ClusterView, cibOfView } from '../../src/controller/index.ts'
import { plan } from '../../src/daemon/planner/plan.ts'
import type { TransitionGraph } from '../../src/transition/index.ts'

export interface Scheduled {
  readonly graph: TransitionGraph
  readonly noQuorumPolicy: string
  readonly recheckInMs?: number
}

/** `stopEverything`: as the daemon plans for a node that leaves without quorum, whatever no-quorum-policy says. */
export function scheduleView(
  view: ClusterView,
  now: number,
  { haveQuorum, stopEverything = false }: { readonly haveQuorum: boolean; readonly stopEverything?: boolean },
): Scheduled {
  const cib = cibOfView(view, haveQuorum)
  if (cib === undefined) return { graph: { actions: [], attributes: {} }, noQuorumPolicy: 'stop' }
  const { graph, noQuorumPolicy, recheckInMs } = plan(cib, { now, stopEverything })
  return { graph, noQuorumPolicy, ...(recheckInMs === undefined ? {} : { recheckInMs }) }
}
