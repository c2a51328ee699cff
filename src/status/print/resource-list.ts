/** The list of resources, with or without what is not active. */

import { assertNever, type NodeName } from '../../base/index.ts'
import type { GroupResource, PrimitiveResource, Resource } from '../cluster-status.ts'
import { primitivesIn } from '../parts.ts'
import { printBundle } from './bundle.ts'
import { printClone } from './clone.ts'
import { printGroup } from './group.ts'
import { printPrimitive } from './primitive.ts'
import type { PrintedStatus } from './printed-status.ts'
import { isActive } from './resource-state.ts'

export function printResourceList(
  status: PrintedStatus,
  isShown: (resource: Resource) => boolean = () => true,
): readonly string[] {
  return inOrder(status)
    .filter(isShown)
    .filter((resource) => status.tellsInactive || isPartlyActive(status, resource))
    .flatMap((resource) => printResource(status, resource))
}

/** The most important first; those that are in the history alone come last. */
function inOrder({ resources }: PrintedStatus): readonly Resource[] {
  const configured = resources.filter(({ orphan }) => !orphan)
  const orphans = resources.filter(({ orphan }) => orphan)
  return [...configured.sort((a, b) => b.meta.priority - a.meta.priority), ...orphans]
}

function printResource(status: PrintedStatus, resource: Resource): readonly string[] {
  switch (resource.kind) {
    case 'primitive':
      return isToldAtAll(status, resource) ? [`* ${printPrimitive(status, resource)}`] : []
    case 'group':
      return isOnlyWhereNobodyLooks(status, resource) ? [] : printGroup(status, resource)
    case 'clone':
      return printClone(status, resource)
    case 'bundle':
      return printBundle(status, resource)
    default:
      return assertNever(resource)
  }
}

/** Implied connections are hidden, and orphans once nothing of them is left that could run. */
function isToldAtAll(status: PrintedStatus, resource: PrimitiveResource): boolean {
  return (status.tellsInstances === true || !resource.implicit) && (!resource.orphan || isActive(status, resource))
}

/** A group counts as being on no node while the cluster has no hand in its members and their nodes are down. */
function isOnlyWhereNobodyLooks(status: PrintedStatus, { members }: GroupResource): boolean {
  const active = members.filter((member) => isActive(status, member))
  const isOnline = ({ node }: { readonly node: NodeName }): boolean => status.nodesByName.get(node)?.online === true
  return active.length > 0 && !active.some(({ state }) => state.managed || state.active.some(isOnline))
}

function isPartlyActive(status: PrintedStatus, resource: Resource): boolean {
  switch (resource.kind) {
    case 'primitive':
    case 'group':
      return primitivesIn(resource).some((member) => isActive(status, member))
    case 'clone':
      return resource.instances.flatMap(primitivesIn).some((member) => isActive(status, member))
    case 'bundle':
      return resource.replicas.some(({ container }) => isActive(status, container))
    default:
      return assertNever(resource)
  }
}
