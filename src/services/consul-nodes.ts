/**
 * What clients of Consul ask besides the instances of one service, most of them when they start: who answers, who leads, which nodes there are, and checks by
 * node or by state. Pure. (Consul's documentation: HTTP API, "Agent", "Status", "Catalog" and "Health".)
 */
import { type ConsulSource, checkOf, nearest, registered, serviceOf } from './consul.ts'

export interface ConsulSelf extends ConsulSource {
  /** Who answers. */
  readonly self: string
  readonly version: string
  /** The node that decides for the cluster; undefined without quorum. */
  readonly leader: string | undefined
}

/** Of the calls between daemons: a client shows it and connects to it nowhere. */
const daemonPort = 7700
const everything = { tags: [], passing: false }

function placeOf({ nodes }: ConsulSource, node: string): string {
  const address = nodes.find(({ name }) => name === node)?.address ?? ''
  return address.includes(':') ? `[${address}]:${daemonPort}` : `${address}:${daemonPort}`
}

/** Its version is Systole's: whoever asks a Consul for what only some versions have must not believe that it is one of them. */
export function agentSelf({ self, version, datacenter, nodes }: ConsulSelf): unknown {
  const address = nodes.find(({ name }) => name === self)?.address ?? ''
  return {
    Config: { Datacenter: datacenter, PrimaryDatacenter: datacenter, NodeName: self, NodeID: self, Version: version },
    DebugConfig: {},
    Member: { Name: self, Addr: address, Port: daemonPort, Tags: { dc: datacenter, role: 'systole' }, Status: 1 },
    Meta: {},
  }
}

/** Empty while nobody leads, as Consul has it. */
export const statusLeader = (source: ConsulSelf): string =>
  source.leader === undefined ? '' : placeOf(source, source.leader)

export const statusPeers = (source: ConsulSource): readonly string[] =>
  source.nodes.map(({ name }) => placeOf(source, name))

const nodeOf = (source: ConsulSource, name: string, index: number): unknown => ({
  ID: name,
  Node: name,
  Address: source.nodes.find((one) => one.name === name)?.address ?? '',
  Datacenter: source.datacenter,
  TaggedAddresses: {},
  Meta: {},
  CreateIndex: index,
  ModifyIndex: index,
})

export const catalogNodes = (source: ConsulSource, index: number, near: string | undefined): readonly unknown[] =>
  nearest(source.nodes, near, ({ name }) => name).map(({ name }) => nodeOf(source, name, index))

/** Null, as Consul has it, where there is no such node. */
export function catalogNode(source: ConsulSource, node: string, index: number): unknown {
  if (!source.nodes.some(({ name }) => name === node)) return null
  const own = all(source).filter((one) => one.node === node)
  return { Node: nodeOf(source, node, index), Services: Object.fromEntries(own.map((one) => [one.id, serviceOf(one)])) }
}

export const healthOfNode = (source: ConsulSource, node: string): readonly unknown[] =>
  all(source).flatMap((one) => (one.node === node ? checkOf(one, source.indexOf(one.service.definition.name)) : []))

export const healthChecks = (source: ConsulSource, service: string): readonly unknown[] =>
  registered(source, service, everything).map((one) => checkOf(one, source.indexOf(service)))

export const healthState = (source: ConsulSource, state: string): readonly unknown[] =>
  all(source).flatMap((one) =>
    state === 'any' || one.status === state ? checkOf(one, source.indexOf(one.service.definition.name)) : [],
  )

export const agentChecks = (source: ConsulSelf): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    all(source)
      .filter(({ node }) => node === source.self)
      .map((one) => [`service:${one.id}`, checkOf(one, source.indexOf(one.service.definition.name))]),
  )

const all = (source: ConsulSource) =>
  source.catalogue.services.flatMap(({ definition }) => registered(source, definition.name, everything))
