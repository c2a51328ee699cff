/**
 * The resources that planning has to look at. What is at rest stays as it is unless something else changes that it has to do
 * with, so in a cluster where nothing is the matter nearly everything is left out: no action is drafted for it, none would be
 * needed. What is awake wakes whatever it is tied to; of clones that concern each other node by node, only the instances on the
 * nodes where something is the matter.
 *
 * | everything is looked at while                  | because                                                   |
 * | ---------------------------------------------- | --------------------------------------------------------- |
 * | a guest has to be fenced or may have to be     | where its container cannot be stopped, what starts on quorum alone cannot start, and what runs stops |
 * | nodes are unfenced, or what stopped is deleted | every stop has to do with another action                  |
 * | there is no quorum, but for its policy ignore  | nothing may start, so that what restarts elsewhere stops  |
 */
import type { NodeStatus } from '../../../status/index.ts'
import type { Setting } from '../draft/setting.ts'
import { limitedTo, type Unit, type UnitTree } from '../draft/unit.ts'
import { isAtRest, mayBeFenced } from './at-rest.ts'
import { instancesAtRest } from './instances-at-rest.ts'
import { isOrderAtRest, orderedUnits } from './order-at-rest.ts'
import { addTied, outermost, tiesByUnit } from './ties.ts'

export function awakeIn(setting: Setting): UnitTree {
  const { tree } = setting
  if (concernsAll(setting)) return tree
  const awake = new Set(tree.top.filter((unit) => !isAtRest(setting, unit)))
  const isFencing = setting.assignment.fencing.size > 0 || setting.nodeList.some(mayBeFenced)
  for (const constraint of setting.status.configuration.constraints) {
    if (constraint.kind !== 'order' || isOrderAtRest(setting, constraint)) continue
    for (const unit of orderedUnits(setting, constraint)) awake.add(outermost(unit))
  }
  if (awake.size === 0 && !isFencing) return limitedTo(tree, awake)
  const tiesOf = tiesByUnit(setting)
  addTied(awake, tiesOf)
  for (const unit of aroundNodes(setting)) awake.add(unit)
  const leftOut = instancesAtRest(setting, awake, tiesOf)
  return awake.size === tree.top.length && leftOut.size === 0 ? tree : limitedTo(tree, awake, leftOut)
}

function concernsAll({ status, assignment, nodeList }: Setting): boolean {
  const { options, unfencingEnabled, haveQuorum } = status
  const isLost = (node: NodeStatus): boolean => mayBeFenced(node) || assignment.fencing.has(node.name)
  if (nodeList.some((node) => node.kind === 'guest' && isLost(node))) return true
  if (unfencingEnabled || options.removeAfterStop) return true
  return !haveQuorum && options.noQuorumPolicy !== 'ignore'
}

/** What is done on a remote or guest node has to know of its connection and its container, whether they change or not. */
function aroundNodes({ nodeList, tree }: Setting): readonly Unit[] {
  return nodeList.flatMap(({ connection, container }) =>
    [connection, container].flatMap((id) => {
      const unit = id === undefined ? undefined : tree.byId.get(id)
      return unit ? [outermost(unit)] : []
    }),
  )
}
