/** The status of a world's CIB, and what several commands ask of it. */
import { utcOffsetAt } from '../base/index.ts'
import type { XmlElement } from '../cib/index.ts'
import {
  type ClusterStatus,
  type PrimitiveResource,
  partsOf,
  primitivesIn,
  type Resource,
  statusOfCib,
  type TicketStatus,
} from '../status/index.ts'
import type { ToolWorld } from './world.ts'

export function statusOf(world: Pick<ToolWorld, 'cib' | 'now'>, cib: XmlElement = world.cib()): ClusterStatus {
  const status = statusOfCib({ cib, now: world.now(), utcOffsetAt })
  // The most important first, as everywhere where resources are listed.
  return { ...status, resources: status.resources.toSorted((a, b) => b.meta.priority - a.meta.priority) }
}

/** Instances of anonymous clones are shown without their number, which agents look for. */
export function shownId({ id, configuredId, instance }: PrimitiveResource): string {
  return instance !== undefined && !instance.unique ? configuredId : id
}

export function agentText({ agent }: PrimitiveResource): string {
  return [agent.class, ...(agent.provider === undefined ? [] : [agent.provider]), agent.type].join(':')
}

/** A resource by any of its names: top level, member, instance, or every instance of what is inside a clone. */
export function findResources(status: ClusterStatus, id: string): readonly Resource[] {
  const visit = (resource: Resource): readonly Resource[] =>
    resource.id === id || resource.configuredId === id ? [resource] : partsOf(resource).flatMap(visit)
  return status.resources.flatMap(visit)
}

/** Whether a command's resource is there. Of a unique clone's instances there is none without its number. */
export function knowsResource(status: ClusterStatus, id: string): boolean {
  return findResources(status, id).some(
    (one) => one.id === id || one.kind !== 'primitive' || one.instance?.unique !== true,
  )
}

/** Of what is inside a clone, the first instance. */
export function findResource(status: ClusterStatus, id: string): Resource | undefined {
  return findResources(status, id)[0]
}

/** The primitives of a resource by any of its names. */
export function findStatus(status: ClusterStatus, id: string): readonly PrimitiveResource[] {
  return findResources(status, id).flatMap(primitivesIn)
}

/** The resource of the configuration's top level in which it is. */
export function topOf(status: ClusterStatus, resource: Resource): Resource {
  const holds = (one: Resource): boolean => one === resource || partsOf(one).some(holds)
  return status.resources.find(holds) ?? resource
}

/** Tickets that have a state, and those that only constraints name: nobody has granted them yet. */
export function knownTickets({ tickets, configuration }: ClusterStatus): readonly TicketStatus[] {
  const named = configuration.constraints.flatMap((one) => (one.kind === 'ticket' ? one.ticket : []))
  const others = [...new Set(named.map(String))].filter((id) => !tickets.some((ticket) => ticket.id === id))
  return [...tickets, ...others.map((id) => ({ id, granted: false, standby: false, attributes: new Map() }))]
}
