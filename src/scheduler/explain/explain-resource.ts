/**
 * Why a resource is where it is, and why not elsewhere: read from what placement wrote down while it decided. For a
 * collective, of every primitive below it.
 */

import { type ResourceId, resourceId } from '../../base/index.ts'
import { type PrimitiveResource, remarksOn } from '../../status/index.ts'
import { causesOf } from './causes.ts'
import { contributionsOn } from './contributions.ts'
import { describeContribution } from './describe.ts'
import type { Explained } from './explained.ts'
import { namesAbove, primitivesNamed, thinkableNodes } from './instances.ts'
import { printResource } from './print-resource.ts'
import type {
  ColocationLink,
  FailCountFacts,
  InstanceExplanation,
  NodeExplanation,
  ResourceExplanation,
} from './resource-explanation.ts'

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
    remarks: remarksOn(resource),
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
      contributions: contributionsOn(explained, id, name).map((part) => ({
        ...part,
        text: describeContribution(part, status),
      })),
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
