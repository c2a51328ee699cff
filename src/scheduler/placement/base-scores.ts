/**
 * The score of every resource on every node before resources are looked at together: what the history forbids, node
 * health, tickets, shutdown locks, location constraints, stickiness, migration-threshold, exclusive resource discovery.
 *
 * A symmetric cluster allows every resource everywhere with 0, an asymmetric one only where something names it. A
 * collective gets the scores of its constraints and so do its members; of a group only the first member gets the
 * numbers, since the others follow it.
 */
import type { NodeName } from '../../base/index.ts'
import { INFINITY_SCORE, type Score } from '../../cib/index.ts'
import type { ClusterStatus, HistoryBan } from '../../status/index.ts'
import type { ScoreSource } from '../assignment.ts'
import { nodeOfContainer } from '../constraints/colocations.ts'
import type { ExpandedLocation } from '../constraints/locations.ts'
import type { TicketEffects } from '../constraints/tickets.ts'
import {
  containerOf,
  type Entry,
  isColocatedGroup,
  isUnique,
  type PrimitiveEntry,
  primitivesOf,
  type ResourceTree,
  topBelowBundle,
} from '../tree.ts'
import type { NodeTable } from './node-table.ts'
import { absent, add, type ScoreTable, scoreAt } from './score-table.ts'
import { startingTable } from './starting-table.ts'
import { everywhere, type Trail } from './trail.ts'

export const discoveryModes = ['always', 'never', 'exclusive'] as const

export interface BaseScores {
  /** By entry index. */
  readonly tables: readonly ScoreTable[]
  /** By entry index: the index of `discoveryModes` per node, where any is not `always`. */
  readonly discovery: ReadonlyMap<number, Uint8Array>
  /** Entries of which a constraint says resource-discovery=exclusive. */
  readonly exclusive: ReadonlySet<number>
  /** The node that a shutdown lock keeps an entry for. */
  readonly locks: ReadonlyMap<number, NodeName>
}

export interface BaseInput {
  readonly status: ClusterStatus
  readonly tree: ResourceTree
  readonly nodes: NodeTable
  readonly locations: readonly ExpandedLocation[]
  readonly tickets: TicketEffects
  readonly initialRole: (entry: Entry) => string | undefined
  readonly trail: Trail
}

interface Work extends BaseInput {
  readonly tables: ScoreTable[]
  readonly discovery: Map<number, Uint8Array>
  readonly exclusive: Set<number>
  readonly locks: Map<number, NodeName>
  /** What runs inside of each container, by entry index. */
  readonly contents: ReadonlyMap<number, readonly PrimitiveEntry[]>
}

export function baseScores(input: BaseInput): BaseScores {
  const work: Work = {
    ...input,
    tables: [],
    discovery: new Map(),
    exclusive: new Set(),
    locks: new Map(),
    contents: contentsByContainer(input.tree),
  }
  for (const entry of input.tree.all) work.tables.push(startingTable(input, entry))
  for (const entry of input.tree.top) applyHistory(work, entry)
  applyHealth(work)
  for (const { entry, ticket } of input.tickets.banned) banEverywhere(work, entry, { kind: 'ticket', ticket })
  applyShutdownLocks(work)
  // For whichever role, and even if its rule holds on no node.
  for (const { discovery, target } of input.locations) if (discovery === 'exclusive') work.exclusive.add(target.index)
  // The last written constraint is applied first; it matters only where finite scores add up to infinity.
  for (const location of input.locations.toReversed()) applyLocation(work, location, location.target, 'with scores')
  for (const entry of input.tree.all) if (entry.kind === 'primitive') applyStickiness(work, entry)
  for (const entry of input.tree.all) if (entry.kind === 'primitive') applyFailCounts(work, entry)
  for (const entry of input.tree.top) applyExclusiveDiscovery(work, entry)
  for (const entry of input.tree.all) if (entry.kind === 'primitive') applyNodeKinds(work, entry)
  return { tables: work.tables, discovery: work.discovery, exclusive: work.exclusive, locks: work.locks }
}

/** Adds a score on a node to an entry and everything below it. A node that was not allowed becomes known by this. */
function addBelow(work: Work, entry: Entry, node: number, score: Score, source: ScoreSource): void {
  for (const member of entry.members) addBelow(work, member, node, score, source)
  addTo(work, entry, node, score, source)
}

function addTo(work: Work, entry: Entry, node: number, score: Score, source: ScoreSource): void {
  const table = tableOf(work, entry)
  const was = scoreAt(table, node)
  table[node] = add(was === absent ? (work.nodes.baseScore[node] ?? 0) : was, score)
  work.trail.note(entry.index, source, node, score)
}

function tableOf(work: Work, entry: Entry): ScoreTable {
  const table = work.tables[entry.index]
  if (table === undefined) throw new RangeError(`no scores for ${entry.id}`)
  return table
}

function banEverywhere(work: Work, entry: Entry, source: ScoreSource): void {
  for (const member of entry.members) banEverywhere(work, member, source)
  tableOf(work, entry).fill(-INFINITY_SCORE)
  work.trail.note(entry.index, source, everywhere, -INFINITY_SCORE)
}

function applyHistory(work: Work, entry: Entry): void {
  if (entry.resource.orphan && entry.kind === 'primitive' && work.status.options.stopOrphanResources)
    banEverywhere(work, entry, { kind: 'orphan' })
  for (const member of entry.members) applyHistory(work, member)
  if (entry.kind !== 'primitive') return
  const { state } = entry.resource
  for (const ban of state.bans) applyBan(work, entry, ban)
  if (state.multiplyActive && entry.resource.meta.multipleActive === 'stop_only')
    banEverywhere(work, entry, { kind: 'multiple-active' })
  for (const node of state.heldOn) {
    const index = work.tree.nodeIndex.get(node)
    if (index !== undefined) addTo(work, entry, index, INFINITY_SCORE, { kind: 'unmanaged' })
  }
}

function applyBan(work: Work, entry: PrimitiveEntry, ban: HistoryBan): void {
  const target = ban.wholeClone ? topBelowBundle(entry) : entry
  const operation = ban.operation === undefined ? {} : { operation: ban.operation }
  const source: ScoreSource = { kind: 'failure', because: ban.because, ...operation }
  if (ban.node === undefined) {
    if (ban.because === 'on-fail-stop') banAlone(work, target, source)
    else banEverywhere(work, target, source)
    return
  }
  const node = work.tree.nodeIndex.get(ban.node)
  if (node !== undefined) addBelow(work, target, node, -INFINITY_SCORE, source)
}

/** A clone that must stop is banned as such; its instances are ruled out by that when they are assigned. */
function banAlone(work: Work, entry: Entry, source: ScoreSource): void {
  tableOf(work, entry).fill(-INFINITY_SCORE)
  work.trail.note(entry.index, source, everywhere, -INFINITY_SCORE)
}

/** Node health as a location score for every resource; `allow-unhealthy-nodes` ignores bad health. */
function applyHealth(work: Work): void {
  if (work.status.options.nodeHealthStrategy === 'none') return
  work.status.nodes.forEach((status, node) => {
    if (status.healthScore === 0) return
    for (const entry of work.tree.top) {
      if (entry.parent !== undefined) continue
      const tolerant = /^(true|yes|y|on|1)$/i.test(entry.resource.meta.raw.get('allow-unhealthy-nodes') ?? '')
      if (status.healthScore < 0 && tolerant) continue
      const nodes = [{ node, score: status.healthScore }]
      const location = { constraint: 'node-health', target: entry, nodes, discovery: 'always' as const }
      applyLocation(work, { ...location, health: status.health }, entry, 'with scores')
    }
  })
}

type Weight = 'with scores' | 'without scores'

function applyLocation(
  work: Work,
  location: ExpandedLocation & { readonly health?: 'green' | 'yellow' | 'red' },
  entry: Entry,
  weight: Weight,
): void {
  applyLocationTo(work, location, entry, weight)
  switch (entry.kind) {
    case 'primitive':
      return
    case 'clone':
      for (const member of entry.members) applyLocation(work, location, member, weight)
      return
    case 'group':
      entry.members.forEach((member, index) => {
        const follows = index > 0 && isColocatedGroup(entry)
        applyLocation(work, location, member, follows ? 'without scores' : weight)
      })
      return
    case 'bundle':
      for (const { container, ip } of entry.replicas)
        for (const part of [container, ip]) if (part !== undefined) applyLocation(work, location, part, weight)
      // What a bundle's member shall be promoted on is asked when its role is chosen.
      if (entry.clone !== undefined && location.role !== undefined) applyLocation(work, location, entry.clone, weight)
      return
  }
}

function applyLocationTo(
  work: Work,
  location: ExpandedLocation & { readonly health?: 'green' | 'yellow' | 'red' },
  entry: Entry,
  weight: Weight,
): void {
  if (location.role !== undefined && location.role !== work.initialRole(entry)) return
  const table = tableOf(work, entry)
  const source: ScoreSource =
    location.health === undefined
      ? {
          kind: 'location',
          constraint: location.constraint,
          ...(location.rule === undefined ? {} : { rule: location.rule }),
          ...(location.attribute === undefined ? {} : { attribute: location.attribute }),
        }
      : { kind: 'health', health: location.health }
  const mode = discoveryModes.indexOf(location.discovery)
  for (const { node, score } of location.nodes) {
    const added = weight === 'with scores' ? score : 0
    const was = scoreAt(table, node)
    table[node] = was === absent ? added : add(was, added)
    if (added !== 0) work.trail.note(entry.index, source, node, added)
    if (mode > 0) raiseDiscovery(work, entry, node, mode)
  }
}

/** Exclusive wins over never, never over always. */
function raiseDiscovery(work: Work, entry: Entry, node: number, mode: number): void {
  const modes = work.discovery.get(entry.index) ?? new Uint8Array(work.nodes.count)
  if ((modes[node] ?? 0) < mode) modes[node] = mode
  work.discovery.set(entry.index, modes)
  if (mode === 2) work.exclusive.add(entry.index)
}

function applyShutdownLocks(work: Work): void {
  if (!work.status.options.shutdownLock) return
  for (const entry of work.tree.all) {
    const lock = entry.kind === 'primitive' ? entry.resource.state.shutdownLock : undefined
    if (lock === undefined) continue
    work.locks.set(entry.index, lock.node)
    for (let node = 0; node < work.nodes.count; node++)
      if (work.nodes.names[node] !== lock.node)
        addBelow(work, entry, node, -INFINITY_SCORE, { kind: 'shutdown-lock', node: lock.node })
  }
}

/** Where a managed resource is active on exactly one node, it would rather stay; not where it is no longer allowed. */
function applyStickiness(work: Work, entry: PrimitiveEntry): void {
  const { state, meta } = entry.resource
  const [active, another] = state.active
  if (!isManaged(work, entry) || meta.stickiness < 1 || active === undefined || another !== undefined) return
  const node = work.tree.nodeIndex.get(active.node)
  if (node === undefined) return
  if (!work.status.options.symmetricCluster && scoreAt(tableOf(work, entry), node) === absent) return
  addTo(work, entry, node, meta.stickiness, { kind: 'stickiness' })
}

const isManaged = (work: Work, entry: PrimitiveEntry): boolean =>
  entry.resource.state.managed && !work.tickets.frozen.has(entry.index)

/** migration-threshold failures on a node ban the resource from it, an anonymous clone as a whole. */
function applyFailCounts(work: Work, entry: PrimitiveEntry): void {
  const { state, meta } = entry.resource
  if (meta.migrationThreshold === 0 || state.failureIgnored) return
  for (const [name, count] of countedFailures(work, entry)) {
    const node = work.tree.nodeIndex.get(name)
    if (node === undefined || count <= 0 || count < meta.migrationThreshold) continue
    const target = isUnique(entry) ? entry : topBelowBundle(entry)
    addBelow(work, target, node, -INFINITY_SCORE, {
      kind: 'fail-count',
      count,
      threshold: meta.migrationThreshold,
    })
  }
}

/** Failures of what runs inside of a container count as its own; a bundle's replicas look after themselves. */
function countedFailures(work: Work, entry: PrimitiveEntry): ReadonlyMap<NodeName, Score> {
  const inside = entry.parent?.kind === 'bundle' ? [] : (work.contents.get(entry.index) ?? [])
  const counts = new Map<NodeName, Score>()
  for (const { resource } of [entry, ...inside])
    for (const [node, { count }] of resource.state.failCounts) counts.set(node, add(counts.get(node) ?? 0, count))
  // What is about to be cleared keeps the resource from nothing.
  for (const { node } of entry.resource.state.clearFailCountOn) counts.delete(node)
  return counts
}

function contentsByContainer(tree: ResourceTree): ReadonlyMap<number, readonly PrimitiveEntry[]> {
  const contents = new Map<number, PrimitiveEntry[]>()
  for (const entry of tree.all) {
    const container = entry.kind === 'primitive' ? containerOf(tree, entry) : undefined
    if (container === undefined || container === entry || entry.kind !== 'primitive') continue
    const known = contents.get(container.index)
    if (known === undefined) contents.set(container.index, [entry])
    else known.push(entry)
  }
  return contents
}

/**
 * Once one constraint says that a resource may be discovered on some nodes exclusively, it may be on no others. Of members that is
 * asked only where the whole is exclusive.
 */
function applyExclusiveDiscovery(work: Work, entry: Entry): void {
  if (!work.exclusive.has(entry.index) && !work.exclusive.has(topBelowBundle(entry).index)) return
  for (const member of entry.members) applyExclusiveDiscovery(work, member)
  const table = tableOf(work, entry)
  const modes = work.discovery.get(entry.index)
  for (let node = 0; node < work.nodes.count; node++) {
    if (table[node] === absent || modes?.[node] === 2) continue
    table[node] = -INFINITY_SCORE
    work.trail.note(entry.index, { kind: 'exclusive-discovery' }, node, -INFINITY_SCORE)
  }
}

/**
 * Connections and fence devices are not run by remote nodes, nor is the container of a guest node (a bundle's may be).
 * What was put into a container that is a node runs on that node alone.
 */
function applyNodeKinds(work: Work, entry: PrimitiveEntry): void {
  const { resource } = entry
  const container = containerOf(work.tree, entry)
  if (container !== undefined && isManaged(work, entry)) {
    const own = nodeOfContainer(entry, container, work.tree)
    if (own !== undefined) restrict(work, entry, (node) => node === own)
    else if (resource.connectionOf !== undefined && !work.tree.replicaOf.has(entry.index))
      for (const inner of primitivesOf(container)) restrict(work, inner, (node) => isMember(work, node))
  }
  if (isManaged(work, entry) && (resource.connectionOf !== undefined || resource.agent.class === 'stonith'))
    restrict(work, entry, (node) => isMember(work, node))
}

/** A node is reached through a connection, or it is an ordinary member. */
const isMember = ({ tree }: Work, node: number): boolean => !tree.connectionOfNode.has(node)

function restrict(work: Work, entry: PrimitiveEntry, allows: (node: number) => boolean): void {
  const table = tableOf(work, entry)
  for (let node = 0; node < work.nodes.count; node++) {
    if (table[node] === absent || allows(node)) continue
    table[node] = -INFINITY_SCORE
    work.trail.note(entry.index, { kind: 'node-kind' }, node, -INFINITY_SCORE)
  }
}
