/** How the survivor of two is to fence the other: as the DC would. */
import type { NodeName } from '../../base/index.ts'
import { clusterOptionValue } from '../../cib/index.ts'
import { type ClusterView, type FencingAction, fencingActionOf, priorityDelayMs } from '../../controller/index.ts'
import type { Log } from '../host/log.ts'
import type { Planned } from '../planner/messages.ts'

export interface PeerFencing {
  readonly action: FencingAction
  readonly delayMs: number
}

interface PeerFencingPorts {
  readonly log: Log
  readonly view: () => ClusterView
  /** What the scheduler would do if the node were lost. */
  readonly planWithout: (lost: NodeName) => Promise<Planned>
}

/** `priority-fencing-delay` included; where the scheduler finds nothing to fence for, the plain option. */
export async function peerFencing(target: NodeName, ports: PeerFencingPorts): Promise<PeerFencing> {
  const { log, view, planWithout } = ports
  try {
    const { graph } = await planWithout(target)
    const found = graph.actions.find(
      (action) => action.kind === 'cluster' && action.operation === 'stonith' && action.node === target,
    )
    if (found) return { action: fencingActionOf(found), delayMs: priorityDelayMs(found) }
  } catch (error) {
    log.warn('how the silent node is to be fenced could not be computed: as the options say', { error })
  }
  const wanted = clusterOptionValue(view().configuration?.typed, 'fencing-action')
  return { action: wanted === 'off' || wanted === 'poweroff' ? 'off' : 'reboot', delayMs: 0 }
}
