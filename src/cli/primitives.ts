import type { Configuration, PrimitiveDefinition, ResourceDefinition } from '../cib/index.ts'

/** The primitives of a configuration, those within groups, clones and bundles included. */
export function primitivesOf({ resources }: Pick<Configuration, 'resources'>): readonly PrimitiveDefinition[] {
  const within = (resource: ResourceDefinition | undefined): readonly PrimitiveDefinition[] => {
    if (resource === undefined) return []
    if (resource.kind === 'primitive') return [resource]
    return resource.kind === 'group' ? resource.members : within(resource.child)
  }
  return resources.flatMap(within)
}
