/**
 * The resources that planning has to look at. What is at rest stays as it is unless something else changes that it has to do
 * with, so in a cluster where nothing is the matter nearly everything is left out: no action is drafted for it, none would be
 * needed. What is awake wakes whatever it is tied to.
 *
 * | everything is looked at while                  | because                                                   |
 * | ---------------------------------------------- | --------------------------------------------------------- |
 * | a node has to be fenced or may have to be      | fencing concerns what starts and stops anywhere           |
 * | nodes are unfenced, or what stopped is deleted | every stop has to do with another action                  |
 * | there is no quorum, but for its policy ignore  | nothing may start, so that what restarts elsewhere stops  |
 */
import type { NodeStatus } from '../../../status/index.ts'
import type { Setting } from '../setting.ts'
import { limitedTo, type Unit, type UnitTree } from '../unit.ts'
import { isAtRest } from './at-rest.ts'
import { isOrderAtRest, orderedUnits } from './order-at-rest.ts'
import { outermost, tiesIn } from './ties.ts'

export function awakeIn(setting: Setting): UnitTree {
  const { tree } = setting
  if (concernsAll(setting)) return tree
  const awake = new Set(tree.top.filter((unit) => !isAtRest(setting, unit)))
  for (const constraint of setting.status.configuration.constraints) {
    if (constraint.kind !== 'order' || isOrderAtRest(setting, constraint)) continue
    for (const unit of orderedUnits(setting, constraint)) awake.add(outermost(unit))
  }
  if (awake.size === tree.top.length) return tree
  if (awake.size > 0) {
    wakeTied(setting, awake)
    for (const unit of aroundNodes(setting)) awake.add(unit)
  }
  return limitedTo(tree, awake)
}

function concernsAll({ status, assignment, nodeList }: Setting): boolean {
  const { options, unfencingEnabled, haveQuorum } = status
  if (unfencingEnabled || options.removeAfterStop) return true
  if (!haveQuorum && options.noQuorumPolicy !== 'ignore') return true
  return assignment.fencing.size > 0 || nodeList.some(mayBeFenced)
}

const mayBeFenced = ({ unclean, requiresReset, lost, fencingReasons }: NodeStatus): boolean =>
  unclean || requiresReset || lost || fencingReasons.length > 0

function wakeTied(setting: Setting, awake: Set<Unit>): void {
  const tiesOf = new Map<Unit, (readonly Unit[])[]>()
  for (const tie of tiesIn(setting)) {
    for (const unit of tie) {
      const known = tiesOf.get(unit)
      if (known) known.push(tie)
      else tiesOf.set(unit, [tie])
    }
  }
  // What is added to a set while it is walked is walked as well.
  for (const unit of awake) for (const tie of tiesOf.get(unit) ?? []) for (const other of tie) awake.add(other)
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
