/** Whether a probe has to find out if a resource is active on a node, and which instance of an anonymous clone is asked for all. */
import type { NodeName } from '../../../base/index.ts'
import type { NodeStatus } from '../../../status/index.ts'
import {
  isFenceDevice,
  type PlannedClone,
  type PlannedGroup,
  type PlannedPrimitive,
  primitivesOf,
} from '../draft/planned-resource.ts'
import type { Setting } from '../draft/setting.ts'

export function isProbeNeeded(setting: Setting, rsc: PlannedPrimitive, node: NodeStatus): boolean {
  const { resource, assigned } = rsc
  if (!setting.status.options.enableStartupProbes) return false
  if (node.kind !== 'member' && !canHost(setting, rsc, node)) return false
  // What runs in a container is probed by what is in the container.
  if (rsc.container && resource.connectionOf === undefined && rsc.replica?.as !== 'ip') return false
  if (resource.orphan || resource.state.knownOn.has(node.name)) return false
  const discovery = assigned.discoveryOn(node.name)
  // Only a constraint that allows nothing else looks for what is not the bundle's own on the bundle's node.
  if (node.isBundleNode && rsc.replica?.as !== 'child' && discovery !== 'exclusive') return false
  if (assigned.exclusiveDiscovery) {
    if (assigned.scoreOn(node.name) === undefined || discovery !== 'exclusive') return false
  }
  return discovery !== 'never'
}

function canHost(setting: Setting, rsc: PlannedPrimitive, node: NodeStatus): boolean {
  if (isFenceDevice(rsc) || rsc.resource.connectionOf !== undefined) return false
  return !(node.kind === 'guest' && setting.nodeList.some(({ container }) => container === rsc.id))
}

/** Of each clone, the first instance that a node's history tells of; made when a clone is first asked about. */
export type KnownInstances = Map<PlannedClone, ReadonlyMap<NodeName, PlannedPrimitive | PlannedGroup>>

export interface Asked {
  readonly node: NodeStatus
  readonly known: KnownInstances
}

/** Instances of an anonymous clone are alike, so one of them is asked for all. */
export function askedForAll(
  { pairing }: Setting,
  clone: PlannedClone,
  { node: { name }, known }: Asked,
): PlannedPrimitive | PlannedGroup | undefined {
  return knownInstances(clone, known).get(name) ?? pairing.byNode(clone, 'up').get(name) ?? clone.instances[0]
}

function knownInstances(
  clone: PlannedClone,
  known: KnownInstances,
): ReadonlyMap<NodeName, PlannedPrimitive | PlannedGroup> {
  const found = known.get(clone)
  if (found) return found
  const byNode = new Map<NodeName, PlannedPrimitive | PlannedGroup>()
  for (const instance of clone.instances) {
    for (const { resource } of primitivesOf(instance)) {
      for (const name of resource.state.knownOn) if (!byNode.has(name)) byNode.set(name, instance)
    }
  }
  known.set(clone, byNode)
  return byNode
}
