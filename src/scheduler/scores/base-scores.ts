/**
 * The score of every resource on every node before resources are looked at together: what the history forbids, node
 * health, tickets, shutdown locks, location constraints, stickiness, migration-threshold, exclusive resource discovery.
 *
 * A symmetric cluster allows every resource everywhere with 0, an asymmetric one only where something names it. A
 * collective gets the scores of its constraints and so do its members; of a group only the first member gets the
 * numbers, since the others follow it.
 */
import type { NodeName } from '../../base/index.ts'
import type { ClusterStatus } from '../../status/index.ts'
import type { ExpandedLocation } from '../constraints/locations.ts'
import type { TicketEffects } from '../constraints/tickets.ts'
import type { Entry, PrimitiveEntry, ResourceTree } from '../resources/tree.ts'
import { applyExclusiveDiscovery } from './exclusive-discovery.ts'
import { applyFailCounts } from './fail-counts.ts'
import { applyGates } from './gates.ts'
import { applyHealth } from './health.ts'
import { applyHistory } from './history.ts'
import { applyLocation, type LocationWork } from './locations.ts'
import { applyNodeKinds } from './node-kinds.ts'
import type { NodeTable } from './node-table.ts'
import type { ScoreTable } from './score-table.ts'
import { applyShutdownLocks } from './shutdown-locks.ts'
import { startingTables } from './starting-table.ts'
import { applyStickiness } from './stickiness.ts'
import { banEverywhere } from './table-work.ts'
import type { Trail } from './trail.ts'

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

export function baseScores(input: BaseInput): BaseScores {
  const { tree, locations } = input
  const tables = tree.all.map(startingTables(input))
  const work: LocationWork = { ...input, tables, discovery: new Map(), exclusive: new Set() }
  const primitives = tree.all.filter((entry): entry is PrimitiveEntry => entry.kind === 'primitive')
  for (const entry of tree.top) applyHistory(work, entry)
  applyHealth(work)
  for (const { entry, ticket } of input.tickets.banned) banEverywhere(work, entry, { kind: 'ticket', ticket })
  const locks = applyShutdownLocks(work)
  applyGates(work)
  // For whichever role, and even if its rule holds on no node.
  for (const { discovery, target } of locations) if (discovery === 'exclusive') work.exclusive.add(target.index)
  // The last written constraint is applied first; it matters only where finite scores add up to infinity.
  for (const location of locations.toReversed()) applyLocation(work, location, location.target, 'with scores')
  for (const entry of primitives) applyStickiness(work, entry)
  applyFailCounts(work)
  for (const entry of tree.top) applyExclusiveDiscovery(work, entry)
  for (const entry of primitives) applyNodeKinds(work, entry)
  return { tables, discovery: work.discovery, exclusive: work.exclusive, locks }
}
