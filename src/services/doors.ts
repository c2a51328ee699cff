/**
 * Where services can be asked for: by DNS and by HTTP, on every node. Each is a cluster option whose value is words, as a service's declaration is
 * (ADR 62): absent, nothing is open. `systole service dns enable` and `systole service http enable` write them.
 */
import { failed, ok, parseDurationMs, type Result } from '../base/index.ts'
import { type Network, parseIp, parseNetwork } from './ip.ts'

export const dnsOption = 'service-dns'
export const httpOption = 'service-http'

/** What opens a port says where, and to whom. */
export interface Door {
  readonly port: number
  /** `local`: the loopback address. `node`: the addresses that the node has in the cluster. Or addresses, which the node may get later. */
  readonly listen: readonly string[]
  /** Whose questions are answered, beside those of this host and of the cluster's nodes. Undefined: everybody's. */
  readonly clients?: readonly string[]
}

export interface DnsSetting extends Door {
  /** Without a dot at its end, in lower case. */
  readonly domain: string
  readonly ttlSeconds: number
  /** While this node has no quorum: nothing is said, or what was known last, which says that it may be old. */
  readonly withoutQuorum: 'refuse' | 'mark'
  /** Who answers for names that are not of this domain: addresses of name servers. Empty: nobody. */
  readonly forward: readonly string[]
  /** Of other clusters, by their names: addresses of their nodes. */
  readonly clusters: ReadonlyMap<string, readonly string[]>
}

export type HttpSetting = Door

const defaultDomain = 'systole'
const defaultTtlSeconds = 5
const mostAddresses = 16
const mostClusters = 32
const domainPattern = /^(?=.{1,120}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/
const clusterPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

type Words = ReadonlyMap<string, string>

const doorKeys = ['port', 'listen', 'clients']
const dnsKeys = [...doorKeys, 'domain', 'ttl', 'without-quorum', 'forward']
const clusterKey = 'cluster.'

/** Undefined: off. Each report is a sentence. */
export function parseDnsSetting(text: string): Result<DnsSetting | undefined, string> {
  if (isOff(text)) return ok(undefined)
  const reports: string[] = []
  const words = readWords(text, { keys: dnsKeys, also: clusterKey }, reports)
  const setting: DnsSetting = {
    ...readDoor(words, 53, reports),
    domain: readDomain(words, reports),
    ttlSeconds: readTtl(words, reports),
    withoutQuorum: readWithoutQuorum(words, reports),
    forward: readAddresses(words, 'forward', reports),
    clusters: readClusters(words, reports),
  }
  return reports.length > 0 ? failed(...reports) : ok(setting)
}

export function parseHttpSetting(text: string): Result<HttpSetting | undefined, string> {
  if (isOff(text)) return ok(undefined)
  const reports: string[] = []
  const setting = readDoor(readWords(text, { keys: doorKeys }, reports), 8500, reports)
  return reports.length > 0 ? failed(...reports) : ok(setting)
}

const isOff = (text: string): boolean => ['', 'off'].includes(text.trim())

function readWords(
  text: string,
  { keys, also }: { readonly keys: readonly string[]; readonly also?: string },
  reports: string[],
): Words {
  const words = new Map<string, string>()
  for (const word of text.split(/\s+/).filter((part) => part !== '' && part !== 'on')) {
    const [, key = word, value = ''] = /^([^=]*)=(.*)$/.exec(word) ?? []
    const isKnown = keys.includes(key) || (also !== undefined && key.startsWith(also))
    if (!isKnown)
      reports.push(
        `There is no option '${key}'. Options: ${[...keys, ...(also === undefined ? [] : [`${also}<name>`])].join(', ')}.`,
      )
    else if (words.has(key)) reports.push(`The option ${key} is given twice.`)
    else if (value === '') reports.push(`The option ${key} has no value.`)
    else words.set(key, value)
  }
  return words
}

function readDoor(words: Words, port: number, reports: string[]): Door {
  const clients = words.get('clients')?.split(',')
  for (const client of clients ?? [])
    if (parseNetwork(client) === undefined)
      reports.push(`'${client}' is not a network or an IP address. Examples: clients=10.0.0.0/8,fd00::/8.`)
  if ((clients?.length ?? 0) > mostAddresses)
    reports.push(`The option clients takes at most ${mostAddresses} networks.`)
  const listen = words.get('listen')?.split(',') ?? ['local', 'node']
  for (const where of listen)
    if (where !== 'local' && where !== 'node' && parseIp(where) === undefined)
      reports.push(`'${where}' is not local, node or an IP address, such as in listen=local,10.0.0.100.`)
  if (listen.length > mostAddresses) reports.push(`The option listen takes at most ${mostAddresses} addresses.`)
  return { port: readPort(words, port, reports), listen, ...(clients === undefined ? {} : { clients }) }
}

function readPort(words: Words, otherwise: number, reports: string[]): number {
  const written = words.get('port')
  if (written === undefined) return otherwise
  const port = /^\d{1,5}$/.test(written) ? Number(written) : 0
  if (port >= 1 && port <= 65_535) return port
  reports.push(`The port '${written}' is not a number from 1 to 65535.`)
  return otherwise
}

function readDomain(words: Words, reports: string[]): string {
  const written = (words.get('domain') ?? defaultDomain).toLowerCase().replace(/\.$/, '')
  if (!domainPattern.test(written))
    reports.push(
      `'${written}' is not a domain. Use labels of letters, digits and hyphens, such as domain=cluster.internal.`,
    )
  return written
}

function readTtl(words: Words, reports: string[]): number {
  const written = words.get('ttl')
  if (written === undefined) return defaultTtlSeconds
  const ms = parseDurationMs(written)
  if (ms !== undefined && ms >= 0 && ms <= 3_600_000 && ms % 1000 === 0) return ms / 1000
  reports.push(`The ttl '${written}' is not a whole number of seconds from 0 to 1h. Examples: 5s, 1min.`)
  return defaultTtlSeconds
}

function readWithoutQuorum(words: Words, reports: string[]): DnsSetting['withoutQuorum'] {
  const written = words.get('without-quorum') ?? 'refuse'
  if (written === 'refuse' || written === 'mark') return written
  reports.push(`The option without-quorum must be refuse or mark, not '${written}'.`)
  return 'refuse'
}

function readAddresses(words: Words, key: string, reports: string[]): readonly string[] {
  const addresses = words.get(key)?.split(',') ?? []
  for (const address of addresses)
    if (parseIp(address) === undefined) reports.push(`'${address}' is not an IP address. Example: ${key}=10.0.0.53.`)
  if (addresses.length > mostAddresses) reports.push(`The option ${key} takes at most ${mostAddresses} addresses.`)
  return addresses
}

function readClusters(words: Words, reports: string[]): DnsSetting['clusters'] {
  const keys = [...words.keys()].filter((key) => key.startsWith(clusterKey))
  if (keys.length > mostClusters) reports.push(`There are ${keys.length} clusters. The limit is ${mostClusters}.`)
  for (const key of keys)
    if (!clusterPattern.test(key.slice(clusterKey.length)))
      reports.push(
        `'${key.slice(clusterKey.length)}' cannot be a cluster in DNS: use lower-case letters, digits and hyphens.`,
      )
  return new Map(keys.map((key) => [key.slice(clusterKey.length), readAddresses(words, key, reports)]))
}

const whichDoor = ({ port, listen, clients }: Door, usualPort: number): readonly string[] => [
  ...(port === usualPort ? [] : [`port=${port}`]),
  ...(listen.join() === 'local,node' ? [] : [`listen=${listen.join(',')}`]),
  ...(clients === undefined ? [] : [`clients=${clients.join(',')}`]),
]

/** The words that stand for it in the configuration: only what is not the default, `on` where nothing else is. */
export function printDnsSetting(setting: DnsSetting): string {
  const words = [
    ...(setting.domain === defaultDomain ? [] : [`domain=${setting.domain}`]),
    ...whichDoor(setting, 53),
    ...(setting.ttlSeconds === defaultTtlSeconds ? [] : [`ttl=${setting.ttlSeconds}s`]),
    ...(setting.withoutQuorum === 'refuse' ? [] : [`without-quorum=${setting.withoutQuorum}`]),
    ...(setting.forward.length === 0 ? [] : [`forward=${setting.forward.join(',')}`]),
    ...[...setting.clusters].map(([name, addresses]) => `${clusterKey}${name}=${addresses.join(',')}`),
  ]
  return words.length === 0 ? 'on' : words.join(' ')
}

export const printHttpSetting = (setting: HttpSetting): string => whichDoor(setting, 8500).join(' ') || 'on'

/** The networks of a door as they are compared. */
export const networksOf = ({ clients }: Door): readonly Network[] | undefined =>
  clients?.flatMap((client) => parseNetwork(client) ?? [])
