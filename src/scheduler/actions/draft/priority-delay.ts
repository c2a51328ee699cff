/**
 * `priority-fencing-delay`: a lost node that runs what matters most is fenced later by a part of the cluster that is no
 * majority, so that of two nodes which fence each other the more important one wins (Pacemaker Explained, "Cluster Options").
 * A node matters as much as the priorities of what is active on it add up to; a promoted instance with a priority counts one more.
 */
import type { NodeName } from '../../../base/index.ts'
import { type NodeStatus, primitivesIn } from '../../../status/index.ts'
import { hostsOf, nodeNamed, type Setting } from './setting.ts'

/** 0 where the other node has no right to live longer. */
export function priorityDelayMs(setting: Setting, target: NodeStatus): number {
  const { priorityFencingDelayMs } = setting.status.options
  if (priorityFencingDelayMs === 0 || target.kind !== 'member' || target.online) return 0
  const members = setting.nodeList.filter(({ kind }) => kind === 'member')
  const online = members.filter((node) => node.online)
  if (online.length > members.length / 2) return 0
  const priorities = nodePriorities(setting)
  const all = members.map(({ name }) => priorities.get(name) ?? 0)
  const highest = Math.max(...all)
  if (Math.min(...all) === highest) return 0
  return (priorities.get(target.name) ?? 0) < highest ? 0 : priorityFencingDelayMs
}

function nodePriorities(setting: Setting): ReadonlyMap<NodeName, number> {
  const priorities = new Map<NodeName, number>()
  for (const { meta, state } of setting.status.resources.flatMap(primitivesIn)) {
    const { priority } = meta
    const { active, onFail } = state
    if (priority === 0) continue
    for (const { node, role } of active) {
      // What failed there is no reason to spare the node.
      if (onFail?.node === node) continue
      const counts = role === 'Promoted' ? priority + 1 : priority
      // What runs in a guest matters to the guest's host as well.
      for (const name of [node, ...hostsOf(setting, nodeNamed(setting, node)).map((host) => host.name)]) {
        priorities.set(name, (priorities.get(name) ?? 0) + counts)
      }
    }
  }
  return priorities
}
