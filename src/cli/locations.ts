/** Where a resource runs, by the CIB. */
import { readConfiguration, type XmlElement } from '../cib/index.ts'
import { type Resource, readStatus } from '../status/index.ts'
import { utcOffsetAt } from './host-time.ts'

/** The nodes on which a resource, or any part of it, is active. */
export function resourceLocations(cib: XmlElement, id: string, now: Date): readonly string[] {
  const status = readStatus({
    cib,
    configuration: readConfiguration(cib),
    now: Math.floor(now.getTime() / 1000),
    utcOffsetAt,
  })
  const nodes = status.resources.flatMap((resource) => matching(resource, id)).flatMap(activeOn)
  return [...new Set(nodes)]
}

function matching(resource: Resource, id: string): readonly Resource[] {
  if (resource.id === id || resource.configuredId === id) return [resource]
  return parts(resource).flatMap((part) => matching(part, id))
}

function activeOn(resource: Resource): readonly string[] {
  if (resource.kind === 'primitive') return resource.state.active.map(({ node }) => node)
  return parts(resource).flatMap(activeOn)
}

function parts(resource: Resource): readonly Resource[] {
  switch (resource.kind) {
    case 'primitive':
      return []
    case 'group':
      return resource.members
    case 'clone':
      return resource.instances
    case 'bundle':
      return resource.replicas.flatMap(({ ip, container, remote, child }) =>
        [ip, container, remote, child].flatMap((part) => part ?? []),
      )
  }
}
