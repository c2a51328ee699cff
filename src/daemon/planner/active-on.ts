/** Which resources a load balancer may send its clients to on a node. */
import type { NodeName } from '../../base/index.ts'
import { type ClusterStatus, partsOf, type Resource } from '../../status/index.ts'

type Here = 'active' | 'promoted'

/** By every id: an instance's own, and the one in the configuration. A group is active where all of its members are, a clone or bundle where an instance is. */
export function activeOn(node: NodeName, status: ClusterStatus): ReadonlyMap<string, Here> {
  const here = new Map<string, Here>()
  const note = (resource: Resource): Here | undefined => {
    const found =
      resource.kind === 'primitive' ? primitiveOn(resource, node) : together(resource, partsOf(resource).map(note))
    if (found !== undefined)
      for (const id of [resource.id, resource.configuredId]) if (here.get(id) !== 'promoted') here.set(id, found)
    return found
  }
  for (const resource of status.resources) note(resource)
  return here
}

function primitiveOn({ state }: Extract<Resource, { kind: 'primitive' }>, node: NodeName): Here | undefined {
  const place = state.active.find((one) => one.node === node)
  if (place === undefined || state.failed) return undefined
  return place.role === 'Promoted' ? 'promoted' : 'active'
}

function together({ kind }: Resource, parts: readonly (Here | undefined)[]): Here | undefined {
  if (parts.length === 0) return undefined
  if (kind === 'group' && parts.includes(undefined)) return undefined
  return parts.includes('promoted') ? 'promoted' : parts.find((part) => part !== undefined)
}
