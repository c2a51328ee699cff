/**
 * Whether a resource is unchanged by itself: all of it is where it shall be, in the role that it shall have, with the monitors
 * and parameters that are configured, and nobody has to ask where else it runs. All that could be planned for it would then be
 * possible and not needed. In doubt it is not unchanged, which costs time and nothing else.
 *
 * | kind      | is unchanged while                                                                  |
 * | --------- | ----------------------------------------------------------------------------------- |
 * | primitive | in its place                                                                        |
 * | group     | all members in their places                                                         |
 * | clone     | instances in their places, one at least and one promoted where it is promotable, and those that have no place nowhere |
 * | bundle    | never: what is in it comes and goes with its container                              |
 */
import type { NodeStatus } from '../../../status/index.ts'
import {
  type PlannedClone,
  type PlannedPrimitive,
  type PlannedResource,
  primitivesOf,
} from '../draft/planned-resource.ts'
import { nodeNamed, type Setting } from '../draft/setting.ts'
import { type Asked, askedForAll, isProbeNeeded, type KnownInstances } from '../probes/probe-need.ts'
import { runsAsConfigured } from './as-configured.ts'

export function isUnchanged(setting: Setting, rsc: PlannedResource): boolean {
  switch (rsc.kind) {
    case 'primitive':
      return isInPlace(setting, rsc) && !isProbed(setting, [rsc])
    case 'group':
      return rsc.members.every((member) => isInPlace(setting, member)) && !isProbed(setting, rsc.members)
    case 'clone':
      return isCloneUnchanged(setting, rsc)
    case 'bundle':
      return false
  }
}

function isCloneUnchanged(setting: Setting, clone: PlannedClone): boolean {
  const { promotable, unique } = clone.resource
  let isAnyPlaced = false
  let isAnyPromoted = false
  for (const instance of clone.instances) {
    const parts = primitivesOf(instance)
    const role = parts[0]?.assigned.nextRole
    if (parts.every(isNowhere)) continue
    if (!parts.every((part) => part.assigned.nextRole === role && isInPlace(setting, part))) return false
    isAnyPlaced = true
    if (role === 'Promoted') isAnyPromoted = true
  }
  if (!isAnyPlaced || (promotable && !isAnyPromoted)) return false
  return unique ? !isProbed(setting, primitivesOf(clone)) : !isAnonymousProbed(setting, clone)
}

/** It is on one node, where it belongs, and nothing that ever happened to it asks for anything. */
export function isInPlace(setting: Setting, rsc: PlannedPrimitive): boolean {
  const { assigned, role, resource } = rsc
  const [active, another] = resource.state.active
  if (!active || another || active.node !== assigned.node || role !== assigned.nextRole) return false
  if (!isSteady(rsc) || resource.container !== undefined) return false
  // What leaves a node is waited for by what comes there, as far as capacity counts.
  if (resource.utilization.size > 0 && setting.status.options.placementStrategy !== 'default') return false
  const node = nodeNamed(setting, active.node)
  return isSteadyNode(setting, node) && runsAsConfigured(setting, rsc, node)
}

const isNowhere = (rsc: PlannedPrimitive): boolean => {
  const { assigned, role, resource } = rsc
  if (assigned.node !== undefined || role !== 'Stopped' || assigned.nextRole !== 'Stopped') return false
  const { active, history } = resource.state
  const hasRun = [...history.values()].some((entries) => entries.some(({ intervalMs }) => intervalMs > 0))
  return active.length === 0 && !hasRun && isSteady(rsc)
}

function isSteady({ assigned, resource }: PlannedPrimitive): boolean {
  const { state, orphan } = resource
  if (orphan || !assigned.managed || assigned.blocked) return false
  if (state.failed || state.blocked || state.mustStop || state.maintenance || state.onFail || state.pending)
    return false
  if (state.partialMigration || state.danglingMigrations.length > 0 || state.demoteOn.length > 0) return false
  if (state.clearFailCountOn.length > 0 || state.expiredRecurring.length > 0) return false
  return state.lockExpiredOn === undefined && state.otherAgents.size === 0 && state.namesakes.size === 0
}

/** A guest goes down with its container. */
function isSteadyNode({ status, assignment }: Setting, node: NodeStatus): boolean {
  const { online, pending, standby, maintenance, shutdown, kind, name } = node
  if (mayBeFenced(node) || assignment.fencing.has(name)) return false
  if (!online || pending || standby || maintenance || shutdown || kind === 'guest') return false
  // A remote node may not be there yet, and only be reached in this transition.
  return status.nodesByName.get(name)?.online === true
}

export const mayBeFenced = ({ unclean, requiresReset, lost, fencingReasons }: NodeStatus): boolean =>
  unclean || requiresReset || lost || fencingReasons.length > 0

function isProbed(setting: Setting, resources: readonly PlannedPrimitive[]): boolean {
  return setting.nodeList.some(
    (node) => canBeAsked(node) && resources.some((primitive) => isProbeNeeded(setting, primitive, node)),
  )
}

function isAnonymousProbed(setting: Setting, clone: PlannedClone): boolean {
  const known: KnownInstances = new Map()
  return setting.nodeList.some((node) => isProbedOn(setting, clone, { node, known }))
}

/** One instance of an anonymous clone is asked for all of them. */
export function isProbedOn(setting: Setting, clone: PlannedClone, asked: Asked): boolean {
  const { node } = asked
  if (!canBeAsked(node)) return false
  const instance = askedForAll(setting, clone, asked)
  return instance !== undefined && primitivesOf(instance).some((primitive) => isProbeNeeded(setting, primitive, node))
}

const canBeAsked = ({ online, discoveryEnabled }: NodeStatus): boolean => online && discoveryEnabled
