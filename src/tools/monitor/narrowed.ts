/** crm_mon --node and --resource: what concerns these. Each may name a tag, which stands for what it lists. */
import {
  type ClusterStatus,
  isActive,
  type PrimitiveResource,
  partsOf,
  primitivesIn,
  type Resource,
  replicaParts,
} from '../../status/index.ts'
import { topOf } from '../status-of.ts'
import type { MonitorFacts } from './facts.ts'

export interface Only {
  readonly node?: string
  readonly resource?: string
}

/** The summary and bans are always of the whole. */
export function narrowed(facts: MonitorFacts, { node, resource }: Only): MonitorFacts {
  if (node === undefined && resource === undefined) return facts
  const { status } = facts
  const nodes = node === undefined ? undefined : nodesNamed(status, node)
  const resources = resource === undefined ? undefined : tagged(status, resource)
  const told = new Set(status.resources.flatMap((one) => toldIn(status, one, { nodes, resources })))
  const isTold = (one: PrimitiveResource): boolean => told.has(one)
  return {
    ...facts,
    isTold,
    ...(nodes === undefined ? {} : { onlyOn: nodes }),
    ...(resource === undefined ? {} : { isHistoryTold: historyOfAny(status, told) }),
    status: {
      ...status,
      nodes: status.nodes.filter(({ name }) => nodes === undefined || nodes.includes(name)),
      failures: status.failures.filter(
        (failure) =>
          (nodes === undefined || nodes.includes(failure.node)) &&
          (resources === undefined || resources.includes(failure.configuredResource)),
      ),
    },
  }
}

/** A name, or what the tag of that name lists. */
export function tagged({ configuration }: ClusterStatus, name: string): readonly string[] {
  return configuration.tags.find(({ id }) => id === name)?.members ?? [name]
}

/** A tag lists nodes by their ids. */
function nodesNamed(status: ClusterStatus, name: string): readonly string[] {
  const tag = status.configuration.tags.find(({ id }) => id === name)
  if (tag === undefined) return [name]
  const members: readonly string[] = tag.members
  return status.nodes.filter(({ id }) => members.includes(id)).map((node) => String(node.name))
}

/** Of a clone or a bundle, that of all its parts: a node records an anonymous instance without its number. */
function historyOfAny(
  status: ClusterStatus,
  told: ReadonlySet<PrimitiveResource>,
): (resource: PrimitiveResource) => boolean {
  const tops = new Set(
    [...told].map((one) => topOf(status, one)).filter(({ kind }) => kind === 'clone' || kind === 'bundle'),
  )
  return (resource) => told.has(resource) || tops.has(topOf(status, resource))
}

function toldIn(
  status: ClusterStatus,
  whole: Resource,
  {
    nodes,
    resources,
  }: { readonly nodes: readonly string[] | undefined; readonly resources: readonly string[] | undefined },
): readonly PrimitiveResource[] {
  const named = resources === undefined ? primitivesIn(whole) : resources.flatMap((one) => primitivesNamed(whole, one))
  if (nodes === undefined || named.length === 0) return named
  // Where no such node is, what is active nowhere is told all the same.
  const places = nodes.length === 0 ? [''] : nodes
  return places.flatMap((node) => primitivesAt(status, whole, node)).filter((one) => named.includes(one))
}

/** What is active there or nowhere: groups and replicas as a whole, of a clone each instance for itself. */
function primitivesAt(status: ClusterStatus, resource: Resource, node: string): readonly PrimitiveResource[] {
  const all = primitivesIn(resource)
  if (!isAt(status, all, node)) return []
  if (resource.kind === 'clone') return resource.instances.flatMap((instance) => primitivesAt(status, instance, node))
  if (resource.kind !== 'bundle') return all
  return resource.replicas.map(replicaParts).flatMap((parts) => (isAt(status, parts, node) ? parts : []))
}

function isAt(status: ClusterStatus, parts: readonly PrimitiveResource[], node: string): boolean {
  const places = parts.filter((one) => isActive(status, one)).flatMap(({ state }) => state.active)
  return places.length === 0 || places.some((place) => place.node === node)
}

/** The primitives in which a name is, of all resources. */
export const namedIn = ({ resources }: ClusterStatus, names: readonly string[]): ReadonlySet<PrimitiveResource> =>
  new Set(resources.flatMap((whole) => names.flatMap((name) => primitivesNamed(whole, name))))

/** By its name, or that of one instance: `ping:1`. Of what is unique, the name alone means the first; of a group that is cloned, a member means it whole. */
function primitivesNamed(resource: Resource, name: string): readonly PrimitiveResource[] {
  if (resource.id === name) return primitivesIn(resource)
  if (resource.configuredId === name)
    return resource.kind === 'primitive' && resource.instance?.unique === true && resource.instance.number !== 0
      ? []
      : primitivesIn(resource)
  const isCloned = resource.kind === 'group' && resource.id !== resource.configuredId
  const found = partsOf(resource).flatMap((part) => primitivesNamed(part, name))
  return isCloned && found.length > 0 ? primitivesIn(resource) : found
}
