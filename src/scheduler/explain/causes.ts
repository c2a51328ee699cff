/**
 * Why a resource is not what was wanted: the reasons that placement noted and those that ordering gave to its actions, each
 * with what would take it away. A reason that is another resource's state is followed to where it begins.
 */

import type { NodeName, ResourceId } from '../../base/index.ts'
import { INFINITY_SCORE } from '../../cib/index.ts'
import type { ClusterStatus, FailedOperation, PrimitiveResource } from '../../status/index.ts'
import type { TransitionChange } from '../actions/graph/summary.ts'
import type { PlacementReason, PrimitiveAssignment } from '../assigned/assignment.ts'
import { contributionsOn } from './contributions.ts'
import { describeReason } from './describe.ts'
import type { Explained } from './explained.ts'
import { primitivesNamed, thinkableNodes } from './instances.ts'
import { remediesForReason } from './remedies.ts'
import { describeChangeReason, describeTransitionChange } from './words.ts'

export interface Cause {
  readonly text: string
  /** What would take it away; empty where nothing simple would. */
  readonly remedies: readonly string[]
  /** Why that is so, where the cause is another resource. */
  readonly because: readonly Cause[]
}

/** Longer chains are not followed: nobody reads them. */
const deepest = 5

export function causesOf(explained: Explained, resource: PrimitiveResource): readonly Cause[] {
  return [...fencedFirst(explained, resource), ...decidedCauses(explained, resource)]
}

/** The same without the fencing of the nodes where it is active: for answers that begin with a fencing. */
export function decidedCauses(
  explained: Explained,
  resource: PrimitiveResource,
  above: readonly ResourceId[] = [],
): readonly Cause[] {
  const assigned = explained.assignment.primitives.get(resource.id)
  if (assigned === undefined) return []
  const path = [...above, resource.id]
  const reasons = groupByText(
    explained,
    relevantReasons(explained, resource, assigned).map((reason) => withInherited(explained, resource.id, reason)),
  ).map((group) => placementCause(explained, { resource, group, path }))
  const actions = stoppedActions(explained, { resource, assigned, path })
  const all = [...reasons, ...actions]
  return all.length > 0 ? all : unpromoted(assigned)
}

/** Of a ban that was noted for the group that it is in, what is behind it; of a failure that no retry repairs, not that it was counted as well. */
function withInherited(explained: Explained, id: ResourceId, reason: PlacementReason): PlacementReason {
  if (reason.kind !== 'banned') return reason
  const noted = reason.by.length > 0 ? reason.by : contributionsOn(explained, id, reason.node)
  const against = noted.filter(({ score }) => score < 0 || reason.by.length > 0)
  const isFinal = against.some(
    ({ source }) => source.kind === 'failure' && ['hard-error', 'fatal-error'].includes(source.because),
  )
  return { ...reason, by: isFinal ? against.filter(({ source }) => source.kind !== 'fail-count') : against }
}

interface ReasonGroup {
  readonly reasons: readonly PlacementReason[]
  readonly nodes: readonly NodeName[]
  readonly text: string
}

/** Reasons that are the same on several nodes, as one. */
function groupByText({ status }: Explained, reasons: readonly PlacementReason[]): readonly ReasonGroup[] {
  const groups = new Map<string, PlacementReason[]>()
  for (const reason of reasons) {
    const key = `${reason.kind} ${describeReason(reason, status)}`
    groups.set(key, [...(groups.get(key) ?? []), reason])
  }
  return [...groups.values()].map((group) => ({
    reasons: group,
    nodes: group.flatMap((reason) => (perNode.has(reason.kind) && 'node' in reason ? [reason.node] : [])),
    text: group
      .slice(0, 1)
      .map((reason) => describeReason(reason, status))
      .join(''),
  }))
}

function placementCause(
  explained: Explained,
  about: { readonly resource: PrimitiveResource; readonly group: ReasonGroup; readonly path: readonly ResourceId[] },
): Cause {
  const { resource, group, path } = about
  const { status } = explained
  if (resource.state.multiplyActive && group.reasons.some(({ kind }) => kind === 'blocked'))
    return activeTwice(resource)
  const [blocking] = group.reasons.some(({ kind }) => kind === 'blocked') ? blockingFailures(status, resource) : []
  const others = new Set(group.reasons.flatMap(othersOf))
  const because = [...others].flatMap((other) => stoppedBecause(explained, other, path))
  // What the other one needs is told below it.
  const remedies =
    because.length > 0 ? [] : group.reasons.flatMap((reason) => remediesForReason({ status, resource }, reason))
  const nodes = group.nodes.length === 0 ? '' : `${group.nodes.join(', ')}: `
  const text =
    blocking === undefined
      ? `${group.text}${unmanagedToo(status, resource, group)}${countedFailures(status, resource, group)}`
      : describeBlocking(blocking, status)
  return { text: `${nodes}${text}`, remedies: [...new Set(remedies)], because }
}

/** What is left when maintenance-mode ends. */
function unmanagedToo({ options }: ClusterStatus, { meta }: PrimitiveResource, { reasons }: ReasonGroup): string {
  const isBoth = options.maintenanceMode && !meta.managed && reasons.some(({ kind }) => kind === 'unmanaged')
  return isBoth ? '; besides, is-managed of this resource is false' : ''
}

/** What a fail count has counted, in the agent's own words. */
function countedFailures(
  { failures, primitivesById }: ClusterStatus,
  { id, configuredId, instance, state }: PrimitiveResource,
  { reasons }: ReasonGroup,
): string {
  const counts = reasons.flatMap((reason) =>
    reason.kind === 'banned'
      ? reason.by.flatMap(({ source }) =>
          source.kind === 'fail-count' ? [{ node: reason.node, count: source.count }] : [],
        )
      : [],
  )
  // Instances of an anonymous clone are counted together.
  const isCounted = (resource: ResourceId): boolean =>
    resource === id ||
    resource === state.historyName ||
    (instance?.unique === false && primitivesById.get(resource)?.configuredId === configuredId)
  const told = failures
    .filter(({ resource, node }) => isCounted(resource) && counts.some((counted) => counted.node === node))
    .map(({ operation, exitReason }) =>
      exitReason === '' ? `${operation} failed` : `${operation} failed: ${exitReason}`,
    )
  if (told.length > 0) return ` (${[...new Set(told)].join('; ')})`
  const isFatal = counts.some(({ count }) => count >= INFINITY_SCORE)
  return isFatal ? ' (a failed stop counts as that, and a failed start with start-failure-is-fatal)' : ''
}

/** The failures on the node whose failure blocks it. */
function blockingFailures({ failures }: ClusterStatus, { id, state }: PrimitiveResource): readonly FailedOperation[] {
  return failures.filter(
    ({ resource, node }) => node === state.onFail?.node && (resource === id || resource === state.historyName),
  )
}

function describeBlocking({ operation, node, exitReason }: FailedOperation, { options }: ClusterStatus): string {
  const why = exitReason === '' ? '' : ` (${exitReason})`
  const unsure = operation === 'stop' && !options.fencingEnabled
  return `its ${operation} failed on ${node}${why}${unsure ? ', and without fencing nobody can be sure that it is stopped' : ''}: it is blocked until an administrator cleans up`
}

function activeTwice({ id, state, meta }: PrimitiveResource): Cause {
  return {
    text: `it is active on ${state.active.map(({ node }) => node).join(' and ')} at once, and multiple-active is ${meta.multipleActive}`,
    remedies: [`stop it by hand on all nodes but one, then: systole resource refresh ${id}`],
    because: [],
  }
}

/** Where it is active on a node that must be fenced, nothing is done with it before. */
function fencedFirst({ status, assignment }: Explained, resource: PrimitiveResource): readonly Cause[] {
  if (!status.options.fencingEnabled) return []
  return resource.state.active.flatMap(({ node }): readonly Cause[] => {
    const [reason] = [...(status.nodesByName.get(node)?.fencingReasons ?? []), ...(assignment.fencing.get(node) ?? [])]
    if (reason === undefined) return []
    return [
      {
        text: `${node}, where it is active, must be fenced first: ${reason}`,
        remedies: [`systole why ${node}`],
        because: [],
      },
    ]
  })
}

/** Where one reason says all, the same told again for each node is left out. */
function relevantReasons(
  { status, lost }: Explained,
  resource: PrimitiveResource,
  { whyNot, node }: PrimitiveAssignment,
): readonly PlacementReason[] {
  const places = new Set(thinkableNodes(status, resource.id).map(({ name }) => name))
  const telling = whyNot.filter(
    (reason) =>
      (reason.kind !== 'on-fail' || reason.action !== 'recover') &&
      (reason.kind !== 'node-unavailable' || reason.node !== lost) &&
      (!perNode.has(reason.kind) || !('node' in reason) || places.has(reason.node)),
  )
  const isGeneral = node !== undefined || telling.some(isWholeStory)
  return isGeneral ? telling.filter(({ kind }) => !perNode.has(kind)) : withoutSource(telling)
}

const isWholeStory = (reason: PlacementReason): boolean =>
  general.has(reason.kind) || (reason.kind === 'on-fail' && reason.action === 'stop')

const general = new Set<PlacementReason['kind']>([
  'target-role',
  'stop-all-resources',
  'clone-limit',
  'orphan',
  'ticket',
])
const perNode = new Set<PlacementReason['kind']>(['banned', 'not-allowed', 'node-unavailable', 'capacity'])

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
  const because = decidedCauses(explained, stopped, path)
  return [{ text: `${stopped.id} runs nowhere`, remedies: [], because }]
}

/** An instance that nobody wants to promote, and no reason was noted for. */
function unpromoted({ nextRole, nextRoleReason, promotionScore }: PrimitiveAssignment): readonly Cause[] {
  if (nextRole !== 'Unpromoted' || promotionScore === undefined || promotionScore >= 0) return []
  if (nextRoleReason !== 'unpromoted instance') return []
  return [
    {
      text: `it is not promoted, for its promotion score is ${promotionScore}: neither its agent nor a constraint has given it one`,
      remedies: [
        'the agent sets it by crm_attribute --promotion once its service is fit for it: see its log on the node',
      ],
      because: [],
    },
  ]
}

/** An action that cannot run, or a stop although a node was found for it. */
function stoppedActions(
  explained: Explained,
  about: {
    readonly resource: PrimitiveResource
    readonly assigned: PrimitiveAssignment
    readonly path: readonly ResourceId[]
  },
): readonly Cause[] {
  const { resource, assigned, path } = about
  return explained.changes
    .filter(({ subject, blocked, what }) => subject === resource.id && (blocked || isStop(what, assigned)))
    .map((change): Cause => {
      const { cause } = change
      return {
        text: change.reason === undefined ? `${describeTransitionChange(change)}` : describeChangeReason(change),
        remedies: remediesForChange(change),
        because: cause !== undefined && 'resource' in cause ? notRunnable(explained, cause.resource, path) : [],
      }
    })
}

const isStop = (what: string, { node }: PrimitiveAssignment): boolean => what === 'Stop' && node !== undefined

function remediesForChange({ cause }: TransitionChange): readonly string[] {
  if (cause?.kind === 'no-quorum' || cause?.kind === 'quorum-freeze')
    return ['bring nodes back until a majority is there: systole quorum status']
  return []
}

/** Why the other one does not start: it is nowhere, or waits itself. */
function notRunnable(explained: Explained, id: string, path: readonly ResourceId[]): readonly Cause[] {
  const nowhere = stoppedBecause(explained, id, path)
  if (nowhere.length > 0 || path.length >= deepest) return nowhere
  return primitivesNamed(explained.status.resources, id)
    .filter((part) => !path.includes(part.id))
    .slice(0, 1)
    .flatMap((part) => decidedCauses(explained, part, path))
}
