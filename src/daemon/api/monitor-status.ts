/** The cluster's status as crm_mon shows it to agents. */
import type { NodeName } from '../../base/index.ts'
import type { Agent } from '../../cib/index.ts'
import {
  type ClusterStatus,
  type FailedOperation,
  type NodeStatus,
  type PrimitiveResource,
  type Resource,
  roleOrChange,
} from '../../status/index.ts'
import type { MonitorNode, MonitorPrimitive, MonitorResource, MonitorStatus } from '../../tools/index.ts'

/** The version of Pacemaker's tools whose output this is. */
const version = '2.1.5'

export function monitorStatus(
  status: ClusterStatus,
  transient: (node: NodeName) => ReadonlyMap<string, string>,
): MonitorStatus {
  const ids = new Map(status.nodes.map(({ name, id }) => [name, id]))
  const resources = status.resources.map((resource) => monitorResource(resource, ids))
  const dc = status.nodes.find(({ isDc }) => isDc)
  const { options } = status
  return {
    ...(dc === undefined ? {} : { dc: { name: dc.name, id: dc.id, version } }),
    quorate: status.haveQuorum,
    options: {
      'stonith-enabled': String(options.fencingEnabled),
      'symmetric-cluster': String(options.symmetricCluster),
      'no-quorum-policy': options.noQuorumPolicy,
      'maintenance-mode': String(options.maintenanceMode),
      'stop-all-resources': String(options.stopAllResources),
      'stonith-timeout-ms': String(options.fencingTimeoutMs),
      'priority-fencing-delay-ms': String(options.priorityFencingDelayMs),
    },
    nodes: status.nodes.map((node) => monitorNode(node, resources)),
    resources,
    attributes: new Map(
      // Names with a number sign are the scheduler's own, for rules.
      status.nodes.map(({ name, attributes }) => [
        name,
        new Map([...attributes, ...transient(name)].filter(([attribute]) => !attribute.startsWith('#'))),
      ]),
    ),
    failures: status.failures.map(monitorFailure),
  }
}

function monitorNode(node: NodeStatus, resources: readonly MonitorResource[]): MonitorNode {
  const running = resources.flatMap(primitives).filter(({ nodes }) => nodes.some(({ name }) => name === node.name))
  return {
    name: node.name,
    id: node.id,
    online: node.online,
    standby: node.standby,
    standbyOnFail: node.standbyOnFail,
    maintenance: node.maintenance,
    pending: node.pending,
    unclean: node.unclean,
    health: node.health,
    featureSet: node.featureSet ?? '3.17.1',
    shutdown: node.shutdown,
    expectedUp: node.online || node.unclean,
    isDc: node.isDc,
    resourcesRunning: running.length,
    type: node.kind === 'member' ? 'member' : 'remote',
  }
}

function monitorResource(resource: Resource, ids: ReadonlyMap<NodeName, string>): MonitorResource {
  const { meta } = resource
  const disabled = meta.targetRole === 'Stopped'
  const common = { managed: meta.managed, maintenance: meta.maintenance }
  switch (resource.kind) {
    case 'primitive':
      return monitorPrimitive(resource, ids)
    case 'group': {
      const members = resource.members.map((member) => monitorPrimitive(member, ids))
      return { kind: 'group', id: resource.id, ...common, disabled, members }
    }
    case 'clone': {
      const members = resource.instances.map((instance) => monitorResource(instance, ids))
      const { id, promotable, unique } = resource
      const failed = members.flatMap(primitives).some((member) => member.failed)
      return { kind: 'clone', id, promotable, unique, ...common, disabled, failed, failureIgnored: false, members }
    }
    case 'bundle': {
      const replicas = resource.replicas.map(({ number, ip, child, container, remote }) => ({
        id: String(number),
        resources: [ip, child, container, remote].flatMap((part) => (part ? [monitorPrimitive(part, ids)] : [])),
      }))
      const failed = replicas.flatMap(({ resources }) => resources).some((part) => part.failed)
      const { technology, attributes } = resource.definition.container
      const image = attributes.image ?? ''
      return { kind: 'bundle', id: resource.id, type: technology, image, unique: true, ...common, failed, replicas }
    }
  }
}

/** Instances of anonymous clones are shown without their number, which agents look for. */
function monitorPrimitive(resource: PrimitiveResource, ids: ReadonlyMap<NodeName, string>): MonitorPrimitive {
  const { state, meta, instance } = resource
  return {
    kind: 'primitive',
    id: instance !== undefined && !instance.unique ? resource.configuredId : resource.id,
    agent: agentName(resource.agent),
    role: roleOrChange(resource),
    ...(meta.targetRole === undefined ? {} : { targetRole: meta.targetRole }),
    active: state.active.length > 0,
    orphaned: resource.orphan,
    blocked: state.blocked,
    managed: meta.managed,
    maintenance: meta.maintenance,
    failed: state.failed,
    failureIgnored: state.failureIgnored,
    ...(state.pending === undefined ? {} : { pending: state.pending.operation }),
    nodes: state.active.map(({ node }) => ({ name: node, id: ids.get(node) ?? node })),
  }
}

function agentName({ class: agentClass, provider, type }: Agent): string {
  return provider === undefined ? `${agentClass}:${type}` : `${agentClass}:${provider}:${type}`
}

function primitives(resource: MonitorResource): readonly MonitorPrimitive[] {
  switch (resource.kind) {
    case 'primitive':
      return [resource]
    case 'group':
      return resource.members
    case 'clone':
      return resource.members.flatMap(primitives)
    case 'bundle':
      return resource.replicas.flatMap(({ resources }) => resources)
  }
}

function monitorFailure(failure: FailedOperation): MonitorStatus['failures'][number] {
  const { resource, operation, intervalMs, node, status, exitReason, exitCode } = failure
  return {
    key: `${resource}_${operation}_${intervalMs}`,
    node,
    exitStatus: status,
    exitReason,
    exitCode,
    call: '',
    status,
  }
}
