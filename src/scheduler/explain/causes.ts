/**
 * Why a resource is not what was wanted: the reasons that placement noted and those that ordering gave to its actions, each
 * with what would take it away. A reason that is another resource's state is followed to where it begins.
 */
import type { ResourceId } from '../../base/index.ts'
import type { ClusterStatus, PrimitiveResource } from '../../status/index.ts'
import type { TransitionChange } from '../actions/summary.ts'
import type { Assignment, PlacementReason, PrimitiveAssignment } from '../assignment.ts'
import { describeReason } from './describe.ts'
import { primitivesNamed } from './instances.ts'
import { mendReason } from './mend.ts'
import { describeTransitionChange, readCause } from './words.ts'

export interface Explained {
  readonly status: ClusterStatus
  readonly assignment: Assignment
  readonly changes: readonly TransitionChange[]
}

export interface Cause {
  readonly text: string
  /** What would take it away; empty where nothing simple would. */
  readonly mend: readonly string[]
  /** Why that is so, where the cause is another resource. */
  readonly because: readonly Cause[]
}

/** Longer chains are not followed: nobody reads them. */
const deepest = 5

export function causesOf(
  explained: Explained,
  resource: PrimitiveResource,
  above: readonly ResourceId[] = [],
): readonly Cause[] {
  const { status, assignment } = explained
  const assigned = assignment.primitives.get(resource.id)
  const path = [...above, resource.id]
  const placed = assigned === undefined ? [] : relevantReasons(assigned)
  const reasons = placed.map(
    (reason): Cause => ({
      text: describeReason(reason, status.configuration),
      mend: mendReason({ status, resource }, reason),
      because: othersOf(reason).flatMap((other) => stoppedBecause(explained, other, path)),
    }),
  )
  return [...reasons, ...demanded(assigned, reasons), ...blockedActions(explained, resource, path)]
}

/** Where one reason says all, the same told again for each node is left out. */
function relevantReasons({ whyNot }: PrimitiveAssignment): readonly PlacementReason[] {
  const isGeneral = whyNot.some(({ kind }) => general.has(kind))
  return isGeneral ? whyNot.filter(({ kind }) => !perNode.has(kind)) : withoutSource(whyNot)
}

const general = new Set<PlacementReason['kind']>([
  'target-role',
  'stop-all-resources',
  'clone-limit',
  'orphan',
  'ticket',
])
const perNode = new Set<PlacementReason['kind']>(['banned', 'not-allowed', 'node-unavailable'])

/** `capacity` names the same nodes as the bans that it led to. */
function withoutSource(reasons: readonly PlacementReason[]): readonly PlacementReason[] {
  return reasons.filter(
    (reason) =>
      reason.kind !== 'capacity' || !reasons.some((other) => other.kind === 'banned' && other.node === reason.node),
  )
}

function othersOf(reason: PlacementReason): readonly ResourceId[] {
  if (reason.kind === 'primary-stopped') return [reason.primary]
  if (reason.kind !== 'banned') return []
  return reason.by.flatMap(({ source }) =>
    source.kind === 'colocation' && source.as === 'dependent' ? [source.with] : [],
  )
}

/** The causes of another resource that is going to be nowhere; none where it runs. */
function stoppedBecause(explained: Explained, id: string, path: readonly ResourceId[]): readonly Cause[] {
  if (path.length >= deepest) return []
  const parts = primitivesNamed(explained.status.resources, id)
  const stopped = parts.find((part) => explained.assignment.primitives.get(part.id)?.node === undefined)
  if (stopped === undefined || path.includes(stopped.id)) return []
  if (parts.some((part) => part.instance && explained.assignment.primitives.get(part.id)?.node)) return []
  const because = causesOf(explained, stopped, path)
  return [{ text: `${stopped.id} runs nowhere`, mend: [], because }]
}

/** The history's demand for a role (on-fail=stop, a connection that waits), where nothing else tells of it. */
function demanded(assigned: PrimitiveAssignment | undefined, others: readonly Cause[]): readonly Cause[] {
  const reason = assigned?.nextRoleReason
  if (assigned === undefined || reason === undefined || others.some(({ text }) => text.includes(reason))) return []
  if (assigned.nextRole !== 'Stopped' && others.length > 0) return []
  return [{ text: `its next role is ${assigned.nextRole}: ${reason}`, mend: [], because: [] }]
}

/** An action that cannot run, or a stop that another resource forces. */
function blockedActions(
  explained: Explained,
  resource: PrimitiveResource,
  path: readonly ResourceId[],
): readonly Cause[] {
  return explained.changes
    .filter(({ subject, blocked, what }) => subject === resource.id && (blocked || what === 'Stop'))
    .filter(({ blocked, reason }) => blocked || reason === undefined || readCause(reason) !== undefined)
    .flatMap((change): readonly Cause[] => {
      const cause = change.reason === undefined ? undefined : readCause(change.reason)
      if (!change.blocked && cause === undefined) return []
      return [
        {
          text: describeTransitionChange(change),
          mend: mendChange(change),
          because: cause === undefined ? [] : notRunnable(explained, cause.resource, path),
        },
      ]
    })
}

function mendChange({ reason }: TransitionChange): readonly string[] {
  if (reason === 'no quorum') return ['bring nodes back until a majority is there: systole quorum status']
  return []
}

/** Why the other one does not start: it is nowhere, or waits itself. */
function notRunnable(explained: Explained, id: string, path: readonly ResourceId[]): readonly Cause[] {
  const nowhere = stoppedBecause(explained, id, path)
  if (nowhere.length > 0 || path.length >= deepest) return nowhere
  return primitivesNamed(explained.status.resources, id)
    .filter((part) => !path.includes(part.id))
    .slice(0, 1)
    .flatMap((part) => causesOf(explained, part, path))
}
