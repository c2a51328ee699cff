/** The resources of the status as the tree that they are: what an id names, what is below it, and what is above. */
import type { ResourceId } from '../../base/index.ts'
import type { ClusterStatus, NodeStatus, PrimitiveResource, Resource } from '../../status/index.ts'

/** The primitives at or below the resource that an id names, instances and configured names alike. */
export function primitivesNamed(resources: readonly Resource[], id: string): readonly PrimitiveResource[] {
  return resources.flatMap((resource) => {
    if (resource.id === id || resource.configuredId === id) return primitivesOf(resource)
    return primitivesNamed(
      partsOf(resource).filter((part) => part !== resource),
      id,
    )
  })
}

export function primitivesOf(resource: Resource): readonly PrimitiveResource[] {
  return resource.kind === 'primitive' ? [resource] : partsOf(resource).flatMap(primitivesOf)
}

/** The nodes that come into question at all: of what is bundled its own replica, of everything else whatever is no replica. */
export function thinkableNodes({ resources, nodes }: ClusterStatus, id: ResourceId): readonly NodeStatus[] {
  for (const resource of resources) {
    if (resource.kind !== 'bundle') continue
    const own = resource.replicas.find(({ child }) => child?.id === id)
    if (own) return nodes.filter(({ name }) => name === own.node)
  }
  return nodes.filter(({ isBundleNode }) => !isBundleNode)
}

/** The ids by which constraints may mean a primitive: its own first, then those of what it is part of. */
export function namesAbove(resources: readonly Resource[], id: ResourceId): readonly ResourceId[] {
  for (const resource of resources) {
    const own = resource.id === resource.configuredId ? [resource.id] : [resource.id, resource.configuredId]
    if (resource.kind === 'primitive') {
      if (resource.id === id) return own
      continue
    }
    const below = namesAbove(partsOf(resource), id)
    if (below.length > 0) return [...below, ...own]
  }
  return []
}

/** Of a replica the container first: where that is decides of the others. */
function partsOf(resource: Resource): readonly Resource[] {
  switch (resource.kind) {
    case 'primitive':
      return [resource]
    case 'group':
      return resource.members
    case 'clone':
      return resource.instances
    case 'bundle':
      return resource.replicas.flatMap(({ container, ip, remote, child }) =>
        [container, ip, remote, child].filter((part) => part !== undefined),
      )
  }
}
