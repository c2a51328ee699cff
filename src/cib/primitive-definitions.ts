import type { PrimitiveDefinition, ResourceDefinition } from './configuration.ts'

/** The primitives that are configured at or below a resource. */
export function primitiveDefinitions(resource: ResourceDefinition): readonly PrimitiveDefinition[] {
  switch (resource.kind) {
    case 'primitive':
      return [resource]
    case 'group':
      return resource.members
    case 'clone':
      return primitiveDefinitions(resource.child)
    case 'bundle':
      return resource.child === undefined ? [] : [resource.child]
  }
}
