/**
 * The resources that planning has to look at. What is unchanged stays as it is unless something else changes that it has to do
 * with, so in a cluster where nothing is the matter nearly everything is left out: no action is drafted for it, none would be
 * needed. What is affected affects whatever is related to it; of clones that concern each other node by node, only the instances on the
 * nodes where something is the matter.
 *
 * | everything is looked at while                  | because                                                   |
 * | ---------------------------------------------- | --------------------------------------------------------- |
 * | a guest has to be fenced or may have to be     | where its container cannot be stopped, what starts on quorum alone cannot start, and what runs stops |
 * | nodes are unfenced, or what stopped is deleted | every stop has to do with another action                  |
 * | there is no quorum, but for its policy ignore  | nothing may start, so that what restarts elsewhere stops  |
 */
import type { NodeStatus } from '../../../status/index.ts'
import { limitedTo, type PlannedResource, type PlannedTree } from '../draft/planned-resource.ts'
import type { Setting } from '../draft/setting.ts'
import { isOrderWithoutEffect, orderedResources } from './order-without-effect.ts'
import { addRelated, outermost, relatedSetsByResource } from './related.ts'
import { isUnchanged, mayBeFenced } from './unchanged.ts'
import { unchangedInstances } from './unchanged-instances.ts'

export function affectedTree(setting: Setting): PlannedTree {
  const { tree } = setting
  if (concernsAll(setting)) return tree
  const affected = new Set(tree.top.filter((rsc) => !isUnchanged(setting, rsc)))
  const isFencing = setting.assignment.fencing.size > 0 || setting.nodeList.some(mayBeFenced)
  for (const constraint of setting.status.configuration.constraints) {
    if (constraint.kind !== 'order' || isOrderWithoutEffect(setting, constraint)) continue
    for (const rsc of orderedResources(setting, constraint)) affected.add(outermost(rsc))
  }
  if (affected.size === 0 && !isFencing) return limitedTo(tree, affected)
  const relatedSets = relatedSetsByResource(setting)
  addRelated(affected, relatedSets)
  for (const rsc of aroundNodes(setting)) affected.add(rsc)
  const leftOut = unchangedInstances(setting, affected, relatedSets)
  return affected.size === tree.top.length && leftOut.size === 0 ? tree : limitedTo(tree, affected, leftOut)
}

function concernsAll({ status, assignment, nodeList }: Setting): boolean {
  const { options, unfencingEnabled, haveQuorum } = status
  const isLost = (node: NodeStatus): boolean => mayBeFenced(node) || assignment.fencing.has(node.name)
  if (nodeList.some((node) => node.kind === 'guest' && isLost(node))) return true
  if (unfencingEnabled || options.removeAfterStop) return true
  return !haveQuorum && options.noQuorumPolicy !== 'ignore'
}

/** What is done on a remote or guest node has to know of its connection and its container, whether they change or not. */
function aroundNodes({ nodeList, tree }: Setting): readonly PlannedResource[] {
  return nodeList.flatMap(({ connection, container }) =>
    [connection, container].flatMap((id) => {
      const rsc = id === undefined ? undefined : tree.byId.get(id)
      return rsc ? [outermost(rsc)] : []
    }),
  )
}
