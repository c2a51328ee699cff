import type { ResourceId } from '../base/index.ts'
import type { Configuration, PrimitiveDefinition, ResourceDefinition } from './configuration.ts'

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

/** All of them, in the order of the configuration. */
export function configuredPrimitives({ resources }: Pick<Configuration, 'resources'>): readonly PrimitiveDefinition[] {
  return resources.flatMap(primitiveDefinitions)
}

/** A resource with all that is around it, the outermost first; nothing where there is no such resource. */
export function definitionsAround(
  { resources }: Pick<Configuration, 'resources'>,
  id: string,
): readonly ResourceDefinition[] {
  return pathTo(resources, id) ?? []
}

/** The resource of the configuration's top level in which it is. */
export function topLevelOf(configuration: Pick<Configuration, 'resources'>, id: string): ResourceId | undefined {
  return definitionsAround(configuration, id)[0]?.id
}

function pathTo(definitions: readonly ResourceDefinition[], id: string): readonly ResourceDefinition[] | undefined {
  for (const definition of definitions) {
    if (definition.id === id) return [definition]
    const below = pathTo(childrenOf(definition), id)
    if (below !== undefined) return [definition, ...below]
  }
  return undefined
}

/** What stands directly in a group, clone or bundle. */
export function childrenOf(definition: ResourceDefinition): readonly ResourceDefinition[] {
  switch (definition.kind) {
    case 'primitive':
      return []
    case 'group':
      return definition.members
    case 'clone':
      return [definition.child]
    case 'bundle':
      return definition.child === undefined ? [] : [definition.child]
  }
}

/** What an id in a constraint stands for: itself, the primitives that are made from it where it is a template, and the members of a tag. */
export function resourcesNamedBy(id: string, configuration: Configuration | undefined): readonly string[] {
  const { resources = [], tags = [] } = configuration ?? {}
  const made = configuredPrimitives({ resources }).filter(({ template }) => template === id)
  const tagged = tags.filter((tag) => tag.id === id).flatMap(({ members }) => members)
  return [id, ...made.map((primitive) => primitive.id), ...tagged]
}
