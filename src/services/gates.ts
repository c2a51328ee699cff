/**
 * Gates: what a resource waits for before it starts. One meta-attribute of the resource that waits, `systole-requires-<service>`, whose value is words
 * such as `min=2`, or `min=2 dns=keystone.service.west.example`: so it goes wherever the configuration goes, and no other program minds it. A gate keeps
 * a resource from nodes where it is not active; what runs goes on, whatever becomes of the service.
 */
import { durationWord, failed, ok, parseDurationMs, type Result, shortened } from '../base/index.ts'
import { type Configuration, childrenOf, type ResourceDefinition } from '../cib/index.ts'
import type { ClusterStatus } from '../status/index.ts'
import { type Catalogue, catalogueOf, healthyOf, type Service } from './catalogue.ts'
import { describeInstance } from './describe.ts'
import { passedCheck } from './health.ts'
import { parseIp } from './ip.ts'

export const gateAttributePrefix = 'systole-requires-'
export const mostGates = 200

/** Another cluster's service, or anything else that DNS knows. */
export interface DnsQuestion {
  readonly kind: 'dns'
  readonly name: string
  /** Asked instead of the servers that the node asks. */
  readonly server?: string
  readonly min: number
  readonly intervalMs: number
  readonly timeoutMs: number
}

export interface GateDefinition {
  /** The service that is waited for; with `dns` only a name for the gate. */
  readonly service: string
  /** The resource that waits: a primitive, group, clone or bundle. */
  readonly resource: string
  readonly min: number
  readonly dns?: DnsQuestion
}

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const dnsName = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?)*\.?$/i
const mostMembers = 1000
const keys = ['min', 'dns', 'server', 'interval', 'timeout'] as const
type Key = (typeof keys)[number]

/** From the words of its value. Each report is a sentence. */
export function parseGate(
  { service, resource }: Pick<GateDefinition, 'service' | 'resource'>,
  text: string,
): Result<GateDefinition, string> {
  const reports: string[] = []
  if (!label.test(service))
    reports.push(`'${shortened(service)}' cannot be the name of a service. Use lower-case letters, digits and hyphens.`)
  const words = readWords(text, reports)
  const min = numberOf(words.get('min') ?? '1')
  if (min === undefined) reports.push(`The min '${words.get('min')}' is not a number from 1 to ${mostMembers}.`)
  const dns = readDns(words, min ?? 1, reports)
  return reports.length > 0
    ? failed(...reports)
    : ok({ service, resource, min: min ?? 1, ...(dns === undefined ? {} : { dns }) })
}

function readWords(text: string, reports: string[]): ReadonlyMap<Key, string> {
  const words = new Map<Key, string>()
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    const [, written = word, value = ''] = /^([^=]*)=(.*)$/.exec(word) ?? []
    const key = keys.find((known) => known === written)
    if (key === undefined) reports.push(`A gate has no option '${shortened(written)}'. Options: ${keys.join(', ')}.`)
    else if (words.has(key)) reports.push(`The option ${key} is given twice.`)
    else if (value === '') reports.push(`The option ${key} has no value.`)
    else words.set(key, value)
  }
  return words
}

function numberOf(written: string): number | undefined {
  const number = /^\d{1,4}$/.test(written) ? Number(written) : Number.NaN
  return number >= 1 && number <= mostMembers ? number : undefined
}

function readDns(words: ReadonlyMap<Key, string>, min: number, reports: string[]): DnsQuestion | undefined {
  const name = words.get('dns')
  if (name === undefined) {
    for (const key of ['server', 'interval', 'timeout'] as const)
      if (words.has(key)) reports.push(`The option ${key} needs dns=<name>.`)
    return undefined
  }
  if (name.length > 253 || !dnsName.test(name))
    reports.push(`'${shortened(name)}' is not a name that DNS can be asked for.`)
  const server = words.get('server')
  if (server !== undefined && !isServer(server))
    reports.push(
      `The server '${shortened(server)}' is not an IP address, with a port as in 192.0.2.1:5353 or [2001:db8::1]:5353.`,
    )
  const duration = (key: 'interval' | 'timeout', otherwise: number, [from, to]: readonly [number, number]): number => {
    const written = words.get(key)
    const ms = written === undefined ? otherwise : parseDurationMs(written)
    if (ms !== undefined && ms >= from && ms <= to) return ms
    reports.push(`The ${key} '${written}' is not a duration from ${from} ms to ${to / 1000} s.`)
    return otherwise
  }
  return {
    kind: 'dns',
    name,
    ...(server === undefined ? {} : { server }),
    min,
    intervalMs: duration('interval', 5000, [1000, 3_600_000]),
    timeoutMs: duration('timeout', 3000, [100, 60_000]),
  }
}

/** With a port or without. */
function isServer(text: string): boolean {
  const [, six, port] = /^\[([^\]]+)\](?::(\d+))?$/.exec(text) ?? []
  if (six !== undefined) return parseIp(six) !== undefined && isPort(port)
  const [, four = '', portOfFour] = /^([\d.]+)(?::(\d+))?$/.exec(text) ?? []
  return (parseIp(four) !== undefined && isPort(portOfFour)) || parseIp(text) !== undefined
}

const isPort = (text: string | undefined): boolean =>
  text === undefined || (text.length <= 5 && Number(text) > 0 && Number(text) <= 65_535)

/** The words that stand for it in the configuration. */
export function printGate({ min, dns }: GateDefinition): string {
  return [
    `min=${min}`,
    ...(dns === undefined
      ? []
      : [
          `dns=${dns.name}`,
          ...(dns.server === undefined ? [] : [`server=${dns.server}`]),
          ...(dns.intervalMs === 5000 ? [] : [`interval=${durationWord(dns.intervalMs)}`]),
          ...(dns.timeoutMs === 3000 ? [] : [`timeout=${durationWord(dns.timeoutMs)}`]),
        ]),
  ].join(' ')
}

export interface DeclaredGates {
  readonly gates: readonly GateDefinition[]
  /** Gates that cannot be read stay closed: who wrote them meant one. */
  readonly unreadable: readonly { readonly service: string; readonly resource: string; readonly why: string }[]
  readonly mistakes: readonly string[]
}

export function declaredGates({ resources }: Pick<Configuration, 'resources'>): DeclaredGates {
  const gates: GateDefinition[] = []
  const unreadable: DeclaredGates['unreadable'][number][] = []
  const found = resources.flatMap(declarations)
  for (const { service, resource, value } of found.slice(0, mostGates)) {
    const parsed = parseGate({ service, resource }, value)
    if (parsed.ok) gates.push(parsed.value)
    else unreadable.push({ service, resource, why: parsed.reports.join(' ') })
  }
  const tooMany =
    found.length > mostGates
      ? [`The configuration has ${found.length} gates. The limit is ${mostGates}: only the first ones count.`]
      : []
  return {
    gates,
    unreadable,
    mistakes: [
      ...tooMany,
      ...unreadable
        .slice(0, 20)
        .map(({ service, resource, why }) => `The gate ${shortened(service)} of ${resource} stays closed: ${why}`),
    ],
  }
}

interface Declaration {
  readonly service: string
  readonly resource: string
  readonly value: string
}

function declarations(definition: ResourceDefinition): readonly Declaration[] {
  const own = definition.meta.flatMap(({ pairs }) =>
    pairs.flatMap(({ name, value }) =>
      name.startsWith(gateAttributePrefix)
        ? [{ service: name.slice(gateAttributePrefix.length), resource: String(definition.id), value }]
        : [],
    ),
  )
  return [...own, ...childrenOf(definition).flatMap(declarations)]
}

/** Each node asks DNS for itself, and writes whether enough of it answered. */
export const gateAttribute = ({ service, resource }: Pick<GateDefinition, 'service' | 'resource'>): string =>
  `requires-${resource}-${service}`

export interface GateState {
  readonly service: string
  readonly resource: string
  readonly definition?: GateDefinition
  /** Why the resource may not start on a node; undefined where it may. */
  readonly closedOn: (node: string) => string | undefined
}

/** All gates, and which are closed where, from what the CIB says at one moment. */
export function gatesOf(status: ClusterStatus): readonly GateState[] {
  const { gates, unreadable } = declaredGates(status.configuration)
  if (gates.length + unreadable.length === 0) return []
  const catalogue = gates.some(({ dns }) => dns === undefined) ? catalogueOf(status, () => undefined) : undefined
  return [
    ...gates.map((definition): GateState => {
      const { service, resource, dns } = definition
      const common = { service, resource, definition }
      if (dns !== undefined) return { ...common, closedOn: (node) => unanswered({ ...definition, dns }, status, node) }
      const why = whyClosed(definition, catalogue)
      return { ...common, closedOn: () => why }
    }),
    ...unreadable.map(({ service, resource, why }): GateState => ({ service, resource, closedOn: () => why })),
  ]
}

function whyClosed({ service, min }: GateDefinition, catalogue: Catalogue | undefined): string | undefined {
  const found = catalogue?.services.find(({ definition }) => definition.name === service)
  if (found === undefined) return `no resource declares the service ${service}`
  const healthy = healthyOf(found).length
  return healthy >= min ? undefined : `${healthy} of ${min} members of ${service} are healthy${others(found)}`
}

const mostNamed = 3

function others({ instances }: Service): string {
  const told = instances.filter(({ state }) => state !== 'healthy').slice(0, mostNamed)
  return told.length === 0 ? '' : `: ${told.map(describeInstance).join('; ')}`
}

function unanswered(
  gate: GateDefinition & { readonly dns: DnsQuestion },
  status: ClusterStatus,
  node: string,
): string | undefined {
  const result = status.nodes.find((one) => one.name === node)?.attributes.get(gateAttribute(gate))
  if (result === passedCheck) return undefined
  if (result === undefined) return `DNS has not been asked for ${gate.dns.name} yet`
  return /^failing: (.*)$/s.exec(result)?.[1] ?? `the node attribute ${gateAttribute(gate)} has an unknown value`
}

/** The primitives whose results may open a gate that is closed, by the name in their history. */
export function awaitedBy(states: readonly GateState[], status: ClusterStatus): readonly string[] {
  const wanted = new Set(
    states.flatMap(({ definition, service, closedOn }) =>
      definition !== undefined && definition.dns === undefined && closedOn('') !== undefined ? [service] : [],
    ),
  )
  if (wanted.size === 0) return []
  const services = catalogueOf(status, () => undefined).services.filter(({ definition }) => wanted.has(definition.name))
  const providers = new Set(services.map(({ definition }) => definition.resource))
  const inside = (definition: ResourceDefinition, counts: boolean): readonly string[] => {
    const is = counts || providers.has(definition.id)
    if (definition.kind === 'primitive') return is ? [definition.id] : []
    const children = childrenOf(definition)
    // A bundle without a resource inside is watched by its containers.
    if (children.length === 0) return is && definition.kind === 'bundle' ? [definition.id] : []
    return children.flatMap((child) => inside(child, is))
  }
  return status.configuration.resources.flatMap((one) => inside(one, false))
}
