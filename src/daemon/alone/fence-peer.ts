/** How the survivor of two fences the other: as the DC would, with its own devices. */
import { randomUUID } from 'node:crypto'
import { type NodeName, parseDurationMs } from '../../base/index.ts'
import { clusterOptionValue } from '../../cib/index.ts'
import { type ClusterView, fencingActionOf, priorityDelayMs } from '../../controller/index.ts'
import type { Announcement } from '../../fencing/index.ts'
import type { LoneDemand } from '../fencing/lone-fencer.ts'
import type { Log } from '../host/log.ts'
import type { Planned } from '../planner/messages.ts'

export interface FencePeerPorts {
  readonly log: Log
  readonly view: () => ClusterView
  /** With this node's own devices, and records in the journal. */
  readonly fence: (asked: Omit<LoneDemand, 'attributes'>) => Promise<Announcement>
  /** Before anything was done to the peer; otherwise it goes on. */
  readonly withdrawFencing: (id: string) => void
  /** What the scheduler would do if the node were lost. */
  readonly planWithout: (lost: NodeName) => Promise<Planned>
}

const defaultTimeoutMs = 60_000

export async function fencePeer(
  target: NodeName,
  ports: FencePeerPorts,
  /** The peer is heard again. */
  heardAgain: AbortSignal,
): Promise<{ readonly succeeded: boolean; readonly message: string }> {
  const { action, delayMs } = await wish(target, ports)
  if (heardAgain.aborted) return { succeeded: false, message: `${target} is heard again.` }
  const id = `alone-${randomUUID()}`
  heardAgain.addEventListener('abort', () => ports.withdrawFencing(id), { once: true })
  const timeout = parseDurationMs(clusterOptionValue(ports.view().configuration?.typed, 'fencing-timeout'))
  const { outcome, message } = await ports.fence({
    id,
    target,
    action,
    timeoutMs: timeout ?? defaultTimeoutMs,
    delayMs,
    reason: 'it is silent, and the survivor of two must be the only one',
  })
  return { succeeded: outcome === 'succeeded', message }
}

/** `priority-fencing-delay` included; where the scheduler finds nothing to fence for, the plain option. */
async function wish(target: NodeName, ports: FencePeerPorts): Promise<Pick<LoneDemand, 'action' | 'delayMs'>> {
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
