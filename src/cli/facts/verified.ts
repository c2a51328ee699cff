/** Who looks whether resources work, how often and how closely: for `resource status`, `status` and `resource coverage`. */
import type { NodeName } from '../../base/index.ts'
import { describeVerified, type Service } from '../../services/index.ts'
import {
  type ClusterStatus,
  type PrimitiveResource,
  partsOf,
  primitivesIn,
  type Resource,
  type Verification,
  verificationsOn,
  whyUnmonitored,
} from '../../status/index.ts'

export interface VerifiedFacts {
  readonly node: string
  readonly by: Verification['by']
  readonly level: number
  readonly passed: boolean
  readonly everyMs?: number
  readonly since?: string
}

/** Where it is active. */
export function verifiedFacts(resource: PrimitiveResource): readonly VerifiedFacts[] {
  return resource.state.active.flatMap(({ node }) =>
    verificationsOn(resource, node).map(({ since, ...verification }) => ({
      node,
      ...verification,
      ...(since === undefined ? {} : { since: new Date(since * 1000).toISOString() }),
    })),
  )
}

/** `verified at most 10 s ago by its monitor, level 0` */
function describe({ by, everyMs, since, level, passed }: Verification, now: number): string {
  const looked = {
    by: by === 'monitor' ? ('monitor' as const) : ('start' as const),
    ...(everyMs === undefined ? {} : { everyMs }),
    ...(since === undefined ? {} : { since }),
  }
  const words = describeVerified(looked, now)
  const who = by === 'probe' ? words.replace('by its start', 'by a probe') : words
  return `${passed ? who : who.replace('verified', 'found failed')}, level ${level}`
}

export interface Covered {
  readonly resource: string
  readonly agent: string
  /** Absent for one that runs nowhere. */
  readonly node?: NodeName
  readonly verified: readonly Verification[]
  /** Services with a check of their own. */
  readonly services: readonly string[]
  /** Set where nobody looks at it again and again. */
  readonly unchecked?: string
}

/** Each instance where it is active; one that is active nowhere as it is configured. Of one whose node is not there nothing is known. */
export function coverageOf(status: ClusterStatus, services: readonly Service[]): readonly Covered[] {
  const checks = services.flatMap(({ definition }) => (definition.check.kind === 'monitor' ? [] : [definition]))
  const below = (resource: Resource, clones: readonly string[]): readonly Covered[] => {
    if (resource.kind === 'clone') {
      const running = resource.instances.filter((instance) => primitivesIn(instance).some(isActiveSomewhere))
      // The instances that run nowhere are all the same.
      const shown = running.length > 0 ? running : resource.instances.slice(0, 1)
      return shown.flatMap((instance) => below(instance, [resource.id]))
    }
    if (resource.kind !== 'primitive') return partsOf(resource).flatMap((part) => below(part, []))
    const names = new Set<string>([resource.id, resource.configuredId, ...clones])
    const own = checks.filter((check) => names.has(check.resource)).map(({ name }) => name)
    return coveredPrimitive(resource, own, status)
  }
  return status.resources.flatMap((resource) => below(resource, []))
}

function coveredPrimitive(
  resource: PrimitiveResource,
  services: readonly string[],
  status: ClusterStatus,
): readonly Covered[] {
  const { class: standard, provider, type } = resource.agent
  const agent = [standard, ...(provider === undefined ? [] : [provider]), type].join(':')
  const common = { resource: resource.id, agent, services }
  const why = whyUnmonitored(resource)
  if (resource.state.active.length === 0)
    return resource.orphan
      ? []
      : [{ ...common, verified: [], ...(why !== undefined && services.length === 0 && { unchecked: why }) }]
  return resource.state.active.map(({ node, role }) => {
    const verified = verificationsOn(resource, node)
    const isOnline = status.nodesByName.get(node)?.online ?? false
    const isMonitored = isOnline && verified.some(({ everyMs }) => everyMs !== undefined)
    if (isMonitored || (isOnline && services.length > 0)) return { ...common, node, verified }
    const unchecked = isOnline ? (why ?? `no monitor of it runs there, where it is ${role}`) : `${node} is not online`
    return { ...common, node, verified, unchecked }
  })
}

const isActiveSomewhere = ({ state }: PrimitiveResource): boolean => state.active.length > 0

/** A line each: `web on n1: verified at most 10 s ago by its monitor, level 0`. */
export function coverageLines(covered: readonly Covered[], now: number): readonly string[] {
  return covered.map(({ resource, node, verified, services, unchecked }) => {
    const where = node === undefined ? `${resource} (not running)` : `${resource} on ${node}`
    const said = [
      ...verified.map((one) => describe(one, now)),
      ...services.map((name) => `checked by the service ${name}`),
      ...(unchecked === undefined ? [] : [`nobody checks it: ${unchecked}`]),
    ]
    return `${where}: ${said.length === 0 ? 'checked once it runs' : said.join('; ')}`
  })
}
