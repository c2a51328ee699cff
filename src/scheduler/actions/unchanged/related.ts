/** What has to do with what: resources of one constraint, what runs in a container, and what is on a node with its connection. */

import { type PlannedPrimitive, type PlannedResource, topOf } from '../draft/planned-resource.ts'
import { nodeNamed, primitiveNamed, type Setting } from '../draft/setting.ts'
import { orderedResources } from './order-without-effect.ts'

/** Resources that concern each other, each with everything around it. */
type RelatedSet = readonly PlannedResource[]

export type RelatedSets = ReadonlyMap<PlannedResource, readonly RelatedSet[]>

function relatedSetsIn(setting: Setting): readonly RelatedSet[] {
  const { assignment, status, tree } = setting
  const sets: RelatedSet[] = []
  for (const constraint of status.configuration.constraints) {
    if (constraint.kind === 'order') sets.push(orderedResources(setting, constraint).map(outermost))
  }
  for (const { dependent, primary } of assignment.colocations) {
    sets.push([dependent, primary].flatMap((id) => tree.byId.get(id) ?? []).map(outermost))
  }
  for (const rsc of tree.primitives) for (const other of neededBy(setting, rsc)) sets.push([rsc, other].map(outermost))
  return sets
}

/** Those that each resource has. */
export function relatedSetsByResource(setting: Setting): RelatedSets {
  const relatedSets = new Map<PlannedResource, RelatedSet[]>()
  for (const set of relatedSetsIn(setting)) {
    for (const rsc of set) {
      const known = relatedSets.get(rsc)
      if (known) known.push(set)
      else relatedSets.set(rsc, [set])
    }
  }
  return relatedSets
}

/** Adds whatever is related to the resources, and to that, and so on. */
export function addRelated(resources: Set<PlannedResource>, relatedSets: RelatedSets): void {
  // What is added to a set while it is walked is walked as well.
  for (const rsc of resources)
    for (const set of relatedSets.get(rsc) ?? []) for (const other of set) resources.add(other)
}

export const outermost = (rsc: PlannedResource): PlannedResource => topOf(rsc, { throughBundles: true })

/** Its container, and the connections to the nodes where it is or shall be. */
function neededBy(setting: Setting, rsc: PlannedPrimitive): readonly PlannedPrimitive[] {
  const found = rsc.container ? [rsc.container] : []
  const { active } = rsc.resource.state
  for (const name of [
    ...active.map(({ node }) => node),
    ...(rsc.assigned.node === undefined ? [] : [rsc.assigned.node]),
  ]) {
    const connection = primitiveNamed(setting, nodeNamed(setting, name).connection)
    if (connection) found.push(connection)
  }
  return found
}
