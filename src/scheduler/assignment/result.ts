/** Turns a finished placement into the assignment that the other phases read. */
import type { NodeName, ResourceId } from '../../base/index.ts'
import { type Role, roleRank } from '../../cib/index.ts'
import type {
  Assignment,
  CollectiveAssignment,
  ExpandedColocation,
  PlacementReason,
  PrimitiveAssignment,
} from '../assigned/assignment.ts'
import type { Colocation } from '../constraints/colocations.ts'
import {
  type CollectiveEntry,
  type Entry,
  type PrimitiveEntry,
  primitivesOf,
  topBelowBundle,
} from '../resources/tree.ts'
import type { BaseScores } from '../scores/base-scores.ts'
import { discoveryModes } from '../scores/locations.ts'
import { whyUnusable } from '../scores/node-table.ts'
import { absent, scoreAt } from '../scores/score-table.ts'
import type { Assigned } from './assign-in-order.ts'
import { type AssignmentDraft, currentRole, isManaged, nowhere } from './assignment-draft.ts'
import { nodesByPreference } from './node-order.ts'

export function toAssignment({ draft, order }: Assigned, base: BaseScores): Omit<Assignment, 'references'> {
  const primitives = new Map<ResourceId, PrimitiveAssignment>()
  const collectives = new Map<ResourceId, CollectiveAssignment>()
  for (const entry of draft.tree.all) {
    if (entry.kind === 'primitive') {
      if (!primitives.has(entry.id)) primitives.set(entry.id, primitiveResult(draft, base, entry))
    } else if (!collectives.has(entry.id)) collectives.set(entry.id, collectiveResult(draft, entry))
  }
  return {
    primitives,
    collectives,
    order: order.map(({ id }) => id),
    colocations: [...draft.colocations.ofDependent.values()].flatMap((ones) => ones.toReversed()).map(publicColocation),
    ticketConstraints: draft.tickets.dependencies.map(({ id, entry, ticket, role, lossPolicy }) => ({
      id,
      resource: entry.id,
      ticket,
      lossPolicy,
      ...(role === undefined ? {} : { role }),
    })),
    fencing: draft.tickets.fencing,
    unavailable: unavailable(draft),
    remoteNodes: remoteNodes(draft),
    scores: draft.notes.lines,
    remainingCapacity: new Map(
      draft.tree.nodes.map((node, index) => [node.name, draft.nodes.capacity[index] ?? new Map()]),
    ),
  }
}

function primitiveResult(draft: AssignmentDraft, base: BaseScores, entry: PrimitiveEntry): PrimitiveAssignment {
  const node = draft.tree.nodes[draft.placement.node[entry.index] ?? nowhere]?.name
  const { role, reason } = finalRole(draft, entry)
  const modes = base.discovery.get(entry.index)
  const lock = base.locks.get(entry.index)
  const rank = entry.resource.instance?.promotable === true ? draft.promotion.rank[entry.index] : undefined
  return {
    id: entry.id,
    ...(node === undefined ? {} : { node }),
    nextRole: role,
    ...(reason === undefined ? {} : { nextRoleReason: reason }),
    managed: isManaged(draft, entry),
    blocked: draft.standing.blocked[entry.index] === 1,
    ...lookUps(draft, entry),
    discoveryOn: (name) => discoveryModes[modes?.[draft.tree.nodeIndex.get(name) ?? nowhere] ?? 0] ?? 'always',
    exclusiveDiscovery: isExclusive(base, entry),
    ...(rank === undefined ? {} : { promotionScore: rank }),
    ...(lock === undefined ? {} : { lockedTo: lock }),
    whyNot: whyNot(draft, entry, role),
  }
}

/** Exclusive for itself or for what it is part of. */
function isExclusive(base: BaseScores, entry: Entry): boolean {
  return base.exclusive.has(entry.index) || base.exclusive.has(topBelowBundle(entry).index)
}

function lookUps(
  draft: AssignmentDraft,
  entry: Entry,
): Pick<PrimitiveAssignment, 'scoreOn' | 'contributionsOn' | 'nodesByPreference'> {
  const { nodeIndex } = draft.tree
  const table = draft.tables[entry.index]
  return {
    scoreOn: (name) => {
      const index = nodeIndex.get(name)
      const score = table === undefined || index === undefined ? absent : scoreAt(table, index)
      return score === absent ? undefined : score
    },
    contributionsOn: (name) => {
      const index = nodeIndex.get(name)
      return index === undefined ? [] : draft.notes.trail.contributions(entry.index, index)
    },
    nodesByPreference: () =>
      table === undefined
        ? []
        : nodesByPreference(draft, table, nowhere).flatMap((index) => draft.tree.nodes[index]?.name ?? []),
  }
}

/** What is assigned and has no other role to have is started; without quorum, `demote` leaves nothing promoted. */
function finalRole(draft: AssignmentDraft, entry: PrimitiveEntry): { readonly role: Role; readonly reason?: string } {
  const assigned = draft.placement.node[entry.index] !== nowhere
  const role = draft.roles.next[entry.index] ?? (assigned ? 'Started' : 'Stopped')
  const { haveQuorum, options } = draft.status
  if (!haveQuorum && options.noQuorumPolicy === 'demote' && roleRank(role) > roleRank('Unpromoted')) {
    const current = currentRole(draft, entry)
    if (current === 'Promoted' || current === 'Unpromoted')
      return { role: 'Unpromoted', reason: 'no-quorum-policy=demote' }
  }
  const reason = draft.roles.reason[entry.index]
  return reason === undefined ? { role } : { role, reason }
}

function collectiveResult(draft: AssignmentDraft, entry: CollectiveEntry): CollectiveAssignment {
  const nodes = new Set<NodeName>()
  for (const primitive of primitivesOf(entry)) {
    const name = draft.tree.nodes[draft.placement.node[primitive.index] ?? nowhere]?.name
    if (name !== undefined) nodes.add(name)
  }
  const members =
    entry.kind === 'bundle' ? entry.replicas.map(({ container }) => container) : draft.instances.members[entry.index]
  return {
    id: entry.id,
    kind: entry.kind,
    managed: isManaged(draft, entry),
    members: (members ?? entry.members).map(({ id }) => id),
    nodes: [...nodes],
    ...lookUps(draft, entry),
  }
}

function publicColocation(colocation: Colocation): ExpandedColocation {
  const { id, dependent, primary, dependentRole, primaryRole, score, nodeAttribute, influence, explicit } = colocation
  return {
    id,
    dependent: dependent.id,
    primary: primary.id,
    ...(dependentRole === undefined ? {} : { dependentRole }),
    ...(primaryRole === undefined ? {} : { primaryRole }),
    score,
    nodeAttribute,
    influence,
    fromConstraint: explicit,
  }
}

function unavailable(draft: AssignmentDraft): Assignment['unavailable'] {
  return new Map(
    draft.tree.nodes.flatMap((node, index) => {
      const state = whyUnusable(draft.nodes, node, index)
      return state === undefined ? [] : [[node.name, state] as const]
    }),
  )
}

function remoteNodes(draft: AssignmentDraft): Assignment['remoteNodes'] {
  const found = new Map<NodeName, { online: boolean; shutdown: boolean; unclean: boolean }>()
  for (const index of draft.tree.connectionOfNode.keys()) {
    const node = draft.tree.nodes[index]
    if (node === undefined) continue
    found.set(node.name, {
      online: draft.nodes.online[index] === 1,
      shutdown: draft.nodes.shutdown[index] === 1,
      unclean: draft.nodes.unclean[index] === 1,
    })
  }
  return found
}

/** Everything that stands against its being active, where it is not: what was noted on the way, then node by node. */
function whyNot(draft: AssignmentDraft, entry: PrimitiveEntry, role: Role): readonly PlacementReason[] {
  const noted = draft.notes.whyNot.get(entry.index) ?? []
  const { state, meta, orphan } = entry.resource
  const general: PlacementReason[] = []
  if (orphan) general.push({ kind: 'orphan' })
  if (draft.standing.blocked[entry.index] === 1) general.push({ kind: 'blocked' })
  else if (!isManaged(draft, entry)) general.push({ kind: 'unmanaged' })
  if (role !== 'Stopped') return [...general, ...noted]
  if (meta.targetRole === 'Stopped') return [...general, { kind: 'target-role', role: 'Stopped' }, ...noted]
  if (state.onFail !== undefined && state.onFail.action !== 'ignore')
    general.push({ kind: 'on-fail', action: state.onFail.action, node: state.onFail.node })
  for (const { entry: banned, ticket } of draft.tickets.banned)
    if (banned === entry) general.push({ kind: 'ticket', ticket, policy: 'stop' })
  return [...general, ...noted, ...perNode(draft, entry)]
}

function perNode(draft: AssignmentDraft, entry: PrimitiveEntry): readonly PlacementReason[] {
  const table = draft.tables[entry.index]
  return draft.tree.nodes.flatMap((node, index): readonly PlacementReason[] => {
    const state = whyUnusable(draft.nodes, node, index)
    if (state !== undefined) return [{ kind: 'node-unavailable', node: node.name, state }]
    const score = table === undefined ? absent : scoreAt(table, index)
    if (score === absent) return [{ kind: 'not-allowed', node: node.name }]
    if (score >= 0) return []
    const by = draft.notes.trail.contributions(entry.index, index).filter((part) => part.score < 0)
    return [{ kind: 'banned', node: node.name, by }]
  })
}
