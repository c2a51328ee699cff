/** What a resource is made of. */
import type { BundleResource, PrimitiveResource, Resource } from './cluster-status.ts'

/** The members of a group, the instances of a clone, what each replica of a bundle holds; nothing for a primitive. */
export function partsOf(resource: Resource): readonly Resource[] {
  switch (resource.kind) {
    case 'primitive':
      return []
    case 'group':
      return resource.members
    case 'clone':
      return resource.instances
    case 'bundle':
      return resource.replicas.flatMap(replicaParts)
  }
}

/** In the order in which they are told. */
export function replicaParts({
  ip,
  child,
  container,
  remote,
}: BundleResource['replicas'][number]): readonly PrimitiveResource[] {
  return [ip, child, container, remote].flatMap((part) => part ?? [])
}

/** Instances of clones included; a primitive is its own. */
export function primitivesIn(resource: Resource): readonly PrimitiveResource[] {
  return resource.kind === 'primitive' ? [resource] : partsOf(resource).flatMap(primitivesIn)
}
