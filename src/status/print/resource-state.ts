/** Questions about a resource and its members that the printed lists ask. */

import type { NodeName } from '../../base/index.ts'
import { type Role, roleRank } from '../../cib/index.ts'
import type { ClusterStatus, GroupResource, PrimitiveResource, Resource, ResourceMeta } from '../cluster-status.ts'
import { primitivesIn } from '../parts.ts'

export type Instance = PrimitiveResource | GroupResource

/** What is on a node that is cleanly down does not count, unless the cluster has no hand in it. */
export function isActive({ nodesByName }: ClusterStatus, { state }: Pick<PrimitiveResource, 'state'>): boolean {
  return state.active.some(({ node }) => {
    const there = nodesByName.get(node)
    return there === undefined || there.unclean || there.online || !state.managed
  })
}

/** `target-role` keeps it from being as active as it could be. */
export function isDisabled({ targetRole }: ResourceMeta, promotable: boolean): boolean {
  return targetRole === 'Stopped' || (targetRole === 'Unpromoted' && promotable)
}

/** The distinct nodes on which some member is active. */
export function locationsOf(instance: Instance): readonly NodeName[] {
  if (instance.kind === 'primitive') return instance.state.active.map(({ node }) => node)
  return [...new Set(instance.members.flatMap(({ state }) => state.active.map(({ node }) => node)))]
}

/** Of a group: the highest of its members. */
export function highestRole(instance: Instance): Role {
  const roles = primitivesIn(instance).map(({ state }) => state.role)
  return roles.reduce((a, b) => (roleRank(b) > roleRank(a) ? b : a), 'Stopped')
}

/** Whether the cluster keeps its hands off it, and why, as flags of its line or title. */
export function managementFlag(resource: Resource, maintenanceMode: boolean): readonly string[] {
  if (resource.kind === 'primitive') {
    const { blocked, managed, maintenance } = resource.state
    if (blocked) return ['blocked']
    return managed ? [] : [maintenance ? 'maintenance' : 'unmanaged']
  }
  if (resource.meta.maintenance || maintenanceMode) return ['maintenance']
  return resource.meta.managed ? [] : ['unmanaged']
}
