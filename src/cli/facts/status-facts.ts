/** The facts of `status`, for `--json`; the text form arranges the same ones. Times are ISO 8601. */

import { hiddenValue, type IsSecret } from '../../cib/index.ts'
import type { ClusterState } from '../../rpc/index.ts'
import { type NodeStatus, type PrimitiveResource, partsOf, type Resource, roleOrChange } from '../../status/index.ts'

export interface NodeFacts {
  readonly name: string
  readonly id: string
  readonly type: 'member' | 'remote' | 'guest'
  readonly online: boolean
  readonly standby: boolean
  readonly standbyOnFail: boolean
  readonly maintenance: boolean
  readonly unclean: boolean
  readonly pending: boolean
  readonly shutdown: boolean
  readonly dc: boolean
  readonly health: string
  readonly attributes: Readonly<Record<string, string>>
}

export interface ResourceFacts {
  readonly id: string
  readonly agent: string
  readonly role: string
  readonly nodes: readonly string[]
  readonly failed: boolean
  readonly managed: boolean
  readonly blocked: boolean
  readonly orphan: boolean
  readonly targetRole?: string
  readonly pending?: string
  readonly failCounts: Readonly<Record<string, number>>
  /** The groups, clones and bundles around it, outermost first. */
  readonly inside: readonly string[]
}

export function nodeFacts(node: NodeStatus, state: ClusterState | undefined, isSecret: IsSecret): NodeFacts {
  return {
    name: node.name,
    id: node.id,
    type: node.kind,
    online: node.online,
    standby: node.standby,
    standbyOnFail: node.standbyOnFail,
    maintenance: node.maintenance,
    unclean: node.unclean,
    pending: node.pending,
    shutdown: node.shutdown,
    dc: state ? state.dc === node.name : node.isDc,
    health: node.health,
    attributes: Object.fromEntries(publicAttributes(node, isSecret)),
  }
}

/** With stars for what is secret. */
export function publicAttributes(
  { attributes }: Pick<NodeStatus, 'attributes'>,
  isSecret: IsSecret,
): readonly (readonly [string, string])[] {
  return [...attributes].map(([name, value]) => [name, isSecret(name) ? hiddenValue : value])
}

/** Every primitive instance, in the order of the configuration. */
export function resourceFacts(resources: readonly Resource[]): readonly ResourceFacts[] {
  return resources.flatMap((resource) => factsBelow(resource, []))
}

function factsBelow(resource: Resource, inside: readonly string[]): readonly ResourceFacts[] {
  if (resource.kind === 'primitive') return [primitiveFacts(resource, inside)]
  return partsOf(resource).flatMap((part) => factsBelow(part, [...inside, resource.id]))
}

function primitiveFacts(resource: PrimitiveResource, inside: readonly string[]): ResourceFacts {
  const { agent, meta, state } = resource
  return {
    id: resource.id,
    agent: [agent.class, ...(agent.provider === undefined ? [] : [agent.provider]), agent.type].join(':'),
    role: roleOrChange(resource),
    nodes: state.active.map(({ node }) => node),
    failed: state.failed,
    managed: meta.managed,
    blocked: state.blocked,
    orphan: resource.orphan,
    ...(meta.targetRole === undefined ? {} : { targetRole: meta.targetRole }),
    ...(state.pending === undefined ? {} : { pending: `${state.pending.operation} on ${state.pending.node}` }),
    failCounts: Object.fromEntries(
      [...state.failCounts].filter(([, { expired }]) => !expired).map(([node, { count }]) => [node, count]),
    ),
    inside,
  }
}
