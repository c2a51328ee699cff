/**
 * The names of DNS that a catalogue stands for, each with what it leads to: `<service>.service`, `<tag>.<service>.service`,
 * `_<service>._tcp.service`, `<node>.node`, and `<hexadecimal address>.addr` for an instance whose address is not that of its node. All are below the
 * domain, and below the cluster's own name in it.
 */
import { type Catalogue, healthyOf, type ServiceInstance } from './catalogue.ts'
import type { DnsSetting } from './doors.ts'
import { hexOf, parseIp } from './ip.ts'

export interface NodeAddress {
  readonly name: string
  readonly address: string
}

/** One place that a name leads to. */
export interface Target {
  readonly address: string
  readonly family: 4 | 6
  /** As `<node>.node`, below the domain. */
  readonly host: string
  readonly port: number
  readonly weight: number
}

export interface Zone {
  readonly domain: string
  /** The cluster's own name, where DNS can have it. */
  readonly cluster: string | undefined
  /** Of other clusters that questions are passed on to. */
  readonly others: ReadonlySet<string>
  readonly forwards: boolean
  readonly ttl: number
  readonly serial: number
  /** Who answers, as `<node>.node`. */
  readonly self: string
  /** By name below the domain, in lower case. One that is there without a target exists and leads nowhere. */
  readonly names: ReadonlyMap<string, readonly Target[]>
}

export interface ZoneSource {
  readonly setting: Pick<DnsSetting, 'domain' | 'ttlSeconds' | 'clusters' | 'forward'>
  readonly clusterName: string
  readonly self: string
  readonly serial: number
  readonly catalogue: Pick<Catalogue, 'services'>
  readonly nodes: readonly NodeAddress[]
}

const hostPattern = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/i
const longestHost = 100
const clusterPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

export function zoneOf({ setting, clusterName, self, serial, catalogue, nodes }: ZoneSource): Zone {
  const names = new Map<string, Target[]>()
  const add = (name: string, targets: readonly Target[]): void => {
    names.set(name, [...(names.get(name) ?? []), ...targets])
    // Whatever is above a name exists as well.
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1))
      if (!names.has(name.slice(dot + 1))) names.set(name.slice(dot + 1), [])
  }
  for (const top of ['', 'service', 'node', 'addr']) add(top, [])
  for (const node of nodes) {
    const host = hostOf(node.name)
    const target = host === undefined ? undefined : targetOf(node.address, host)
    if (host !== undefined) add(host, target === undefined ? [] : [target])
  }
  const addressOf = new Map(nodes.map(({ name, address }) => [name, address]))
  for (const service of catalogue.services) {
    const { name, tags, protocol, weight } = service.definition
    const targets = healthyOf(service).flatMap((instance) => instanceTarget(instance, { weight, addressOf }))
    for (const target of targets)
      if (target.host.endsWith('.addr') && !names.has(target.host)) add(target.host, [target])
    for (const label of [name, ...tags.map((tag) => `${tag}.${name}`), `_${name}._${protocol}`])
      add(`${label}.service`, targets)
  }
  const cluster = clusterName.toLowerCase()
  return {
    domain: setting.domain,
    cluster: clusterPattern.test(cluster) ? cluster : undefined,
    others: new Set(setting.clusters.keys()),
    forwards: setting.forward.length > 0,
    ttl: setting.ttlSeconds,
    serial,
    self: hostOf(self) ?? 'node',
    names,
  }
}

function hostOf(node: string): string | undefined {
  return hostPattern.test(node) && node.length <= longestHost ? `${node.toLowerCase()}.node` : undefined
}

function targetOf(address: string, host: string, more = { port: 0, weight: 1 }): Target | undefined {
  const bytes = parseIp(address)
  if (bytes === undefined) return undefined
  return { address, family: bytes.length === 4 ? 4 : 6, host, ...more }
}

function instanceTarget(
  { node, address, port }: ServiceInstance,
  { weight, addressOf }: { readonly weight: number; readonly addressOf: ReadonlyMap<string, string> },
): readonly Target[] {
  const bytes = address === undefined ? undefined : parseIp(address)
  if (address === undefined || bytes === undefined) return []
  const isOfNode = node !== undefined && addressOf.get(node) === address
  const host = (isOfNode ? hostOf(node) : undefined) ?? `${hexOf(bytes)}.addr`
  return [{ address, family: bytes.length === 4 ? 4 : 6, host, port, weight }]
}
