/** Whether a change takes the last enabled fence device: then nobody recovers what a lost node ran. */
import type { XmlElement } from '../../cib/index.ts'
import type { Call } from '../call/command.ts'
import { statusOf } from '../facts/status-view.ts'

/** One sentence where the cluster could fence nodes before the change and cannot after it; fencing that is switched off is not missed. */
export function takesLastFencing(call: Call, before: XmlElement, after: XmlElement): readonly string[] {
  if (!fences(call, before) || fences(call, after) || !statusOf(call, after).options.fencingEnabled) return []
  return [
    'The cluster would have no enabled fence device and could not recover the resources of a lost node until an administrator confirms that the node is off.',
  ]
}

function fences(call: Call, cib: XmlElement): boolean {
  const { options, primitivesById } = statusOf(call, cib)
  const devices = [...primitivesById.values()].filter(({ agent, orphan }) => agent.class === 'stonith' && !orphan)
  return options.haveWatchdog || devices.some(({ meta }) => meta.targetRole !== 'Stopped')
}
