/**
 * Of clones that are looked at, the instances that need not be. Interleaved clones concern each other node by node: where each of
 * them has its instance in place, nothing happens for what is the matter on another node. What the instances of such nodes do for
 * their clone is the same on all of these nodes, so those of one are looked at for all.
 *
 * | an instance may be left out while its clone | because otherwise                                    |
 * | ------------------------------------------- | ---------------------------------------------------- |
 * | is anonymous and not promotable             | each instance is itself, or one is chosen among them |
 * | is neither ordered nor notified             | each instance has to do with all the others          |
 * | is tied to clones of this kind only, by orders of pairs that are interleaved on both sides, and not kept apart | what happens to it may concern the whole of another |
 */
import type { NodeName } from '../../../base/index.ts'
import type { OrderConstraint } from '../../../cib/index.ts'
import type { Instance } from '../draft/pairing.ts'
import { nodeNamed, type Setting } from '../draft/setting.ts'
import { type CloneUnit, type PrimitiveUnit, primitivesOf, type Unit } from '../draft/unit.ts'
import type { KnownInstances } from '../probes/probe-need.ts'
import { isInPlace, isProbedOn } from './at-rest.ts'
import { isOrderAtRest, orderedUnits } from './order-at-rest.ts'
import { addTied, outermost, type TiesOf } from './ties.ts'

type OnNodes = ReadonlyMap<NodeName, Instance>

export function instancesAtRest(
  setting: Setting,
  awake: ReadonlySet<Unit>,
  tiesOf: TiesOf,
): ReadonlyMap<CloneUnit, OnNodes> {
  const leftOut = new Map<CloneUnit, OnNodes>()
  const concernedAsWhole = wholes(setting, awake, tiesOf)
  const seen = new Set<Unit>()
  const known: KnownInstances = new Map()
  for (const unit of awake) {
    if (unit.kind !== 'clone' || concernedAsWhole.has(unit) || seen.has(unit)) continue
    const together = new Set<Unit>([unit])
    addTied(together, tiesOf)
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

/** What has to be looked at with all of its instances: what cannot be taken apart, and whatever is tied to that. */
function wholes(setting: Setting, awake: ReadonlySet<Unit>, tiesOf: TiesOf): ReadonlySet<Unit> {
  const found = new Set<Unit>([...awake].filter((unit) => !isAlikeEverywhere(unit)))
  for (const constraint of setting.status.configuration.constraints) {
    if (constraint.kind !== 'order' || isNodeByNode(setting, constraint)) continue
    for (const unit of orderedUnits(setting, constraint)) found.add(outermost(unit))
  }
  for (const { dependent, primary, score } of setting.assignment.colocations) {
    if (score >= 0) continue
    for (const id of [dependent, primary]) {
      const unit = setting.tree.byId.get(id)
      if (unit) found.add(outermost(unit))
    }
  }
  addTied(found, tiesOf)
  return found
}

function isAlikeEverywhere(unit: Unit): unit is CloneUnit {
  if (unit.kind !== 'clone') return false
  const { unique, promotable, ordered, notify, cloneMin } = unit.resource
  return !unique && !promotable && !ordered && !notify && cloneMin === 0
}

function isNodeByNode(setting: Setting, constraint: OrderConstraint): boolean {
  if (constraint.between.by !== 'pair' || constraint.orderKind === 'Serialize') return false
  if (!isOrderAtRest(setting, constraint)) return false
  return orderedUnits(setting, constraint).every((unit) => unit.kind === 'clone' && unit.resource.interleave)
}

/** Nodes on which a clone has one instance, which stays there as it is. */
function inPlaceByNode(setting: Setting, clone: CloneUnit, known: KnownInstances): OnNodes {
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
const isOnlyHere = (setting: Setting, unit: PrimitiveUnit): boolean =>
  unit.resource.state.knownOn.size === 1 && isInPlace(setting, unit)
