/** Turns what was filled while reading into the readonly `ClusterStatus`: each value that others see is made here, once. */
import { assertNever, type NodeName, type ResourceId } from '../../base/index.ts'
import type { OperationDefinition, Rule } from '../../cib/index.ts'
import type {
  BundleResource,
  CloneResource,
  ClusterStatus,
  GroupResource,
  NodeStatus,
  PrimitiveResource,
  PrimitiveState,
  Resource,
  TicketStatus,
} from '../cluster-status.ts'
import type {
  BundleDraft,
  CloneDraft,
  CommonDraft,
  GroupDraft,
  NodeDraft,
  PrimitiveDraft,
  ResourceDraft,
  StateDraft,
  World,
} from '../drafts.ts'
import { operationMeta } from '../history/operation-meta.ts'
import { healthOf } from '../nodes/health.ts'
import { sortedNodes } from '../nodes/nodes.ts'
import { parametersOn } from '../parameters.ts'
import { addNvSets, nextRuleChange, ruleHolds } from '../rules/index.ts'

interface Finishing {
  readonly world: World
  readonly nodesByName: ReadonlyMap<NodeName, NodeStatus>
  readonly primitivesById: Map<ResourceId, PrimitiveResource>
  /** By what is configured, which the instances of a clone have in common. */
  readonly parameters: Map<PrimitiveDraft['parameters'], PrimitiveResource['parametersOn']>
}

export function finishStatus(
  world: World,
  rest: {
    readonly haveQuorum: boolean
    readonly tickets: readonly TicketStatus[]
    readonly nextChange: ClusterStatus['nextChange']
  },
): ClusterStatus {
  const nodes = sortedNodes(world.nodes.values()).map((node) => finishNode(world, node))
  const nodesByName = new Map(nodes.map((node) => [node.name, node] as const))
  const finishing: Finishing = { world, nodesByName, primitivesById: new Map(), parameters: new Map() }
  const resources = world.resources.map((resource) => finishResource(finishing, resource))
  return {
    configuration: world.configuration,
    now: world.zone.now,
    options: world.options,
    haveQuorum: rest.haveQuorum,
    nodes,
    nodesByName,
    resources,
    primitivesById: finishing.primitivesById,
    tickets: rest.tickets,
    failures: [...world.failures.values()],
    unfencingEnabled: world.unfencingEnabled,
    haveFenceDevice: world.haveFenceDevice,
    ...questions(finishing),
    ...(rest.nextChange === undefined ? {} : { recheckAt: rest.nextChange.at, nextChange: rest.nextChange }),
  }
}

/** What is asked for some resources and nodes only, and so answered on demand. */
function questions({
  world,
  nodesByName,
}: Finishing): Pick<ClusterStatus, 'operationMeta' | 'operationParameters' | 'ruleHolds' | 'ruleChangesAt'> {
  const { zone, configuration } = world
  return {
    operationMeta: (resource, operation) =>
      operationMeta(resource, operation, { operationDefaults: configuration.operationDefaults, zone }),
    operationParameters: (definition: OperationDefinition, node) => {
      const values = new Map<string, string>()
      const nodeAttributes = node === undefined ? undefined : nodesByName.get(node)?.attributes
      addNvSets(values, definition.parameters, { zone, nodeAttributes })
      return values
    },
    ruleChangesAt: (rule) => nextRuleChange(rule, zone),
    ruleHolds: (rule: Rule, { node, resource, role, submatches }) =>
      ruleHolds(rule, {
        zone,
        nodeAttributes: node?.attributes,
        meta: resource?.meta.raw,
        parameters: resource?.kind === 'primitive' ? resource.parametersOn(node?.name) : undefined,
        agent: resource?.kind === 'primitive' ? resource.agent : undefined,
        role,
        submatches,
      }),
  }
}

function finishNode({ options }: World, draft: NodeDraft): NodeStatus {
  const { connectionResource, definition, ...node } = draft
  const container = connectionResource?.container
  return {
    ...node,
    ...healthOf(draft.attributes, options),
    ...(connectionResource === undefined ? {} : { connection: connectionResource.id }),
    ...(container === undefined ? {} : { container: container.id }),
  }
}

function finishResource(finishing: Finishing, draft: ResourceDraft): Resource {
  switch (draft.kind) {
    case 'primitive':
      return finishPrimitive(finishing, draft)
    case 'group':
      return finishGroup(finishing, draft)
    case 'clone':
      return finishClone(finishing, draft)
    case 'bundle':
      return finishBundle(finishing, draft)
    default:
      return assertNever(draft)
  }
}

const common = ({
  id,
  configuredId,
  meta,
  orphan,
}: CommonDraft): Pick<Resource, 'id' | 'configuredId' | 'meta' | 'orphan'> => ({
  id,
  configuredId,
  meta,
  orphan,
})

function finishPrimitive(finishing: Finishing, draft: PrimitiveDraft): PrimitiveResource {
  const { agent, instance, operations, utilization, implicit, connectionOf, container, reconnectIntervalMs } = draft
  const resource: PrimitiveResource = {
    kind: 'primitive',
    ...common(draft),
    agent,
    operations,
    utilization,
    implicit,
    parametersOn: sharedParameters(finishing, draft),
    state: finishState(draft.state),
    ...(instance === undefined ? {} : { instance }),
    ...(connectionOf === undefined ? {} : { connectionOf }),
    ...(container === undefined ? {} : { container: container.id }),
    ...(reconnectIntervalMs === undefined ? {} : { reconnectIntervalMs }),
  }
  finishing.primitivesById.set(resource.id, resource)
  return resource
}

function sharedParameters(
  { world, nodesByName, parameters }: Finishing,
  draft: PrimitiveDraft,
): PrimitiveResource['parametersOn'] {
  const known = parameters.get(draft.parameters)
  if (known !== undefined) return known
  const resolved = parametersOn(draft, world, (name) => nodesByName.get(name)?.attributes)
  parameters.set(draft.parameters, resolved)
  return resolved
}

function finishState(draft: StateDraft): PrimitiveState {
  return {
    ...draft,
    role: draft.role ?? 'Stopped',
    active: [...draft.active].map(([node, roleThere]) => ({ node, role: roleThere })),
  }
}

function finishGroup(finishing: Finishing, draft: GroupDraft): GroupResource {
  return {
    kind: 'group',
    ...common(draft),
    members: draft.members.map((member) => finishPrimitive(finishing, member)),
    activeNodes: [...draft.activeOn],
  }
}

function finishClone(finishing: Finishing, draft: CloneDraft): CloneResource {
  const { grow, parent, inheritable, instances, activeOn, firstFree, ...clone } = draft
  return {
    ...clone,
    instances: instances.map((instance) =>
      instance.kind === 'group' ? finishGroup(finishing, instance) : finishPrimitive(finishing, instance),
    ),
  }
}

function finishBundle(finishing: Finishing, draft: BundleDraft): BundleResource {
  const { definition, replicasPerHost, promotedMax } = draft
  const clone = draft.clone === undefined ? undefined : finishClone(finishing, draft.clone)
  const finished = (primitive: PrimitiveDraft): PrimitiveResource => finishPrimitive(finishing, primitive)
  return {
    kind: 'bundle',
    ...common(draft),
    definition,
    replicasPerHost,
    promotedMax,
    replicas: draft.replicas.map(({ number, container, ip, remote, child, ipAddress, node }) => {
      const inside = child === undefined ? undefined : finishing.primitivesById.get(child.id)
      return {
        number,
        container: finished(container),
        ...(ip === undefined ? {} : { ip: finished(ip) }),
        ...(remote === undefined ? {} : { remote: finished(remote) }),
        ...(inside === undefined ? {} : { child: inside }),
        ...(ipAddress === undefined ? {} : { ipAddress }),
        ...(node === undefined ? {} : { node }),
      }
    }),
    ...(clone === undefined ? {} : { clone }),
  }
}
