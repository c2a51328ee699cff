/**
 * Why a resource is where it is, and why not elsewhere: read from what placement wrote down while it decided. For a
 * collective, of every primitive below it.
 */
import { type NodeName, type ResourceId, resourceId } from '../../base/index.ts'
import { formatScore, type Role, type Score } from '../../cib/index.ts'
import type { ClusterStatus, FailedOperation, PrimitiveResource, Resource } from '../../status/index.ts'
import type { Assignment, Contribution, NodeUnavailable, PlacementReason } from '../assignment.ts'
import { describeContribution, describeReason } from './describe.ts'

export interface ResourceExplanation {
  readonly resource: ResourceId
  readonly instances: readonly InstanceExplanation[]
  readonly text: string
}

export interface InstanceExplanation {
  readonly id: ResourceId
  readonly now: readonly { readonly node: NodeName; readonly role: Role }[]
  readonly next: { readonly node?: NodeName; readonly role: Role; readonly reason?: string }
  /** What stands against its being active, or against the role that was wanted. */
  readonly whyNot: readonly PlacementReason[]
  /** The best node first. */
  readonly nodes: readonly NodeExplanation[]
  readonly failures: readonly FailedOperation[]
  readonly failCounts: readonly { readonly node: NodeName; readonly count: Score }[]
}

export interface NodeExplanation {
  readonly node: NodeName
  readonly unavailable?: NodeUnavailable
  /** Undefined: it is not allowed there at all. */
  readonly score?: Score
  readonly contributions: readonly Contribution[]
}

export interface Explained {
  readonly status: ClusterStatus
  readonly assignment: Assignment
}

/** Undefined where there is no such resource. */
export function explainResource({ status, assignment }: Explained, id: string): ResourceExplanation | undefined {
  const primitives = status.resources.flatMap((resource) => find(resource, id))
  if (primitives.length === 0) return undefined
  const instances = primitives.map((primitive) => explainInstance({ status, assignment }, primitive))
  return { resource: resourceId(id), instances, text: instances.map(describeInstance).join('\n\n') }
}

/** The primitives at or below the resource that an id names, instances and configured names alike. */
function find(resource: Resource, id: string): readonly PrimitiveResource[] {
  const parts = partsOf(resource)
  if (resource.id === id || resource.configuredId === id) return parts.flatMap(primitivesOf)
  return parts.flatMap((part) => (part === resource ? [] : find(part, id)))
}

function partsOf(resource: Resource): readonly Resource[] {
  switch (resource.kind) {
    case 'primitive':
      return [resource]
    case 'group':
      return resource.members
    case 'clone':
      return resource.instances
    case 'bundle':
      return resource.replicas.flatMap(({ container, ip, remote, child }) =>
        [container, ip, remote, child].filter((part) => part !== undefined),
      )
  }
}

export function primitivesOf(resource: Resource): readonly PrimitiveResource[] {
  return resource.kind === 'primitive' ? [resource] : partsOf(resource).flatMap(primitivesOf)
}

function explainInstance({ status, assignment }: Explained, resource: PrimitiveResource): InstanceExplanation {
  const assigned = assignment.primitives.get(resource.id)
  const nodes = status.nodes.map(({ name }): NodeExplanation => {
    const unavailable = assignment.unavailable.get(name)
    const score = assigned?.scoreOn(name)
    return {
      node: name,
      ...(unavailable === undefined ? {} : { unavailable }),
      ...(score === undefined ? {} : { score }),
      contributions: assigned?.contributionsOn(name) ?? [],
    }
  })
  const worth = (node: NodeExplanation): number =>
    node.unavailable === undefined ? (node.score ?? Number.NEGATIVE_INFINITY) : Number.NEGATIVE_INFINITY
  return {
    id: resource.id,
    now: resource.state.active,
    next: {
      role: assigned?.nextRole ?? 'Stopped',
      ...(assigned?.node === undefined ? {} : { node: assigned.node }),
      ...(assigned?.nextRoleReason === undefined ? {} : { reason: assigned.nextRoleReason }),
    },
    whyNot: assigned?.whyNot ?? [],
    nodes: nodes.toSorted(
      (a, b) => Number(b.node === assigned?.node) - Number(a.node === assigned?.node) || worth(b) - worth(a) || 0,
    ),
    failures: status.failures.filter((failure) => failure.resource === resource.id),
    failCounts: [...resource.state.failCounts].flatMap(([node, { count }]) => (count > 0 ? [{ node, count }] : [])),
  }
}

export function describeInstance(instance: InstanceExplanation): string {
  const { next } = instance
  const where = next.node === undefined ? 'nowhere' : `on ${next.node}`
  const now = instance.now.map(({ node, role }) => `${role} on ${node}`).join(', ') || 'not active'
  const lines = [
    `${instance.id}: ${now}; shall be ${next.role} ${where}${next.reason === undefined ? '' : ` (${next.reason})`}`,
    ...instance.whyNot.map((reason) => `  ${describeReason(reason)}`),
    ...instance.failures.map(describeFailure),
    ...instance.failCounts.map(({ node, count }) => `  fail count on ${node}: ${formatScore(count)}`),
    ...instance.nodes.flatMap(describeNode),
  ]
  return lines.join('\n')
}

function describeFailure(failure: FailedOperation): string {
  const why = failure.exitReason === '' ? '' : `: ${failure.exitReason}`
  return `  ${failure.operation} failed on ${failure.node} with exit code ${failure.exitCode}${why}`
}

function describeNode({ node, unavailable, score, contributions }: NodeExplanation): readonly string[] {
  const value = score === undefined ? 'not allowed' : formatScore(score)
  return [
    `  ${node}: ${value}${unavailable === undefined ? '' : ` (${unavailable})`}`,
    ...contributions.map((part) => `    ${describeContribution(part)}`),
  ]
}
