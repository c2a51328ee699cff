/**
 * What a node has to say of operations that did well, such as an agent whose metadata cannot be used. It stands in the
 * record of the operation, and counts while the resource is active there.
 */
import type { NodeName, ResourceId } from '../base/index.ts'
import { remarkAttribute } from '../cib/index.ts'
import type { PrimitiveResource, Resource } from './cluster-status.ts'
import { partsOf } from './parts.ts'

export interface Remark {
  readonly resource: ResourceId
  readonly node: NodeName
  readonly text: string
}

/** Of a resource with everything in it. */
export function remarksOn(resource: Resource): readonly Remark[] {
  return resource.kind === 'primitive' ? remarksOnPrimitive(resource) : partsOf(resource).flatMap(remarksOn)
}

function remarksOnPrimitive({ id, state }: PrimitiveResource): readonly Remark[] {
  return state.active.flatMap(({ node }) => {
    const texts = (state.history.get(node) ?? []).flatMap(({ attributes }) => attributes[remarkAttribute] ?? [])
    return [...new Set(texts)].map((text) => ({ resource: id, node, text }))
  })
}
