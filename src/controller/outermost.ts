import { type Configuration, primitiveDefinitions, type ResourceDefinition } from '../cib/index.ts'

/**
 * The group, clone or bundle that a resource or an instance is part of in the end, or the resource itself. The parts of a bundle that
 * nobody configures carry its name (`web-bundle-podman-0`, `web-bundle-ip-192.0.2.1`, `web-bundle-0`).
 */
export type OutermostOf = (resource: string) => string

export function outermostResources(configuration: Configuration | undefined): OutermostOf {
  const resources = configuration?.resources ?? []
  const outermost = new Map(resources.flatMap((top) => idsBelow(top).map((id) => [id, top.id])))
  const bundles = resources.filter(({ kind }) => kind === 'bundle')
  return (resource) => {
    const id = resource.replace(/:\d+$/, '')
    return outermost.get(id) ?? bundles.find((bundle) => id.startsWith(`${bundle.id}-`))?.id ?? id
  }
}

function idsBelow(top: ResourceDefinition): readonly string[] {
  const primitives = primitiveDefinitions(top).map(({ id }) => id)
  return top.kind === 'clone' ? [top.child.id, ...primitives] : primitives
}
