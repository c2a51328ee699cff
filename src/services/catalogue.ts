/**
 * Which instances of each service there are, where, and in which state: from what the CIB says at one moment, and the addresses of the nodes.
 * Whoever is offered to clients is `healthy`; everything else is on its way or out of service.
 */
import { shortened } from '../base/index.ts'
import type { ClusterStatus, GroupResource, PrimitiveResource, Resource } from '../status/index.ts'
import { partsOf, primitivesIn } from '../status/index.ts'
import { declaredServices } from './declared.ts'
import { nodeAddress, type ServiceDefinition } from './definition.ts'
import { healthNowhere, healthOn, type InstanceHealth } from './health.ts'
import { isPlainAddress } from './ip.ts'

export interface ServiceInstance extends InstanceHealth {
  /** The resource, of a clone with its number. */
  readonly resource: string
  /** Undefined while it is active nowhere. */
  readonly node?: string
  /** Undefined where the address is not known. */
  readonly address?: string
  readonly port: number
}

export interface Service {
  readonly definition: ServiceDefinition
  /** How many instances are to be healthy. */
  readonly expected: number
  readonly instances: readonly ServiceInstance[]
}

export interface Catalogue {
  readonly services: readonly Service[]
  readonly mistakes: readonly string[]
}

export type AddressOf = (node: string) => string | undefined

export function catalogueOf(status: ClusterStatus, addressOf: AddressOf): Catalogue {
  const { services, mistakes } = declaredServices(status.configuration)
  return { mistakes, services: services.map((definition) => serviceOf(definition, { status, addressOf })) }
}

export const healthyOf = ({ instances }: Service): readonly ServiceInstance[] =>
  instances.filter(({ state }) => state === 'healthy')

/** One thing that answers by itself: a primitive or a group, of a clone each instance. */
interface Unit {
  readonly resource: PrimitiveResource | GroupResource
  /** Of a bundle with addresses of its own: the replica's. */
  readonly replica?: { readonly address?: string; readonly host: PrimitiveResource }
}

interface Sources {
  readonly status: ClusterStatus
  readonly addressOf: AddressOf
}

function serviceOf(definition: ServiceDefinition, sources: Sources): Service {
  const found = sources.status.resources
    .filter(({ orphan }) => !orphan)
    .flatMap((one) => named(one, definition.resource))
  const instances = found.flatMap(unitsOf).flatMap((unit) => instancesOf(unit, definition, sources))
  // Where a role is asked for, who is active nowhere is missed by nobody as long as somebody is.
  const shown =
    definition.role !== undefined && instances.some(({ node }) => node !== undefined)
      ? instances.filter(({ node }) => node !== undefined)
      : instances
  const expected = definition.expected ?? found.reduce((sum, one) => sum + wanted(one, definition), 0)
  return { definition, expected, instances: shown }
}

/** The resource of that name, and of one inside a clone every instance. */
function named(resource: Resource, id: string): readonly Resource[] {
  return String(resource.configuredId) === id ? [resource] : partsOf(resource).flatMap((part) => named(part, id))
}

function unitsOf(resource: Resource): readonly Unit[] {
  switch (resource.kind) {
    case 'primitive':
    case 'group':
      return [{ resource }]
    case 'clone':
      return resource.instances.map((instance) => ({ resource: instance }))
    case 'bundle':
      return resource.replicas.map(({ child, container, ipAddress }) => ({
        resource: child ?? container,
        replica: { host: container, ...(ipAddress === undefined ? {} : { address: ipAddress }) },
      }))
  }
}

function wanted(resource: Resource, { role }: ServiceDefinition): number {
  if (resource.meta.targetRole === 'Stopped') return 0
  switch (resource.kind) {
    case 'primitive':
    case 'group':
      return 1
    case 'clone':
      return role === 'Promoted' ? resource.promotedMax : Math.min(resource.cloneMax, resource.instances.length)
    case 'bundle':
      return role === 'Promoted' ? resource.promotedMax : resource.replicas.length
  }
}

function instancesOf(unit: Unit, definition: ServiceDefinition, sources: Sources): readonly ServiceInstance[] {
  const { resource } = unit
  const nodes = [
    ...new Set(
      primitivesIn(resource).flatMap(({ state }) => [...state.active.map(({ node }) => node), ...pendingOn(state)]),
    ),
  ]
  const base = { resource: String(resource.id), port: definition.port }
  if (nodes.length === 0) return [{ ...base, ...healthNowhere(resource) }]
  return nodes.flatMap((node): readonly ServiceInstance[] => {
    const health = healthOn(resource, definition, { node, there: sources.status.nodesByName.get(node) })
    if (health.state === 'unpromoted') return []
    const address = addressFor(unit, { node, definition }, sources)
    const placed = { ...base, node, ...health, ...(address.text === undefined ? {} : { address: address.text }) }
    return [
      address.trouble !== undefined && health.state === 'healthy'
        ? { ...placed, state: 'failing', reason: address.trouble }
        : placed,
    ]
  })
}

const pendingOn = ({
  pending,
}: PrimitiveResource['state']): readonly PrimitiveResource['state']['active'][number]['node'][] =>
  pending === undefined || pending.operation === 'monitor' ? [] : [pending.node]

interface Address {
  readonly text?: string
  /** Why nobody reaches the instance there. */
  readonly trouble?: string
}

/** Whoever may write one parameter of a resource chooses its address, which templates and programs of root's take as it is. */
function addressFor(...asked: Parameters<typeof writtenAddress>): Address {
  const address = writtenAddress(...asked)
  const { text } = address
  return text === undefined || isPlainAddress(text)
    ? address
    : { trouble: `its address '${shortened(text)}' is neither an IP address nor the name of a host` }
}

function writtenAddress(
  unit: Unit,
  { node, definition }: { readonly node: string; readonly definition: ServiceDefinition },
  { status, addressOf }: Sources,
): Address {
  const wantedAddress = definition.address
  if (wantedAddress === nodeAddress) return ofNode(unit, node, addressOf)
  if (isIp(wantedAddress)) return { text: wantedAddress }
  const virtual = status.resources
    .flatMap(primitivesIn)
    .filter(({ configuredId }) => String(configuredId) === wantedAddress)
  if (virtual.length === 0) return { trouble: `there is no resource '${wantedAddress}', whose address it has` }
  const there = virtual.find(({ state }) => state.active.some((active) => active.node === node))
  if (there === undefined) return { trouble: `${wantedAddress}, whose address it has, does not run on ${node}` }
  const text = there.parametersOn(there.state.active[0]?.node).get('ip')
  return text === undefined ? { trouble: `${wantedAddress} has no parameter ip` } : { text }
}

function ofNode({ replica }: Unit, node: string, addressOf: AddressOf): Address {
  const host = replica?.host.state.active[0]?.node ?? node
  const text = replica?.address ?? addressOf(host)
  return text === undefined ? {} : { text }
}

const isIp = (text: string): boolean => /^\d+\.\d+\.\d+\.\d+$/.test(text) || text.includes(':')
