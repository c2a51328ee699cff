/**
 * A clone: its title, a line for each instance that needs one, and lists of the nodes where the others are. Unique instances
 * always have their line; anonymous ones where something is pending, failed, orphaned, unmanaged, partly active or on a lost node.
 */

import type { NodeName } from '../../base/index.ts'
import type { Role } from '../../cib/index.ts'
import type { CloneResource, ClusterStatus } from '../cluster-status.ts'
import { compareNames } from '../names.ts'
import { primitivesIn } from '../parts.ts'
import { describeExitCode } from './exit-codes.ts'
import { failedProbeOf } from './failed-probe.ts'
import { indent, printGroup } from './group.ts'
import { printPrimitive } from './primitive.ts'
import { describedAs, type PrintedStatus } from './printed-status.ts'
import { highestRole, type Instance, isActive, isDisabled, locationsOf, managementFlag } from './resource-state.ts'

export function printClone(status: PrintedStatus, clone: CloneResource): readonly string[] {
  const { isTold = () => true } = status
  const told = clone.instances.filter((instance) => primitivesIn(instance).some(isTold))
  const full = told
    .filter((instance) => isShownInFull(status, clone, instance))
    .filter((instance) => isWanted(status, locationsOf(instance)))
    .filter(
      (instance) =>
        status.tellsInactive ||
        ((status.tellsInstances || clone.unique) && instance.kind === 'primitive') ||
        primitivesIn(instance).some((member) => isActive(status, member)),
    )
  const listed = told.filter(
    (instance) => !full.includes(instance) && primitivesIn(instance).some((member) => isActive(status, member)),
  )
  const promoted = listed.filter((instance) => highestRole(instance) === 'Promoted')
  const others = listed.filter((instance) => highestRole(instance) !== 'Promoted')
  return [
    title(status, clone),
    ...indent([
      ...full.flatMap((instance) => printInstance(status, clone, instance)),
      ...list('Promoted', wanted(status, promoted.flatMap(locationsOf))),
      ...list(lowerRole(clone), wanted(status, others.flatMap(locationsOf))),
      ...(!status.tellsInactive || status.tellsInstances || clone.unique || clone.cloneMax <= listed.length
        ? []
        : stoppedLists(status, clone)),
    ]),
  ]
}

const isWanted = ({ onlyOn }: PrintedStatus, nodes: readonly NodeName[]): boolean =>
  onlyOn === undefined || nodes.some((node) => onlyOn.includes(node))

const wanted = (status: PrintedStatus, nodes: readonly NodeName[]): readonly NodeName[] =>
  nodes.filter((node) => isWanted(status, [node]))

/** Of those that are not promoted, and whether that is all that they may become. */
function lowerRole(clone: CloneResource): string {
  if (!clone.promotable) return 'Started'
  return configuredRole(clone) === 'Unpromoted' ? 'Unpromoted (target-role)' : 'Unpromoted'
}

function title(status: PrintedStatus, clone: CloneResource): string {
  const flags = [
    ...(clone.promotable ? ['promotable'] : []),
    ...(clone.unique ? ['unique'] : []),
    ...(isDisabled(clone.meta, clone.promotable) ? ['disabled'] : []),
    ...managementFlag(clone, status.options.maintenanceMode),
  ]
  const [first] = clone.instances
  const inside = first === undefined ? '' : first.configuredId
  return `* Clone Set: ${clone.id} [${inside}]${flags.length === 0 ? '' : ` (${flags.join(', ')})`}${describedAs(status, clone.id)}:`
}

function printInstance(status: PrintedStatus, clone: CloneResource, instance: Instance): readonly string[] {
  return instance.kind === 'group'
    ? printGroup(status, instance, clone.promotable)
    : [`* ${printPrimitive(status, instance)}`]
}

function isShownInFull(status: PrintedStatus, clone: CloneResource, instance: Instance): boolean {
  const members = primitivesIn(instance)
  const active = members.filter((member) => isActive(status, member))
  if (clone.unique || status.tellsInstances === true) return true
  if (status.tellsPending && instance.kind === 'primitive' && instance.state.pending !== undefined) return true
  if (active.length === 0) return false
  if (members.some(({ orphan, state }) => orphan || !state.managed || state.failed)) return true
  const [location, another] = locationsOf(instance)
  if (active.length < members.length || location === undefined || another !== undefined) return true
  const node = status.nodesByName.get(location)
  return node !== undefined && !node.online && node.unclean
}

const list = (name: string, nodes: readonly NodeName[]): readonly string[] =>
  nodes.length === 0 ? [] : [`* ${name}: [ ${[...nodes].sort(compareNames).join(' ')} ]`]

/** Nodes without an instance, as far as there are instances left, by what keeps them without one. */
function stoppedLists(status: PrintedStatus, clone: CloneResource): readonly string[] {
  const active = new Set(clone.instances.flatMap(locationsOf))
  const known = new Set(clone.instances.flatMap(primitivesIn).flatMap(({ state }) => [...state.knownOn]))
  const byState = new Map<string, NodeName[]>()
  for (const node of status.nodes) {
    if (
      !isWanted(status, [node.name]) ||
      active.has(node.name) ||
      ((node.isBundleNode || node.isOrphan) && !node.isConfigured)
    )
      continue
    if (!status.options.symmetricCluster && !known.has(node.name)) continue
    const state = stoppedState(status, clone, node.name)
    byState.set(state, [...(byState.get(state) ?? []), node.name])
  }
  return [...byState].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([state, nodes]) => list(state, nodes))
}

function stoppedState(status: ClusterStatus, clone: CloneResource, node: NodeName): string {
  const [first] = clone.instances
  const failure = first?.kind === 'primitive' ? failedProbeOf(status, first.configuredId, node) : undefined
  if (failure !== undefined) return `Stopped (${describeExitCode(failure.exitCode)})`
  return configuredRole(clone) === 'Stopped' ? 'Stopped (disabled)' : 'Stopped'
}

/** Any instance knows a role that only the resource inside was given. */
const configuredRole = ({ meta, instances }: CloneResource): Role | undefined =>
  meta.targetRole ?? instances[0]?.meta.targetRole
