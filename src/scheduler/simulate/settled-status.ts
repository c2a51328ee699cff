/** The status as it is told once a transition is over: what was pending before it counts as what it was taken for. */
import type {
  BundleResource,
  CloneResource,
  ClusterStatus,
  GroupResource,
  PrimitiveResource,
  Resource,
} from '../../status/index.ts'

export function settledStatus(status: ClusterStatus): ClusterStatus {
  return { ...status, resources: status.resources.map(settled) }
}

function settled(resource: Resource): Resource {
  switch (resource.kind) {
    case 'primitive':
      return settledPrimitive(resource)
    case 'group':
      return settledGroup(resource)
    case 'clone':
      return settledClone(resource)
    case 'bundle':
      return settledBundle(resource)
  }
}

function settledPrimitive(primitive: PrimitiveResource): PrimitiveResource {
  const { pending: _over, ...state } = primitive.state
  return { ...primitive, state }
}

const settledGroup = (group: GroupResource): GroupResource => ({
  ...group,
  members: group.members.map(settledPrimitive),
})

const settledClone = (clone: CloneResource): CloneResource => ({
  ...clone,
  instances: clone.instances.map((instance) =>
    instance.kind === 'group' ? settledGroup(instance) : settledPrimitive(instance),
  ),
})

function settledBundle(bundle: BundleResource): BundleResource {
  return {
    ...bundle,
    ...(bundle.clone && { clone: settledClone(bundle.clone) }),
    replicas: bundle.replicas.map((replica) => ({
      ...replica,
      container: settledPrimitive(replica.container),
      ...(replica.ip && { ip: settledPrimitive(replica.ip) }),
      ...(replica.remote && { remote: settledPrimitive(replica.remote) }),
      ...(replica.child && { child: settledPrimitive(replica.child) }),
    })),
  }
}
