/** Where a resource runs, by the CIB. */
import { utcOffsetAt } from '../../base/index.ts'
import type { XmlElement } from '../../cib/index.ts'
import { partsOf, type Resource, statusOfCib } from '../../status/index.ts'
import { secondsOf } from '../host/host-time.ts'

/** The nodes on which a resource, or any part of it, is active. */
export function resourceLocations(cib: XmlElement, id: string, now: Date): readonly string[] {
  return locations(cib, id, now, activeOn)
}

/** The nodes on which it is promoted. */
export function promotedLocations(cib: XmlElement, id: string, now: Date): readonly string[] {
  return locations(cib, id, now, promotedOn)
}

function locations(
  cib: XmlElement,
  id: string,
  now: Date,
  nodesOf: (resource: Resource) => readonly string[],
): readonly string[] {
  const status = statusOfCib({ cib, now: secondsOf(now), utcOffsetAt })
  const nodes = status.resources.flatMap((resource) => matching(resource, id)).flatMap(nodesOf)
  return [...new Set(nodes)]
}

function matching(resource: Resource, id: string): readonly Resource[] {
  if (resource.id === id || resource.configuredId === id) return [resource]
  return partsOf(resource).flatMap((part) => matching(part, id))
}

function promotedOn(resource: Resource): readonly string[] {
  if (resource.kind !== 'primitive') return partsOf(resource).flatMap(promotedOn)
  return resource.state.active.flatMap(({ node, role }) => (role === 'Promoted' ? [node] : []))
}

function activeOn(resource: Resource): readonly string[] {
  if (resource.kind === 'primitive') return resource.state.active.map(({ node }) => node)
  return partsOf(resource).flatMap(activeOn)
}
