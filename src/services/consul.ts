/**
 * A catalogue in the form of Consul's HTTP API, for its clients: the fields that they read, with what Systole has. Pure.
 * (Consul's documentation: HTTP API, "Catalog", "Health" and "Agent".)
 */
import type { Catalogue, Service, ServiceInstance } from './catalogue.ts'
import type { NodeAddress } from './zone.ts'

export interface ConsulSource {
  readonly catalogue: Pick<Catalogue, 'services'>
  readonly nodes: readonly NodeAddress[]
  /** The name of the cluster is that of the data centre. */
  readonly datacenter: string
  /** When an entry has changed last. */
  readonly indexOf: (service: string) => number
}

export interface Wanted {
  /** All of them must be there. */
  readonly tags: readonly string[]
  readonly passing: boolean
  /** A node whose instances come first. */
  readonly near?: string | undefined
}

/** Names with their tags. */
export const catalogServices = ({
  catalogue,
}: Pick<ConsulSource, 'catalogue'>): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(catalogue.services.map(({ definition }) => [definition.name, definition.tags]))

export interface Registered {
  readonly service: Service
  readonly instance: ServiceInstance
  readonly node: string
  readonly id: string
  readonly status: 'passing' | 'critical'
}

/** What runs somewhere. What was stopped is not registered any more. */
export function registered(source: ConsulSource, name: string, { tags, passing, near }: Wanted): readonly Registered[] {
  const found = source.catalogue.services
    .filter(({ definition }) => definition.name === name && tags.every((tag) => definition.tags.includes(tag)))
    .flatMap((service) =>
      service.instances.flatMap((instance): readonly Registered[] => {
        const { node, state, resource } = instance
        if (node === undefined || state === 'stopped' || (passing && state !== 'healthy')) return []
        return [
          { service, instance, node, id: `${name}:${resource}`, status: state === 'healthy' ? 'passing' : 'critical' },
        ]
      }),
    )
  return nearest(found, near, ({ node }) => node)
}

/** What is on that node first; nothing is known here of distances between the others. */
export function nearest<One>(
  list: readonly One[],
  near: string | undefined,
  nodeOfOne: (one: One) => string,
): readonly One[] {
  if (near === undefined) return list
  const isNear = (one: One): boolean => nodeOfOne(one) === near
  return [...list.filter(isNear), ...list.filter((one) => !isNear(one))]
}

const addressOf = ({ nodes }: ConsulSource, node: string): string =>
  nodes.find(({ name }) => name === node)?.address ?? ''

export function catalogService(source: ConsulSource, name: string, wanted: Wanted): readonly unknown[] {
  const index = source.indexOf(name)
  return registered(source, name, { ...wanted, passing: false }).map(({ service, instance, node, id }) => ({
    ID: node,
    Node: node,
    Address: addressOf(source, node),
    Datacenter: source.datacenter,
    TaggedAddresses: {},
    NodeMeta: {},
    ServiceKind: '',
    ServiceID: id,
    ServiceName: name,
    ServiceTags: service.definition.tags,
    ServiceAddress: instance.address ?? '',
    ServiceTaggedAddresses: {},
    ServiceWeights: weightsOf(service),
    ServiceMeta: {},
    ServicePort: instance.port,
    ServiceEnableTagOverride: false,
    CreateIndex: index,
    ModifyIndex: index,
  }))
}

const weightsOf = ({ definition }: Service): unknown => ({ Passing: definition.weight, Warning: 0 })

export function healthService(source: ConsulSource, name: string, wanted: Wanted): readonly unknown[] {
  const index = source.indexOf(name)
  return registered(source, name, wanted).map((one) => ({
    Node: {
      ID: one.node,
      Node: one.node,
      Address: addressOf(source, one.node),
      Datacenter: source.datacenter,
      TaggedAddresses: {},
      Meta: {},
      CreateIndex: index,
      ModifyIndex: index,
    },
    Service: { ...serviceOf(one), CreateIndex: index, ModifyIndex: index },
    Checks: [checkOf(one, index)],
  }))
}

export const checkOf = ({ node, id, status, service, instance }: Registered, index: number): unknown => ({
  Node: node,
  CheckID: `service:${id}`,
  Name: `${service.definition.resource} as ${service.definition.name}`,
  Status: status,
  Notes: '',
  Output: instance.reason ?? instance.state,
  ServiceID: id,
  ServiceName: service.definition.name,
  ServiceTags: service.definition.tags,
  Type: '',
  Definition: {},
  CreateIndex: index,
  ModifyIndex: index,
})

export const serviceOf = ({ service, instance, id }: Registered) => ({
  ID: id,
  Service: service.definition.name,
  Tags: service.definition.tags,
  Address: instance.address ?? '',
  TaggedAddresses: {},
  Meta: {},
  Port: instance.port,
  Weights: weightsOf(service),
  EnableTagOverride: false,
})

/** What runs on one node. */
export function agentServices(source: ConsulSource, self: string): Readonly<Record<string, unknown>> {
  const all = source.catalogue.services.flatMap(({ definition }) =>
    registered(source, definition.name, { tags: [], passing: false }),
  )
  return Object.fromEntries(
    all
      .filter(({ node }) => node === self)
      .map((one) => [one.id, { ...serviceOf(one), Datacenter: source.datacenter }]),
  )
}

/** An instance as an event tells it. */
export const eventOf = ({ definition, expected, instances }: Service): unknown => ({
  service: definition.name,
  port: definition.port,
  tags: definition.tags,
  expected,
  healthy: instances.filter(({ state }) => state === 'healthy').length,
  instances: instances.map(({ resource, node, address, port, state, reason }) => ({
    resource,
    ...(node !== undefined && { node }),
    ...(address !== undefined && { address }),
    port,
    state,
    ...(reason !== undefined && { reason }),
  })),
})
