/**
 * A bundle's replicas and what they imply (Pacemaker Explained, "Bundles"): for each a container, an IP address if a range
 * is given, and where a primitive is bundled, a guest node with its connection and an instance of that primitive inside.
 */
import { type NodeName, nodeName, type ResourceId, resourceId } from '../../base/index.ts'
import {
  type BundleDefinition,
  type CloneDefinition,
  mostInstances,
  type PrimitiveDefinition,
} from '../../cib/index.ts'
import type { BundleDraft, ReplicaDraft } from '../drafts.ts'
import { connectionDefinition, nvSet, operation } from '../remote-definitions.ts'
import { addressAt, containerParameters, type ReplicaFacts } from './bundle-container.ts'
import { buildClone } from './clone.ts'
import type { ResourceBuilder } from './context.ts'
import { resolveMeta } from './meta.ts'
import { buildPrimitive } from './primitive.ts'

export interface BundleLimits {
  readonly replicas: number
  readonly replicasPerHost: number
  readonly promotedMax: number
}

export function bundleLimits({ container: { attributes } }: BundleDefinition): BundleLimits {
  const count = (name: string, otherwise: number): number => {
    const value = Number.parseInt(attributes[name] ?? '', 10)
    return Number.isNaN(value) ? otherwise : value
  }
  const promotedMax = Math.max(0, count('promoted-max', 0))
  return {
    promotedMax,
    // Of a configuration that an older version has let in.
    replicas: Math.min(Math.max(1, count('replicas', promotedMax > 0 ? promotedMax : 1)), mostInstances),
    replicasPerHost: Math.max(1, count('replicas-per-host', 1)),
  }
}

export interface BundleNode {
  readonly name: NodeName
  /** The resource that is its container. */
  readonly container: ResourceId
}

/** The guest nodes that the replicas of a bundle are, where it holds a primitive. */
export function bundleNodes(bundle: BundleDefinition): readonly BundleNode[] {
  if (bundle.child === undefined) return []
  return Array.from({ length: bundleLimits(bundle).replicas }, (_, number) => ({
    name: nodeOf(bundle, number),
    container: containerOf(bundle, number),
  }))
}

const nodeOf = (bundle: Pick<BundleDefinition, 'id'>, number: number): NodeName => nodeName(`${bundle.id}-${number}`)

const containerOf = ({ id, container: { technology } }: BundleDefinition, number: number): ResourceId =>
  resourceId(`${id}-${technology}-${number}`)

export function buildBundle(definition: BundleDefinition, builder: ResourceBuilder): BundleDraft {
  const meta = resolveMeta({ sets: definition.meta }, builder.metaSources)
  const limits = bundleLimits(definition)
  const bundle: BundleDraft = {
    kind: 'bundle',
    id: definition.id,
    configuredId: definition.id,
    meta,
    inheritable: meta.raw,
    orphan: false,
    promotable: false,
    definition,
    replicas: [],
    replicasPerHost: limits.replicasPerHost,
    promotedMax: limits.promotedMax,
  }
  const clone =
    definition.child &&
    buildClone(cloneDefinition(definition, definition.child, limits), builder, { parent: bundle, bundled: true })
  if (clone !== undefined) bundle.clone = clone
  for (let number = 0; number < limits.replicas; number++) bundle.replicas.push(buildReplica(bundle, number, builder))
  return bundle
}

function cloneDefinition(
  bundle: BundleDefinition,
  child: PrimitiveDefinition,
  { replicas, replicasPerHost, promotedMax }: BundleLimits,
): CloneDefinition {
  // A promotable one has kept the name of the time when such clones were called master.
  const id = `${bundle.id}-${promotedMax > 0 ? 'master' : 'clone'}`
  return {
    kind: 'clone',
    id: resourceId(id),
    isMasterElement: false,
    child: { ...child, utilization: [] },
    meta: [
      nvSet(`${id}-meta`, {
        ordered: 'true',
        'clone-max': String(replicas),
        'clone-node-max': String(replicasPerHost),
        'globally-unique': String(replicasPerHost > 1),
        ...(promotedMax > 0 ? { promotable: 'true', 'promoted-max': String(promotedMax) } : {}),
      }),
    ],
  }
}

function buildReplica(bundle: BundleDraft, number: number, builder: ResourceBuilder): ReplicaDraft {
  const { definition } = bundle
  const ipAddress = addressAt(definition, number)
  const facts: ReplicaFacts = {
    number,
    replicas: bundleLimits(definition).replicas,
    ...(ipAddress === undefined ? {} : { ipAddress }),
  }
  const implied = (primitive: PrimitiveDefinition) =>
    buildPrimitive(primitive, { parent: bundle, implicit: true, bundled: true }, builder)
  const ip = ipAddress === undefined ? undefined : implied(ipDefinition(definition, ipAddress))
  const container = implied(containerDefinition(definition, facts))
  const child = bundle.clone?.instances[number]
  if (child === undefined || child.kind !== 'primitive')
    return { number, container, ...(ip === undefined ? {} : { ip }), ...(ipAddress === undefined ? {} : { ipAddress }) }
  const node = nodeOf(bundle, number)
  builder.addBundleNode(node)
  const remote = implied(remoteDefinition(definition, container.id, facts))
  return {
    number,
    container,
    remote,
    child,
    node,
    ...(ip === undefined ? {} : { ip }),
    ...(ipAddress === undefined ? {} : { ipAddress }),
  }
}

function containerDefinition(bundle: BundleDefinition, replica: ReplicaFacts): PrimitiveDefinition {
  const { technology } = bundle.container
  const id = containerOf(bundle, replica.number)
  return {
    kind: 'primitive',
    id,
    agent: { class: 'ocf', provider: 'heartbeat', type: technology },
    meta: [],
    parameters: [nvSet(`${id}-attributes`, containerParameters(bundle, replica))],
    // A host's capacity is taken by the container; the guest node inside has none to give.
    utilization: bundle.child?.utilization ?? [],
    operations: [operation(id, 'monitor', 60_000, {})],
  }
}

function ipDefinition(bundle: BundleDefinition, address: string): PrimitiveDefinition {
  const id = `${bundle.id}-ip-${address.replaceAll(':', '.')}`
  const { 'host-interface': nic, 'host-netmask': netmask } = bundle.network?.attributes ?? {}
  return {
    kind: 'primitive',
    id: resourceId(id),
    agent: { class: 'ocf', provider: 'heartbeat', type: 'IPaddr2' },
    meta: [],
    parameters: [
      nvSet(`${id}-attributes`, {
        ip: address,
        ...(nic === undefined ? {} : { nic }),
        cidr_netmask: netmask ?? '32',
      }),
    ],
    utilization: [],
    operations: [operation(id, 'monitor', 60_000, {})],
  }
}

/** Without an address of its own a replica is reached at whichever host its container runs on. */
function remoteDefinition(bundle: BundleDefinition, container: ResourceId, replica: ReplicaFacts): PrimitiveDefinition {
  return connectionDefinition(nodeOf(bundle, replica.number), {
    container,
    address: replica.ipAddress ?? '#uname',
    port: bundle.network?.attributes['control-port'] ?? '3121',
  })
}
