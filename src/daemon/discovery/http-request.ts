/** What a request of HTTP asks for: Consul's paths, read-only, and the stream of events. Whatever has no meaning here is refused, and by name. */
import { parseDurationMs } from '../../base/index.ts'
import type { Wanted } from '../../services/index.ts'

export type Asked =
  | { readonly kind: 'services' }
  | { readonly kind: 'catalog' | 'health'; readonly service: string; readonly wanted: Wanted }
  | { readonly kind: 'agent' }
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
  const asked = readPath(path, query)
  if (asked === undefined)
    return {
      status: 404,
      text: `There is no '${path.slice(0, 100)}' here. Paths: /v1/catalog/services, /v1/catalog/service/<name>, /v1/health/service/<name>, /v1/agent/services, /v1/systole/events.`,
    }
  return readQuery(asked, query, datacenter)
}

function readPath(path: string, query: URLSearchParams): Asked | undefined {
  if (path === '/v1/catalog/services') return { kind: 'services' }
  if (path === '/v1/agent/services') return { kind: 'agent' }
  if (path === '/v1/systole/events') return { kind: 'events', service: query.get('service') ?? undefined }
  const [, kind, service] = /^\/v1\/(catalog|health)\/service\/([a-z0-9-]{1,63})$/.exec(path) ?? []
  if (service === undefined || (kind !== 'catalog' && kind !== 'health')) return undefined
  const passing = kind === 'health' && query.has('passing') && !['false', '0'].includes(query.get('passing') ?? '')
  return { kind, service, wanted: { tags: query.getAll('tag'), passing } }
}

/** What each kind takes besides. */
const parameters: Readonly<Record<Asked['kind'], readonly string[]>> = {
  services: ['index', 'wait', 'stale', 'dc', 'pretty'],
  catalog: ['index', 'wait', 'stale', 'dc', 'pretty', 'tag'],
  health: ['index', 'wait', 'stale', 'dc', 'pretty', 'tag', 'passing'],
  agent: ['pretty'],
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
  const index = query.get('index')
  if (index !== null && !/^\d{1,16}$/.test(index)) return { status: 400, text: 'Invalid index' }
  const wait = query.get('wait')
  const waitMs = wait === null ? usualWaitMs : parseDurationMs(wait)
  if (waitMs === undefined || waitMs < 0) return { status: 400, text: 'Invalid wait time' }
  return {
    asked,
    index: index === null || index === '0' ? undefined : Number(index),
    waitMs: waitMs === 0 ? usualWaitMs : Math.min(waitMs, longestWaitMs),
    stale: query.has('stale'),
    pretty: query.has('pretty'),
  }
}

export const isRefusal = (read: HttpRequest | HttpRefusal): read is HttpRefusal => 'status' in read
