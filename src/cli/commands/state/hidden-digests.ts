/**
 * The digests of operations in a CIB whose secret values are hidden. The recorded ones are made of the values, so short values could be found
 * by trying, and they would not agree with the stars: everything would seem to be changed. One that agreed with the values agrees with the
 * stars afterwards; one that did not is replaced by one that agrees with nothing.
 */
import { parseDurationMs, utcOffsetAt } from '../../../base/index.ts'
import { parametersDigest, type XmlElement } from '../../../cib/index.ts'
import { type ClusterStatus, type PrimitiveResource, primitivesIn, statusOfCib } from '../../../status/index.ts'
import { md5 } from '../../host/md5.ts'

type Parameters = Readonly<Record<string, string>>

/** `full` with its secrets and `shown` without them: `shown` with digests that say of the stars what `full` says of the values. */
export function digestsOfHidden(full: XmlElement, shown: XmlElement, now: number): XmlElement {
  const [known, open] = [full, shown].map((cib) => statusOfCib({ cib, now, md5, utcOffsetAt }))
  if (known === undefined || open === undefined) return shown
  const found = { known: primitivesById(known), open: primitivesById(open), status: known }
  return rewrite(shown, found, { node: undefined, resource: undefined })
}

interface Found {
  readonly known: ReadonlyMap<string, PrimitiveResource>
  readonly open: ReadonlyMap<string, PrimitiveResource>
  readonly status: ClusterStatus
}

/** By their own names and those in the configuration, under which a clone's instances have their history. */
function primitivesById({ resources }: ClusterStatus): ReadonlyMap<string, PrimitiveResource> {
  const all = resources.flatMap(primitivesIn)
  return new Map([
    ...all.map((one): [string, PrimitiveResource] => [one.configuredId, one]),
    ...all.map((one): [string, PrimitiveResource] => [one.id, one]),
  ])
}

interface Place {
  readonly node: string | undefined
  readonly resource: string | undefined
}

function rewrite(element: XmlElement, found: Found, place: Place): XmlElement {
  const { name, attributes } = element
  if (name === 'lrm_rsc_op') return { ...element, attributes: rewriteEntry(attributes, found, place) }
  const inside =
    name === 'node_state'
      ? { ...place, node: attributes.uname }
      : name === 'lrm_resource'
        ? { ...place, resource: attributes.id }
        : place
  return {
    ...element,
    children: element.children.map((child) => (child.kind === 'element' ? rewrite(child, found, inside) : child)),
  }
}

function rewriteEntry(entry: Parameters, found: Found, place: Place): Parameters {
  const id = place.resource ?? ''
  const find = (all: Found['known']): PrimitiveResource | undefined => all.get(id) ?? all.get(id.replace(/:\d+$/, ''))
  const [resource, open] = [find(found.known), find(found.open)]
  const node = found.status.nodes.find(({ name }) => name === place.node)?.name
  const values = Object.fromEntries(resource?.parametersOn(node) ?? [])
  const stars = Object.fromEntries(open?.parametersOn(node) ?? [])
  const isHidden = Object.entries(values).some(([name, value]) => stars[name] !== value)
  // Of a resource that is not configured any more nobody knows what was secret.
  if (resource !== undefined && !isHidden) return entry
  const intervalMs = Number(entry.interval ?? '0')
  const timed = (parameters: Parameters): Parameters =>
    resource === undefined || intervalMs === 0
      ? parameters
      : { ...parameters, CRM_meta_timeout: timeoutOf(found.status, resource, entry.operation ?? '', intervalMs) }
  const listed = entry['op-force-restart']?.split(' ')
  const relevant = (parameters: Parameters): Parameters =>
    Object.fromEntries(Object.entries(parameters).filter(([name]) => listed?.includes(name) ?? true))
  const { 'op-secure-digest': _made, ...rest } = entry
  return {
    ...rest,
    ...replaced(entry, 'op-digest', [timed(values), timed(stars)]),
    ...replaced(entry, 'op-restart-digest', [relevant(values), relevant(stars)]),
  }
}

function replaced(entry: Parameters, name: string, [values, stars]: readonly [Parameters, Parameters]): Parameters {
  const recorded = entry[name]
  if (recorded === undefined) return {}
  const agrees = recorded === parametersDigest(values, md5)
  return { [name]: agrees ? parametersDigest(stars, md5) : otherParameters }
}

/** No parameters have this one. */
const otherParameters = '0'.repeat(32)

function timeoutOf(status: ClusterStatus, resource: PrimitiveResource, name: string, intervalMs: number): string {
  const definition = resource.operations.find((one) => one.name === name && one.intervalMs === intervalMs)
  const written = status.operationMeta(resource, { name, intervalMs, ...(definition && { definition }) }).get('timeout')
  return String(parseDurationMs(written ?? '') ?? defaultTimeoutMs)
}

const defaultTimeoutMs = 20_000
