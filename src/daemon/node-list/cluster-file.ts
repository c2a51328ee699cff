/**
 * /etc/systole/cluster.json: what a node must know before it can reach the replicated configuration: the nodes and
 * their addresses, the kind of store, ports and times. The same on all nodes.
 */
import { failed, type NodeName, nodeName, ok, type Result, similarWords } from '../../base/index.ts'
import { highestPriority, mostLinks, type NodeLink, withLinks } from './node-links.ts'

export interface ClusterNodeEntry {
  readonly name: NodeName
  /** Pacemaker's node id: a number that no other node of the list has. That of the highest node is given again once it was removed. */
  readonly id: string
  /** Of its first link. */
  readonly address: string
  /** Where it has others than link 0 alone: all of them. */
  readonly links?: readonly NodeLink[]
  readonly ports: Ports
  /** Has a member of the store, or is to have one. */
  readonly votes: boolean
  /** It is being removed from the cluster: its vote goes first. */
  readonly leaving?: true
  /**
   * The public keys that it is known by (`keyOf`): nobody else is this node. None yet: it has not joined. Left out: an older build wrote the
   * list, and its name in a certificate of the authority is all that there is to know it by, until it records its own.
   */
  readonly keys?: readonly string[]
  /** Of certificates that an older build has signed for it: those of later ones follow from its keys (`serialOf`). In hexadecimal. */
  readonly serials?: readonly string[]
}

/** A host that has a member of the store and is no node: it only votes. It has no links. */
export type WitnessEntry = Omit<ClusterNodeEntry, 'id'>

export interface Ports {
  readonly peer: number
  readonly heartbeat: number
  readonly etcdClient: number
  readonly etcdPeer: number
  readonly enrolment: number
}

export const defaultPorts: Ports = {
  peer: 7700,
  heartbeat: 7701,
  etcdClient: 7702,
  etcdPeer: 7703,
  enrolment: 7704,
}

export type StoreChoice =
  | { readonly kind: 'etcd' }
  | { readonly kind: 'embedded' }
  /** An embedded store that another process serves: several nodes on one machine (the demo). */
  | { readonly kind: 'embedded-socket'; readonly path: string }
  | { readonly kind: 'external'; readonly endpoints: readonly string[]; readonly tls?: ExternalTls }

/** Paths of PEM files, the same on each node. Without an authority those that Node.js knows are believed. */
export interface ExternalTls {
  readonly ca?: string
  /** What this cluster shows of itself, where the etcd asks for it: both or none. */
  readonly certificate?: string
  readonly key?: string
}

export interface PulseTimes {
  /** Silence after which a node is suspected. */
  readonly tokenMs: number
  readonly heartbeatIntervalMs: number
}

export interface Timings extends PulseTimes {
  /** How long a node whose daemon died, and which still answers, is given to restart it. */
  readonly restartGraceMs: number
  readonly leaseTtlMs: number
  /** How much earlier than its lease runs out a node counts itself as without quorum. */
  readonly leaseMarginMs: number
  /** Without fencing: what a lost node is given to stop all its resources. */
  readonly stopTimeMs: number
}

export const defaultTimings: Timings = {
  tokenMs: 1000,
  heartbeatIntervalMs: 333,
  restartGraceMs: 5000,
  leaseTtlMs: 5000,
  leaseMarginMs: 500,
  stopTimeMs: 10_000,
}

export interface ClusterFile {
  readonly clusterName: string
  readonly nodes: readonly ClusterNodeEntry[]
  readonly witness?: WitnessEntry
  /** Counts the changes of the list of nodes, the witness among them, since the cluster was founded: the store has the newest (node-list.ts). */
  readonly nodesVersion: number
  readonly store: StoreChoice
  /** As they are obeyed: those of `pulse` among them. */
  readonly timings: Timings
  /** Part of the list of nodes, where an administrator has changed them for all nodes. */
  readonly pulse?: PulseTimes
  /** Serial numbers of certificates that open nothing any more: of nodes that were removed, and of keys that were replaced. It only grows. */
  readonly revoked?: readonly string[]
}

export interface ClusterFileReport {
  readonly code: 'bad-cluster-file' | 'unknown-entry'
  readonly message: string
}

/** Whoever has a member of the store, or may get one. */
export const storeHosts = ({ nodes, witness }: Pick<ClusterFile, 'nodes' | 'witness'>): readonly WitnessEntry[] =>
  witness === undefined ? nodes : [...nodes, witness]

/** More would make every write slower and nothing safer. */
const mostVoters = 7

type Json = Readonly<Record<string, unknown>>

/**
 * The text of a cluster.json, every mistake collected. An unknown entry is one where people write the file; in what a daemon has
 * written, it is one of a newer version.
 */
export function parseClusterFile(
  text: string,
  unknown: 'refused' | 'ignored' = 'refused',
): Result<ClusterFile, ClusterFileReport> {
  const reports: ClusterFileReport[] = []
  const wrong: Wrong = (message, code = 'bad-cluster-file') => {
    if (unknown === 'refused' || code !== 'unknown-entry') reports.push({ code, message })
    return undefined
  }
  const value = parseObject(text, wrong)
  if (!value) return failed(...reports)
  unknownEntries(
    value,
    ['clusterName', 'nodes', 'witness', 'nodesVersion', 'store', 'timings', 'pulse', 'revoked', 'ports'],
    'cluster.json',
    wrong,
  )
  const ports = { ...defaultPorts, ...numbers(value.ports, Object.keys(defaultPorts), 'ports', wrong) }
  const written = { ...defaultTimings, ...numbers(value.timings, Object.keys(defaultTimings), 'timings', wrong) }
  const pulse = parsePulse(value.pulse, written, wrong)
  const timings = { ...written, ...pulse }
  const clusterName = value.clusterName
  if (typeof clusterName !== 'string' || clusterName === '') wrong('clusterName is missing')
  const nodes = parseNodes(value.nodes, ports, wrong)
  const witness = parseWitness(value.witness, ports, wrong)
  if (witness && nodes.some(({ name }) => name === witness.name))
    wrong(`the witness has the name of the node ${witness.name}`)
  const { nodesVersion = 0 } = numbers(
    { nodesVersion: value.nodesVersion ?? 0 },
    ['nodesVersion'],
    'cluster.json',
    wrong,
  )
  const revoked = parseTexts(value.revoked, { where: 'revoked', form: serialForm, are: 'serial numbers' }, wrong)
  const store = parseStore(value.store, wrong)
  if (timings.heartbeatIntervalMs * 2 > timings.tokenMs)
    wrong('timings.heartbeatIntervalMs must be at most half of timings.tokenMs, or one late beat loses a node')
  if (timings.leaseMarginMs * 2 > timings.leaseTtlMs)
    wrong('timings.leaseMarginMs must be at most half of timings.leaseTtlMs')
  if (reports.length > 0 || !store) return failed(...reports)
  return ok({
    clusterName: asText(clusterName),
    nodes,
    ...(witness === undefined ? {} : { witness }),
    nodesVersion,
    store,
    timings,
    ...(pulse === undefined ? {} : { pulse }),
    ...(revoked === undefined ? {} : { revoked }),
  })
}

export function printClusterFile(file: ClusterFile): string {
  const nodes = file.nodes.map(({ name, id, address, links, ports, votes, leaving, keys, serials }, index) => {
    return {
      name,
      id,
      address,
      ...(links === undefined ? {} : { links }),
      ...(votes === index < mostVoters ? {} : { votes }),
      ...(leaving ? { leaving } : {}),
      ...(keys === undefined ? {} : { keys }),
      ...(serials === undefined ? {} : { serials }),
      ...ownPorts(ports),
    }
  })
  const witness =
    file.witness === undefined
      ? {}
      : { witness: { ...file.witness, ports: undefined, ...ownPorts(file.witness.ports) } }
  const own = Object.entries(file.timings).filter(([name, ms]) => ms !== defaultTimings[name as keyof Timings])
  const timings = own.length > 0 ? { timings: Object.fromEntries(own) } : {}
  const version = file.nodesVersion > 0 ? { nodesVersion: file.nodesVersion } : {}
  const pulse = file.pulse === undefined ? {} : { pulse: file.pulse }
  const revoked = file.revoked === undefined ? {} : { revoked: file.revoked }
  const { clusterName, store } = file
  const list = { clusterName, nodes, ...witness, ...version, store, ...timings, ...pulse, ...revoked }
  return `${JSON.stringify(list, null, 2)}\n`
}

function ownPorts(ports: Ports): { readonly ports?: Partial<Ports> } {
  const own = Object.entries(ports).filter(([port, number]) => number !== defaultPorts[port as keyof Ports])
  return own.length > 0 ? { ports: Object.fromEntries(own) } : {}
}

type Wrong = (message: string, code?: ClusterFileReport['code']) => undefined

function parseObject(text: string, wrong: Wrong): Json | undefined {
  try {
    return asObject(JSON.parse(text), 'cluster.json', wrong)
  } catch (error) {
    if (error instanceof SyntaxError) return wrong(`cluster.json is not JSON: ${error.message}`)
    throw error
  }
}

function asObject(value: unknown, where: string, wrong: Wrong): Json | undefined {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  return wrong(`${where} must be an object`)
}

function unknownEntries(value: Json, known: readonly string[], where: string, wrong: Wrong): void {
  for (const name of Object.keys(value))
    if (!known.includes(name)) {
      const [similar] = similarWords(name, known)
      const meant = similar === undefined ? '' : ` (did you mean '${similar}'?)`
      wrong(`${where} has an unknown entry '${name}'${meant}`, 'unknown-entry')
    }
}

function numbers(value: unknown, known: readonly string[], where: string, wrong: Wrong): Record<string, number> {
  if (value === undefined) return {}
  const object = asObject(value, where, wrong) ?? {}
  unknownEntries(object, known, where, wrong)
  const entries = Object.entries(object).filter(([name]) => known.includes(name))
  for (const [name, number] of entries)
    if (typeof number !== 'number' || !Number.isInteger(number) || number < 0)
      wrong(`${where}.${name} must be a whole number`)
  return Object.fromEntries(entries.map(([name, number]) => [name, Number(number)]))
}

/** What it leaves out is as among the timings. */
function parsePulse(value: unknown, { tokenMs, heartbeatIntervalMs }: Timings, wrong: Wrong): PulseTimes | undefined {
  if (value === undefined) return undefined
  const times = { tokenMs, heartbeatIntervalMs }
  return { ...times, ...numbers(value, Object.keys(times), 'pulse', wrong) }
}

function parseNodes(value: unknown, ports: Ports, wrong: Wrong): readonly ClusterNodeEntry[] {
  if (!Array.isArray(value) || value.length === 0) return wrong('nodes must list at least one node') ?? []
  const nodes = value.flatMap((entry: unknown, index): readonly ClusterNodeEntry[] => {
    const where = `nodes[${index}]`
    const node = asObject(entry, where, wrong)
    if (!node) return []
    unknownEntries(
      node,
      ['name', 'id', 'address', 'links', 'ports', 'votes', 'leaving', 'keys', 'serials'],
      where,
      wrong,
    )
    const { name, id, address } = node
    if (typeof name !== 'string' || name === '') return wrong(`${where} has no name`) ?? []
    const own = numbers(node.ports, Object.keys(defaultPorts), `${where}.ports`, wrong)
    const host: ClusterNodeEntry = {
      name: nodeName(name),
      id: id === undefined ? String(index + 1) : asText(id),
      address: typeof address === 'string' && address !== '' ? address : name,
      ports: { ...ports, ...own },
      votes: node.votes === undefined ? index < mostVoters : node.votes !== false,
      ...(node.leaving === true ? { leaving: true } : {}),
      ...parseKeys(node, where, wrong),
    }
    const links = node.links === undefined ? [] : parseLinks(node.links, `${where}.links`, wrong)
    return [links.length === 0 ? host : withLinks(host, links)]
  })
  for (const key of ['name', 'id'] as const) {
    const values = nodes.map((node) => asText(node[key]))
    const twice = values.find((one, index) => values.indexOf(one) !== index)
    if (twice !== undefined) wrong(`two nodes have the ${key} '${twice}'`)
  }
  return nodes
}

function parseLinks(value: unknown, where: string, wrong: Wrong): readonly NodeLink[] {
  if (!Array.isArray(value) || value.length === 0) return wrong(`${where} must list at least one link`) ?? []
  const links = value.flatMap((entry: unknown, index): readonly NodeLink[] => {
    const at = `${where}[${index}]`
    const link = asObject(entry, at, wrong)
    if (!link) return []
    const { address, ...figures } = link
    if (typeof address !== 'string' || address === '') return wrong(`${at} has no address`) ?? []
    const { number, priority } = numbers(figures, ['number', 'priority'], at, wrong)
    if (number === undefined || number >= mostLinks)
      return wrong(`${at}.number must be one from 0 to ${mostLinks - 1}`) ?? []
    if (priority !== undefined && priority > highestPriority) wrong(`${at}.priority must be at most ${highestPriority}`)
    return [{ number, address, ...(priority === undefined ? {} : { priority }) }]
  })
  const twice = links.find(({ number }, index) => links.findIndex((other) => other.number === number) !== index)
  if (twice) wrong(`${where} has two links with the number ${twice.number}`)
  return links
}

function parseWitness(value: unknown, ports: Ports, wrong: Wrong): WitnessEntry | undefined {
  const witness = value === undefined ? undefined : asObject(value, 'witness', wrong)
  if (!witness) return undefined
  unknownEntries(witness, ['name', 'address', 'ports', 'votes', 'leaving', 'keys', 'serials'], 'witness', wrong)
  const { name, address } = witness
  if (typeof name !== 'string' || name === '') return wrong('witness has no name')
  return {
    name: nodeName(name),
    address: typeof address === 'string' && address !== '' ? address : name,
    ports: { ...ports, ...numbers(witness.ports, Object.keys(defaultPorts), 'witness.ports', wrong) },
    votes: witness.votes === true,
    ...(witness.leaving === true ? { leaving: true } : {}),
    ...parseKeys(witness, 'witness', wrong),
  }
}

/** base64 of 32 bytes. */
const keyForm = /^[A-Za-z0-9+/]{43}=$/
const serialForm = /^[0-9a-f]{1,40}$/

function parseKeys(value: Json, where: string, wrong: Wrong): Pick<ClusterNodeEntry, 'keys' | 'serials'> {
  const asked = { form: keyForm, are: 'the SHA-256 of public keys in base64' }
  const keys = parseTexts(value.keys, { ...asked, where: `${where}.keys` }, wrong)
  const serials = parseTexts(
    value.serials,
    { where: `${where}.serials`, form: serialForm, are: 'serial numbers' },
    wrong,
  )
  return { ...(keys === undefined ? {} : { keys }), ...(serials === undefined ? {} : { serials }) }
}

function parseTexts(
  value: unknown,
  { where, form, are }: { readonly where: string; readonly form: RegExp; readonly are: string },
  wrong: Wrong,
): readonly string[] | undefined {
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.every((text) => typeof text === 'string' && form.test(text))) return value
  return wrong(`${where} must list ${are}`)
}

function parseStore(value: unknown, wrong: Wrong): StoreChoice | undefined {
  const store = value === undefined ? { kind: 'etcd' } : asObject(value, 'store', wrong)
  if (!store) return undefined
  const { kind, path } = store
  if (kind === 'external') return parseExternal(store, wrong)
  if (kind === 'etcd' || kind === 'embedded') return { kind }
  if (kind === 'embedded-socket')
    return typeof path === 'string' ? { kind, path } : wrong('store.path must name the socket of the embedded store')
  return wrong(`store.kind is '${asText(kind)}': it must be etcd, embedded, embedded-socket or external`)
}

/** Addresses may be written as URLs, as etcd's own tools have them; https asks for TLS as the files do. */
function parseExternal({ endpoints, tls }: Json, wrong: Wrong): StoreChoice | undefined {
  if (!Array.isArray(endpoints) || endpoints.length === 0)
    return wrong('store.endpoints must list at least one address')
  const urls = endpoints.map(asText)
  const addresses = urls.map((url) => url.replace(/^https?:\/\//, ''))
  const secure = tls === undefined ? urls.some((url) => url.startsWith('https://')) : true
  if (secure && urls.some((url) => url.startsWith('http://')))
    return wrong('store.endpoints has an http:// address although TLS is configured: use https:// or host:port')
  if (!secure) return { kind: 'external', endpoints: addresses }
  const files = asObject(tls ?? {}, 'store.tls', wrong) ?? {}
  unknownEntries(files, ['ca', 'certificate', 'key'], 'store.tls', wrong)
  const { ca, certificate, key } = files
  for (const [name, path] of Object.entries({ ca, certificate, key }))
    if (path !== undefined && (typeof path !== 'string' || !path.startsWith('/')))
      wrong(`store.tls.${name} must be the full path of a file`)
  if ((certificate === undefined) !== (key === undefined))
    wrong('store.tls names only one of certificate and key: both are required')
  const file = (name: keyof ExternalTls, path: unknown): ExternalTls =>
    path === undefined ? {} : { [name]: asText(path) }
  return {
    kind: 'external',
    endpoints: addresses,
    tls: { ...file('ca', ca), ...file('certificate', certificate), ...file('key', key) },
  }
}

/** Whatever it is: an object may have a `toString` of its own. */
const asText = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))
