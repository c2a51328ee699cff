/** Where a resource runs, by the CIB. */
import { readConfiguration, type XmlElement } from '../cib/index.ts'
import { partsOf, type Resource, readStatus } from '../status/index.ts'
import { secondsOf, utcOffsetAt } from './host-time.ts'

/** The nodes on which a resource, or any part of it, is active. */
export function resourceLocations(cib: XmlElement, id: string, now: Date): readonly string[] {
  const status = readStatus({
    cib,
    configuration: readConfiguration(cib),
    now: secondsOf(now),
    utcOffsetAt,
  })
  const nodes = status.resources.flatMap((resource) => matching(resource, id)).flatMap(activeOn)
  return [...new Set(nodes)]
}

function matching(resource: Resource, id: string): readonly Resource[] {
  if (resource.id === id || resource.configuredId === id) return [resource]
  return partsOf(resource).flatMap((part) => matching(part, id))
}

function activeOn(resource: Resource): readonly string[] {
  if (resource.kind === 'primitive') return resource.state.active.map(({ node }) => node)
  return partsOf(resource).flatMap(activeOn)
}
