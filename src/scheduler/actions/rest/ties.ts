/** What has to do with what: resources of one constraint, what runs in a container, and what is on a node with its connection. */
import { nodeNamed, primitiveNamed, type Setting } from '../draft/setting.ts'
import { type PrimitiveUnit, topOf, type Unit } from '../draft/unit.ts'
import { orderedUnits } from './order-at-rest.ts'

/** Resources that concern each other, each with everything around it. */
type Tie = readonly Unit[]

export type TiesOf = ReadonlyMap<Unit, readonly Tie[]>

function tiesIn(setting: Setting): readonly Tie[] {
  const { assignment, status, tree } = setting
  const ties: Tie[] = []
  for (const constraint of status.configuration.constraints) {
    if (constraint.kind === 'order') ties.push(orderedUnits(setting, constraint).map(outermost))
  }
  for (const { dependent, primary } of assignment.colocations) {
    ties.push([dependent, primary].flatMap((id) => tree.byId.get(id) ?? []).map(outermost))
  }
  for (const unit of tree.primitives)
    for (const other of neededBy(setting, unit)) ties.push([unit, other].map(outermost))
  return ties
}

/** Those that each resource has. */
export function tiesByUnit(setting: Setting): TiesOf {
  const tiesOf = new Map<Unit, Tie[]>()
  for (const tie of tiesIn(setting)) {
    for (const unit of tie) {
      const known = tiesOf.get(unit)
      if (known) known.push(tie)
      else tiesOf.set(unit, [tie])
    }
  }
  return tiesOf
}

/** Adds whatever is tied to the units, and to that, and so on. */
export function addTied(units: Set<Unit>, tiesOf: TiesOf): void {
  // What is added to a set while it is walked is walked as well.
  for (const unit of units) for (const tie of tiesOf.get(unit) ?? []) for (const other of tie) units.add(other)
}

export const outermost = (unit: Unit): Unit => topOf(unit, { throughBundles: true })

/** Its container, and the connections to the nodes where it is or shall be. */
function neededBy(setting: Setting, unit: PrimitiveUnit): readonly PrimitiveUnit[] {
  const found = unit.container ? [unit.container] : []
  const { active } = unit.resource.state
  for (const name of [
    ...active.map(({ node }) => node),
    ...(unit.assigned.node === undefined ? [] : [unit.assigned.node]),
  ]) {
    const connection = primitiveNamed(setting, nodeNamed(setting, name).connection)
    if (connection) found.push(connection)
  }
  return found
}
