/**
 * Nodes that exist because of resources (Pacemaker Remote): a connection resource `ocf:pacemaker:remote` makes a remote
 * node of its id; the meta-attribute `remote-node` of a primitive makes a guest node, with a connection that is implied.
 * Bundles that hold a primitive make one for each replica (`resources/bundle.ts`).
 */
import { type NodeName, nodeName, type ResourceId, resourceId } from '../base/index.ts'
import type {
  Configuration,
  NvPair,
  NvSet,
  OperationDefinition,
  PrimitiveDefinition,
  ResourceDefinition,
} from '../cib/index.ts'

export interface GuestNode {
  readonly name: NodeName
  /** The resource that is the guest: a virtual machine. */
  readonly container: ResourceId
  /** Not a member of the container's group: a group is started without it. */
  readonly connection: PrimitiveDefinition
}

/** Primitives at the top and in groups, in the order of the configuration. Clones cannot be nodes. */
function primitivesThatAreNodes(resources: readonly ResourceDefinition[]): readonly PrimitiveDefinition[] {
  return resources.flatMap((resource): readonly PrimitiveDefinition[] => {
    if (resource.kind === 'primitive') return [resource]
    return resource.kind === 'group' ? resource.members : []
  })
}

export const isConnectionAgent = ({ agent }: Pick<PrimitiveDefinition, 'agent'>): boolean =>
  agent.class === 'ocf' && agent.provider === 'pacemaker' && agent.type === 'remote'

/** A cluster node stays one, whatever resource has its name. */
export function remoteNodeNames(configuration: Configuration): readonly NodeName[] {
  const members = memberNames(configuration)
  return primitivesThatAreNodes(configuration.resources)
    .filter(isConnectionAgent)
    .map(({ id }) => nodeName(id))
    .filter((name) => !members.has(name))
}

const memberNames = ({ nodes }: Configuration): ReadonlySet<string> =>
  new Set(nodes.flatMap(({ name, type }) => (type === 'member' ? [name] : [])))

export function guestNodes(configuration: Configuration): readonly GuestNode[] {
  const primitives = primitivesThatAreNodes(configuration.resources)
  const taken = new Set<string>(primitives.map(({ id }) => id))
  return primitives.flatMap((primitive) => {
    const name = writtenMeta(primitive, 'remote-node')
    if (name === undefined || taken.has(name)) return []
    taken.add(name)
    return [
      {
        name: nodeName(name),
        container: primitive.id,
        connection: guestConnection(name, primitive),
      },
    ]
  })
}

/** As written, whatever rules and templates say: whether a node exists does not change with the time of day. */
function writtenMeta(primitive: PrimitiveDefinition, name: string): string | undefined {
  return primitive.meta.flatMap(({ pairs }) => pairs).find((pair) => pair.name === name)?.value
}

function guestConnection(name: string, container: PrimitiveDefinition): PrimitiveDefinition {
  const migrate = writtenMeta(container, 'remote-allow-migrate')
  const managed = writtenMeta(container, 'is-managed')
  return connectionDefinition(name, {
    container: container.id,
    address: writtenMeta(container, 'remote-addr'),
    port: writtenMeta(container, 'remote-port'),
    startTimeout: writtenMeta(container, 'remote-connect-timeout') ?? '60s',
    meta: {
      ...(migrate === undefined ? {} : { 'allow-migrate': migrate }),
      ...(managed === undefined ? {} : { 'is-managed': managed }),
    },
  })
}

/** The connection resource that a guest node or a bundle's replica implies. */
export function connectionDefinition(
  name: string,
  facts: {
    readonly container: string
    readonly address?: string | undefined
    readonly port?: string | undefined
    readonly startTimeout?: string | undefined
    readonly meta?: Readonly<Record<string, string>>
  },
): PrimitiveDefinition {
  const { address, port, startTimeout } = facts
  return {
    kind: 'primitive',
    id: resourceId(name),
    agent: { class: 'ocf', provider: 'pacemaker', type: 'remote' },
    meta: [nvSet(`${name}-meta_attributes`, { 'internal-rsc': 'true', container: facts.container, ...facts.meta })],
    parameters: [
      nvSet(`${name}-instance_attributes`, {
        ...(address === undefined ? {} : { addr: address }),
        ...(port === undefined ? {} : { port }),
      }),
    ],
    utilization: [],
    operations: [
      operation(name, 'monitor', 30_000, { timeout: '30s' }),
      ...(startTimeout === undefined ? [] : [operation(name, 'start', 0, { timeout: startTimeout })]),
    ],
  }
}

export function nvSet(id: string, values: Readonly<Record<string, string>>): NvSet {
  const pairs: readonly NvPair[] = Object.entries(values).map(([name, value]) => ({ id: `${id}-${name}`, name, value }))
  return { id, score: 0, pairs }
}

export function operation(
  resource: string,
  name: string,
  intervalMs: number,
  attributes: Readonly<Record<string, string>>,
): OperationDefinition {
  return { id: `${resource}-${name}-interval-${intervalMs}`, name, intervalMs, attributes, meta: [], parameters: [] }
}
