/**
 * Tickets (Pacemaker Explained, "Multi-Site Clusters and Tickets"): what a resource must give up while a ticket that it
 * depends on is revoked or on standby. The loss policy is for resources that run when a ticket is lost; what does not run
 * just must not start.
 */
import type { NodeName } from '../../base/index.ts'
import type { Configuration, Role, TicketConstraint } from '../../cib/index.ts'
import type { ClusterStatus, TicketStatus } from '../../status/index.ts'
import { type Entry, type PrimitiveEntry, primitivesOf } from '../resources/tree.ts'
import type { RuleHolds } from './locations.ts'
import { completeSets, type References } from './references.ts'

export type LossPolicy = 'stop' | 'demote' | 'fence' | 'freeze'

export interface TicketDependency {
  readonly id: string
  readonly entry: Entry
  readonly ticket: string
  readonly role: Role | undefined
  readonly lossPolicy: LossPolicy
}

export interface TicketEffects {
  readonly dependencies: readonly TicketDependency[]
  /** Primitives that must not be active anywhere, and the ticket because of which. */
  readonly banned: readonly { readonly entry: PrimitiveEntry; readonly ticket: string }[]
  /** Primitives that stay as they are. */
  readonly frozen: ReadonlySet<number>
  readonly fencing: ReadonlyMap<NodeName, readonly string[]>
  /** Entries none of whose instances may be promoted, by index, and the ticket because of which. */
  readonly unpromotable: ReadonlyMap<number, string>
}

interface Input {
  readonly configuration: Configuration
  readonly status: ClusterStatus
  readonly references: References
  readonly holds: RuleHolds
}

export function readTicketEffects(input: Input): TicketEffects {
  const dependencies = input.configuration.constraints.flatMap((constraint) => {
    if (constraint.kind !== 'ticket') return []
    if (constraint.lifetime !== undefined && !input.holds(constraint.lifetime, {})) return []
    return expand(constraint, input)
  })
  const tickets = new Map(input.status.tickets.map((ticket) => [ticket.id, ticket]))
  const banned: { entry: PrimitiveEntry; ticket: string }[] = []
  const frozen = new Set<number>()
  const fencing = new Map<NodeName, string[]>()
  const unpromotable = new Map<number, string>()
  for (const dependency of dependencies) {
    const ticket = tickets.get(dependency.ticket)
    if (ticket?.granted === true && !ticket.standby) continue
    if (dependency.role === 'Promoted') unpromotable.set(dependency.entry.index, dependency.ticket)
    for (const entry of primitivesOf(dependency.entry)) {
      switch (effectOn(entry, dependency, ticket)) {
        case 'none':
          break
        case 'freeze':
          frozen.add(entry.index)
          break
        case 'fence':
          for (const { node } of entry.resource.state.active) addTo(fencing, node, 'deadman ticket was lost')
          banned.push({ entry, ticket: dependency.ticket })
          break
        case 'ban':
          banned.push({ entry, ticket: dependency.ticket })
          break
      }
    }
  }
  return { dependencies, banned, frozen, fencing, unpromotable }
}

function effectOn(
  { resource }: PrimitiveEntry,
  { role, lossPolicy }: TicketDependency,
  ticket: TicketStatus | undefined,
): 'none' | 'ban' | 'freeze' | 'fence' {
  const onlyPromotion = role === 'Promoted'
  const lost = ticket?.granted !== true && resource.state.active.length > 0
  if (!lost) return onlyPromotion && lossPolicy !== 'stop' ? 'none' : 'ban'
  const concerned = role === undefined || role === resource.state.role
  switch (lossPolicy) {
    case 'stop':
      return 'ban'
    case 'demote':
      return onlyPromotion ? 'none' : 'ban'
    case 'fence':
      return concerned ? 'fence' : 'none'
    case 'freeze':
      return concerned ? 'freeze' : 'none'
  }
}

function expand(constraint: TicketConstraint, { references, status }: Input): readonly TicketDependency[] {
  const named = (ids: readonly string[], written: Role | undefined): readonly TicketDependency[] =>
    references.untilUnknown(ids).map((entry) => {
      const role = written === 'Started' ? undefined : written
      const wanted = constraint.lossPolicy ?? (role === 'Promoted' ? 'demote' : 'stop')
      // Without fencing there is no way to be sure of a node, so the resource is stopped instead.
      const lossPolicy = wanted === 'fence' && !status.options.fencingEnabled ? 'stop' : wanted
      return { id: constraint.id, entry, ticket: constraint.ticket, role, lossPolicy }
    })
  if (constraint.on.by === 'id') return named(references.expand(constraint.on.id), constraint.on.role)
  const sets = references.expandSets(constraint.on.sets)
  return sets.slice(0, completeSets(references, sets) + 1).flatMap((set) => named(set.members, set.role))
}

function addTo(map: Map<NodeName, string[]>, node: NodeName, reason: string): void {
  const known = map.get(node)
  if (known === undefined) map.set(node, [reason])
  else if (!known.includes(reason)) known.push(reason)
}
