/** The status of a world's CIB, and what several commands ask of it. */
import { readConfiguration, type XmlElement } from '../../cib/index.ts'
import {
  type ClusterStatus,
  type PrimitiveResource,
  partsOf,
  primitivesIn,
  type Resource,
  readStatus,
} from '../../status/index.ts'
import type { ToolWorld } from '../world.ts'

export function statusOf(world: ToolWorld, cib: XmlElement = world.cib()): ClusterStatus {
  return readStatus({ cib, configuration: readConfiguration(cib), now: world.now() })
}

/** Instances of anonymous clones are shown without their number, which agents look for. */
export function shownId({ id, configuredId, instance }: PrimitiveResource): string {
  return instance !== undefined && !instance.unique ? configuredId : id
}

export function agentText({ agent }: PrimitiveResource): string {
  return [agent.class, ...(agent.provider === undefined ? [] : [agent.provider]), agent.type].join(':')
}

/** A resource by any of its names: top level, member, instance, or the primitive inside a clone. */
export function findStatus(status: ClusterStatus, id: string): readonly PrimitiveResource[] {
  const visit = (resource: Resource): readonly PrimitiveResource[] => {
    if (resource.id === id || resource.configuredId === id) return primitivesIn(resource)
    return partsOf(resource).flatMap(visit)
  }
  return status.resources.flatMap(visit)
}
