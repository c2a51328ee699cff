/** The facts of `status`, for `--json`; the text form arranges the same ones. Times are ISO 8601. */

import { hiddenValue, type IsSecret } from '../../cib/index.ts'
import type { HoldNote } from '../../holds/index.ts'
import type { ClusterState } from '../../rpc/index.ts'
import {
  type FailedOperation,
  type NodeStatus,
  type PrimitiveResource,
  partsOf,
  type Remark,
  type Resource,
  roleOrChange,
} from '../../status/index.ts'
import { type VerifiedFacts, verifiedFacts } from './verified.ts'

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
  /** Where it is active: who looks whether it works, how often and how closely. */
  readonly verified: readonly VerifiedFacts[]
  /** The groups, clones and bundles around it, outermost first. */
  readonly inside: readonly string[]
  /** What each of these is. */
  readonly kinds: readonly Exclude<Resource['kind'], 'primitive'>[]
  /** Its name in the configuration, the same for all instances of a clone. */
  readonly configured: string
}

/** Resources that run nowhere for one and the same cause. */
export interface StoppedTogether {
  /** The first is one that the cause concerns itself, as far as the order of the configuration goes. */
  readonly resources: readonly string[]
  readonly cause: string
}

/** What somebody should know about, most urgent first: one sentence each, and the commands that show or change it. */
export interface Attention {
  readonly level: 'critical' | 'warning' | 'note'
  readonly text: string
  readonly resources: readonly string[]
  readonly nodes: readonly string[]
  readonly next: readonly string[]
}

/** What `status --json` prints on a host that belongs to a cluster. */
export interface StatusFacts {
  readonly configured: true
  readonly cluster: string | null
  /** The node that was asked. */
  readonly answeredBy: string | null
  readonly started: boolean | null
  readonly store: ClusterState['store'] | null
  /** Of the configuration. */
  readonly version: number | null
  readonly quorum: {
    readonly quorate: boolean
    readonly votes: ClusterState['votes'] | null
    readonly notHeard: readonly string[]
  }
  readonly dc: string | null
  /** Votes, links and versions of the daemons. */
  readonly members: ClusterState['members']
  readonly witness: NonNullable<ClusterState['witness']> | null
  readonly attention: readonly Attention[]
  readonly nodes: readonly NodeFacts[]
  readonly resources: readonly ResourceFacts[]
  readonly failures: readonly FailedOperation[]
  readonly notRunning: readonly StoppedTogether[]
  readonly remarks: readonly Remark[]
  readonly services: { readonly mistakes: readonly string[] }
  readonly holds: readonly HoldNote[]
  readonly fencing: ClusterState['fencing']
  readonly transition: ClusterState['transition'] | null
  readonly notes: readonly string[]
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
  return resources.flatMap((resource) => factsBelow(resource, { inside: [], kinds: [] }))
}

type Around = Pick<ResourceFacts, 'inside' | 'kinds'>

function factsBelow(resource: Resource, { inside, kinds }: Around): readonly ResourceFacts[] {
  if (resource.kind === 'primitive') return [primitiveFacts(resource, { inside, kinds })]
  const around = { inside: [...inside, resource.id], kinds: [...kinds, resource.kind] }
  return partsOf(resource).flatMap((part) => factsBelow(part, around))
}

function primitiveFacts(resource: PrimitiveResource, { inside, kinds }: Around): ResourceFacts {
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
    verified: verifiedFacts(resource),
    inside,
    kinds,
    configured: resource.configuredId,
  }
}
