/**
 * Why a resource is where it is, and why not elsewhere: read from what placement wrote down while it decided. For a
 * collective, of every primitive below it.
 */
import { type NodeName, type ResourceId, resourceId } from '../../base/index.ts'
import type { Role, Score } from '../../cib/index.ts'
import type { FailedOperation, PrimitiveResource } from '../../status/index.ts'
import type { TransitionChange } from '../actions/graph/summary.ts'
import type { Contribution, NodeUnavailable, PlacementReason } from '../assignment.ts'
import { type Cause, causesOf, type Explained } from './causes.ts'
import { contributionsOn } from './contributions.ts'
import { namesAbove, primitivesNamed, thinkableNodes } from './instances.ts'
import { printResource } from './print-resource.ts'

export interface ResourceExplanation {
  readonly resource: ResourceId
  readonly instances: readonly InstanceExplanation[]
  readonly text: string
}

export interface InstanceExplanation {
  readonly id: ResourceId
  readonly now: readonly { readonly node: NodeName; readonly role: Role }[]
  readonly pending?: { readonly node: NodeName; readonly operation: string }
  /** What its last failure left behind has yet to be recovered. */
  readonly failed: boolean
  readonly next: { readonly node?: NodeName; readonly role: Role; readonly reason?: string }
  /** What the transition does with it. */
  readonly changes: readonly TransitionChange[]
  /** What stands against its being active, or against the role that was wanted, and what would take it away. */
  readonly causes: readonly Cause[]
  /** The same as the decision noted it. */
  readonly whyNot: readonly PlacementReason[]
  /** The colocations that tie it to where others are, as far as they must be kept. */
  readonly chain: readonly ColocationLink[]
  readonly promotionScore?: Score
  /** The chosen node first, then the best ones. */
  readonly nodes: readonly NodeExplanation[]
  readonly failures: readonly FailedOperation[]
  readonly failCounts: readonly FailCountFacts[]
}

export interface ColocationLink {
  readonly dependent: ResourceId
  readonly primary: ResourceId
  readonly constraint: string
  readonly score: Score
  readonly fromConstraint: boolean
  /** Where the primary, or a part of it, is going to be. */
  readonly nodes: readonly NodeName[]
}

export interface FailCountFacts {
  readonly node: NodeName
  readonly count: Score
  readonly threshold: Score
  /** Seconds since the epoch. */
  readonly lastFailure?: number
  readonly expiresAt?: number
}

export interface NodeExplanation {
  readonly node: NodeName
  readonly unavailable?: NodeUnavailable
  /** Undefined: it is not allowed there at all. */
  readonly score?: Score
  readonly contributions: readonly Contribution[]
}

/** Undefined where there is no such resource. */
export function explainResource(explained: Explained, id: string): ResourceExplanation | undefined {
  const primitives = primitivesNamed(explained.status.resources, id)
  if (primitives.length === 0) return undefined
  const instances = primitives.map((primitive) => explainInstance(explained, primitive))
  return { resource: resourceId(id), instances, text: printResource(explained, instances) }
}

function explainInstance(explained: Explained, resource: PrimitiveResource): InstanceExplanation {
  const { status, assignment, changes } = explained
  const assigned = assignment.primitives.get(resource.id)
  const { pending } = resource.state
  return {
    id: resource.id,
    now: resource.state.active,
    ...(pending === undefined ? {} : { pending: { node: pending.node, operation: pending.operation } }),
    next: {
      role: assigned?.nextRole ?? 'Stopped',
      ...(assigned?.node === undefined ? {} : { node: assigned.node }),
      ...(assigned?.nextRoleReason === undefined ? {} : { reason: assigned.nextRoleReason }),
    },
    failed: resource.state.failed,
    // A remote node's fencing has the name of its connection.
    changes: changes.filter(({ subject, details }) => subject === resource.id && details !== undefined),
    causes: causesOf(explained, resource),
    whyNot: assigned?.whyNot ?? [],
    chain: chainOf(explained, namesAbove(status.resources, resource.id), new Set()),
    ...(assigned?.promotionScore === undefined ? {} : { promotionScore: assigned.promotionScore }),
    nodes: nodesOf(explained, resource.id),
    failures: status.failures.filter(
      (failure) => failure.resource === resource.id || failure.resource === resource.state.historyName,
    ),
    failCounts: failCountsOf(resource),
  }
}

function nodesOf(explained: Explained, id: ResourceId): readonly NodeExplanation[] {
  const { status, assignment } = explained
  const assigned = assignment.primitives.get(id)
  const nodes = thinkableNodes(status, id).map(({ name }): NodeExplanation => {
    const unavailable = assignment.unavailable.get(name)
    const score = assigned?.scoreOn(name)
    return {
      node: name,
      ...(unavailable === undefined ? {} : { unavailable }),
      ...(score === undefined ? {} : { score }),
      contributions: contributionsOn(explained, id, name),
    }
  })
  const worth = (node: NodeExplanation): number =>
    node.unavailable === undefined ? (node.score ?? Number.NEGATIVE_INFINITY) : Number.NEGATIVE_INFINITY
  return nodes.toSorted((a, b) => {
    if (a.node === assigned?.node || b.node === assigned?.node) return a.node === assigned?.node ? -1 : 1
    const [first, second] = [worth(a), worth(b)]
    return first === second ? 0 : second - first
  })
}

/** Along colocations from dependent to primary; each one is named once, loops included. */
function chainOf(
  { status, assignment }: Explained,
  dependents: readonly ResourceId[],
  seen: Set<string>,
): readonly ColocationLink[] {
  return assignment.colocations
    .filter(({ dependent, score, fromConstraint }) => fromConstraint && score > 0 && dependents.includes(dependent))
    .flatMap(({ id, dependent, primary, score, fromConstraint }): readonly ColocationLink[] => {
      const key = `${id} ${dependent} ${primary}`
      if (seen.has(key)) return []
      seen.add(key)
      const nodes = primitivesNamed(status.resources, primary).flatMap(
        (part) => assignment.primitives.get(part.id)?.node ?? [],
      )
      const link = { dependent, primary, constraint: id, score, fromConstraint, nodes: [...new Set(nodes)] }
      return [link, ...chainOf({ status, assignment, changes: [] }, [primary], seen)]
    })
}

function failCountsOf({ meta, state }: PrimitiveResource): readonly FailCountFacts[] {
  return [...state.failCounts].flatMap(([node, { count, own, lastFailure, expiresAt }]) =>
    count > 0 || own > 0
      ? [
          {
            node,
            count,
            threshold: meta.migrationThreshold,
            ...(lastFailure === undefined ? {} : { lastFailure }),
            ...(expiresAt === undefined ? {} : { expiresAt }),
          },
        ]
      : [],
  )
}
