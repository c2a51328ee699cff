/** What a request of HTTP asks for: Consul's paths, read-only, and the stream of events. Whatever has no meaning here is refused, and by name. */
import { parseDurationMs } from '../../base/index.ts'
import type { Wanted } from '../../services/index.ts'

/** Paths without a name in them. */
const plain = ['agent', 'agent-self', 'agent-checks', 'leader', 'peers', 'datacenters'] as const

export type Asked =
  | { readonly kind: 'services' }
  | { readonly kind: 'catalog' | 'health'; readonly service: string; readonly wanted: Wanted }
  | { readonly kind: (typeof plain)[number] }
  /** Of a node, of a service, of a state. */
  | { readonly kind: 'node' | 'health-node' | 'checks' | 'state'; readonly of: string }
  | { readonly kind: 'nodes'; readonly near: string | undefined }
  | { readonly kind: 'events'; readonly service: string | undefined }

export interface HttpRequest {
  readonly asked: Asked
  /** Of an answer that the client has: it waits for another. */
  readonly index: number | undefined
  readonly waitMs: number
  /** What was known last will do. */
  readonly stale: boolean
  readonly pretty: boolean
}

export interface HttpRefusal {
  readonly status: number
  readonly text: string
}

const usualWaitMs = 300_000
const longestWaitMs = 600_000
const longestUrl = 2048

export function readRequest(
  { method, url }: { readonly method: string; readonly url: string },
  datacenter: string,
): HttpRequest | HttpRefusal {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, text: 'Services can only be read here. Use GET.' }
  if (url.length > longestUrl) return { status: 414, text: `The URL is longer than ${longestUrl} characters.` }
  const [path = '', ...rest] = url.split('?')
  const query = new URLSearchParams(rest.join('?'))
  const elsewhere = refusedPath(path)
  if (elsewhere !== undefined) return elsewhere
  const asked = readPath(path, query)
  if (asked === undefined)
    return {
      status: 404,
      text: `There is no '${path.slice(0, 100)}' here. Paths: ${[...Object.keys(plainPaths), ...namedPaths.map(([prefix, , name]) => `${prefix}<${name}>`)].join(', ')}.`,
    }
  return readQuery(asked, query, datacenter)
}

const plainPaths: Readonly<Record<string, 'services' | 'events' | 'nodes' | (typeof plain)[number]>> = {
  '/v1/catalog/services': 'services',
  '/v1/catalog/nodes': 'nodes',
  '/v1/catalog/datacenters': 'datacenters',
  '/v1/agent/self': 'agent-self',
  '/v1/agent/services': 'agent',
  '/v1/agent/checks': 'agent-checks',
  '/v1/status/leader': 'leader',
  '/v1/status/peers': 'peers',
  '/v1/systole/events': 'events',
}

const serviceName = /^[a-z0-9-]{1,63}$/
const nodeName = /^[A-Za-z0-9_.-]{1,255}$/
const namedPaths = [
  ['/v1/catalog/service/', 'catalog', 'name', serviceName],
  ['/v1/catalog/node/', 'node', 'node', nodeName],
  ['/v1/health/service/', 'health', 'name', serviceName],
  ['/v1/health/checks/', 'checks', 'name', serviceName],
  ['/v1/health/node/', 'health-node', 'node', nodeName],
  ['/v1/health/state/', 'state', 'state', /^(?:any|passing|warning|critical)$/],
] as const

/** A client that gets 404 for a key believes that the key is not there yet, and waits for it. */
function refusedPath(path: string): HttpRefusal | undefined {
  const [, what] = /^\/v1\/(kv|session|txn|lock|query|connect|config|intentions)(?:\/|$)/.exec(path) ?? []
  if (what === undefined) return undefined
  return {
    status: 501,
    text: `There is no '${path.slice(0, 100)}' here: Systole answers for services, and ${what === 'kv' ? 'keeps no keys and values' : `has no '${what}'`}.`,
  }
}

function readPath(path: string, query: URLSearchParams): Asked | undefined {
  const near = query.get('near') ?? undefined
  if (Object.hasOwn(plainPaths, path)) {
    const kind = plainPaths[path]
    if (kind === 'services') return { kind }
    if (kind === 'events') return { kind, service: query.get('service') ?? undefined }
    if (kind === 'nodes') return { kind, near }
    return kind && { kind }
  }
  const found = namedPaths.find(([prefix, , , form]) => path.startsWith(prefix) && form.test(path.slice(prefix.length)))
  if (found === undefined) return undefined
  const [prefix, kind] = found
  const of = path.slice(prefix.length)
  if (kind !== 'catalog' && kind !== 'health') return { kind, of }
  const passing = kind === 'health' && query.has('passing') && !['false', '0'].includes(query.get('passing') ?? '')
  return { kind, service: of, wanted: { tags: query.getAll('tag'), passing, near } }
}

/** What each kind takes besides. */
const waits = ['index', 'wait', 'stale', 'consistent', 'dc', 'pretty']
const parameters: Readonly<Record<Asked['kind'], readonly string[]>> = {
  services: waits,
  catalog: [...waits, 'tag', 'near'],
  health: [...waits, 'tag', 'passing', 'near'],
  node: waits,
  nodes: [...waits, 'near'],
  'health-node': waits,
  checks: waits,
  state: waits,
  agent: ['pretty'],
  'agent-self': ['pretty'],
  'agent-checks': ['pretty'],
  leader: ['dc', 'stale', 'pretty'],
  peers: ['dc', 'stale', 'pretty'],
  datacenters: ['pretty'],
  events: ['service', 'stale'],
}

function readQuery(asked: Asked, query: URLSearchParams, datacenter: string): HttpRequest | HttpRefusal {
  const known = parameters[asked.kind]
  const odd = [...query.keys()].find((key) => !known.includes(key))
  if (odd !== undefined)
    return {
      status: 400,
      text: `The parameter '${odd.slice(0, 100)}' has no effect here. Parameters: ${known.join(', ')}.`,
    }
  const dc = query.get('dc')
  if (dc !== null && dc !== '' && dc !== datacenter) return { status: 500, text: 'No path to datacenter' }
  if (query.has('stale') && query.has('consistent'))
    return { status: 400, text: 'Cannot specify ?stale with ?consistent, conflicting semantics.' }
  const index = query.get('index')
  if (index !== null && !/^\d{1,16}$/.test(index)) return { status: 400, text: 'Invalid index' }
  const wait = query.get('wait')
  const waitMs = wait === null ? usualWaitMs : parseDurationMs(wait)
  if (waitMs === undefined || waitMs < 0) return { status: 400, text: 'Invalid wait time' }
  return {
    asked,
    index: index === null || index === '0' ? undefined : Number(index),
    waitMs: waitMs === 0 ? usualWaitMs : Math.min(waitMs, longestWaitMs),
    // These say who answers, with and without quorum.
    stale: query.has('stale') || ['agent-self', 'leader', 'datacenters'].includes(asked.kind),
    pretty: query.has('pretty'),
  }
}

export const isRefusal = (read: HttpRequest | HttpRefusal): read is HttpRefusal => 'status' in read
