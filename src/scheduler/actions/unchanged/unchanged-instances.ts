/**
 * Of clones that are looked at, the instances that need not be. Interleaved clones concern each other node by node: where each of
 * them has its instance in place, nothing happens for what is the matter on another node. What the instances of such nodes do for
 * their clone is the same on all of these nodes, so those of one are looked at for all.
 *
 * | an instance may be left out while its clone | because otherwise                                    |
 * | ------------------------------------------- | ---------------------------------------------------- |
 * | is anonymous and not promotable             | each instance is itself, or one is chosen among them |
 * | is neither ordered nor notified             | each instance has to do with all the others          |
 * | is related to clones of this kind only, by orders of pairs that are interleaved on both sides, and not kept apart | what happens to it may concern the whole of another |
 */
import type { NodeName } from '../../../base/index.ts'
import type { OrderConstraint } from '../../../cib/index.ts'
import type { Instance } from '../draft/pairing.ts'
import {
  type PlannedClone,
  type PlannedPrimitive,
  type PlannedResource,
  primitivesOf,
} from '../draft/planned-resource.ts'
import { nodeNamed, type Setting } from '../draft/setting.ts'
import type { KnownInstances } from '../probes/probe-need.ts'
import { isOrderWithoutEffect, orderedResources } from './order-without-effect.ts'
import { addRelated, outermost, type RelatedSets } from './related.ts'
import { isInPlace, isProbedOn } from './unchanged.ts'

type OnNodes = ReadonlyMap<NodeName, Instance>

export function unchangedInstances(
  setting: Setting,
  affected: ReadonlySet<PlannedResource>,
  relatedSets: RelatedSets,
): ReadonlyMap<PlannedClone, OnNodes> {
  const leftOut = new Map<PlannedClone, OnNodes>()
  const concernedAsWhole = wholes(setting, affected, relatedSets)
  const seen = new Set<PlannedResource>()
  const known: KnownInstances = new Map()
  for (const rsc of affected) {
    if (rsc.kind !== 'clone' || concernedAsWhole.has(rsc) || seen.has(rsc)) continue
    const together = new Set<PlannedResource>([rsc])
    addRelated(together, relatedSets)
    const clones = [...together].filter((one) => one.kind === 'clone')
    const places = clones.map((clone) => inPlaceByNode(setting, clone, known))
    const [, ...others] = nodesOfAll(places)
    clones.forEach((clone, index) => {
      seen.add(clone)
      if (others.length === 0) return
      const inPlace = places[index]
      leftOut.set(clone, new Map(others.flatMap((node) => entryOf(inPlace, node))))
    })
  }
  return leftOut
}

const entryOf = (inPlace: OnNodes | undefined, node: NodeName): readonly (readonly [NodeName, Instance])[] => {
  const instance = inPlace?.get(node)
  return instance ? [[node, instance]] : []
}

const nodesOfAll = ([first, ...others]: readonly OnNodes[]): readonly NodeName[] =>
  [...(first?.keys() ?? [])].filter((node) => others.every((other) => other.has(node)))

/** What has to be looked at with all of its instances: what cannot be taken apart, and whatever is related to that. */
function wholes(
  setting: Setting,
  affected: ReadonlySet<PlannedResource>,
  relatedSets: RelatedSets,
): ReadonlySet<PlannedResource> {
  const found = new Set<PlannedResource>([...affected].filter((rsc) => !isAlikeEverywhere(rsc)))
  for (const constraint of setting.status.configuration.constraints) {
    if (constraint.kind !== 'order' || isNodeByNode(setting, constraint)) continue
    for (const rsc of orderedResources(setting, constraint)) found.add(outermost(rsc))
  }
  for (const { dependent, primary, score } of setting.assignment.colocations) {
    if (score >= 0) continue
    for (const id of [dependent, primary]) {
      const rsc = setting.tree.byId.get(id)
      if (rsc) found.add(outermost(rsc))
    }
  }
  addRelated(found, relatedSets)
  return found
}

function isAlikeEverywhere(rsc: PlannedResource): rsc is PlannedClone {
  if (rsc.kind !== 'clone') return false
  const { unique, promotable, ordered, notify, cloneMin } = rsc.resource
  return !unique && !promotable && !ordered && !notify && cloneMin === 0
}

function isNodeByNode(setting: Setting, constraint: OrderConstraint): boolean {
  if (constraint.between.by !== 'pair' || constraint.orderKind === 'Serialize') return false
  if (!isOrderWithoutEffect(setting, constraint)) return false
  return orderedResources(setting, constraint).every((rsc) => rsc.kind === 'clone' && rsc.resource.interleave)
}

/** Nodes on which a clone has one instance, which stays there as it is. */
function inPlaceByNode(setting: Setting, clone: PlannedClone, known: KnownInstances): OnNodes {
  const found = new Map<NodeName, Instance>()
  const concerned = new Set<NodeName>()
  for (const instance of clone.instances) {
    const primitives = primitivesOf(instance)
    const nodes = new Set(
      primitives.flatMap(({ assigned, resource }) => [
        ...resource.state.active.map(({ node }) => node),
        ...(assigned.node === undefined ? [] : [assigned.node]),
      ]),
    )
    const [only] = nodes
    const isHere = nodes.size === 1 && primitives.every((primitive) => isOnlyHere(setting, primitive))
    for (const name of nodes) {
      if (concerned.has(name)) found.delete(name)
      else if (isHere && only !== undefined) found.set(name, instance)
      concerned.add(name)
    }
  }
  for (const name of found.keys()) {
    if (isProbedOn(setting, clone, { node: nodeNamed(setting, name), known })) found.delete(name)
  }
  return found
}

/** What it knows of other nodes, other instances need not find out. */
const isOnlyHere = (setting: Setting, rsc: PlannedPrimitive): boolean =>
  rsc.resource.state.knownOn.size === 1 && isInPlace(setting, rsc)
