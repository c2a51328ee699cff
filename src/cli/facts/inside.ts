/** What a name of a resource means: of a group, clone or bundle the resources in it. */
import { partsOf, primitivesIn, type Resource } from '../../status/index.ts'

/** The configured ids of its primitives, each once; none where there is no such resource. */
export function configuredIdsInside(all: readonly Resource[], name: string): readonly string[] {
  const named = (resource: Resource): readonly Resource[] =>
    [String(resource.id), String(resource.configuredId)].includes(name) ? [resource] : partsOf(resource).flatMap(named)
  const found = all.flatMap(named).flatMap(primitivesIn)
  return [...new Set(found.map(({ configuredId }) => String(configuredId)))]
}
