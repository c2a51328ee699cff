/** Whether one more node may be taken down now: limits, quorum, whoever else is at work on it. A sentence says why not. */
import type { NodeName } from '../base/index.ts'
import type { Requirement, Window } from './definition.ts'
import type { NodeSeen, RolloutInput } from './effects.ts'
import { isUnderWay, leavesCluster, type RolloutNode, type RolloutRecord } from './record.ts'

/** Nodes that are down by whatever cause, this rollout among them. */
function unavailable(record: RolloutRecord, input: RolloutInput): ReadonlySet<NodeName> {
  const down = new Set(record.nodes.filter(isUnderWay).map(({ node }) => node))
  for (const [node, seen] of input.nodes) if (!seen.online || seen.standby || seen.maintenance) down.add(node)
  // A node of a limit that is not there at all.
  for (const { nodes } of record.limits) for (const node of nodes) if (!input.nodes.has(node)) down.add(node)
  // The limits of a smaller cluster are about those that are left.
  for (const node of input.removed) down.delete(node)
  return down
}

export function whyNotTaken(record: RolloutRecord, input: RolloutInput, node: NodeName): string | undefined {
  const seen = input.nodes.get(node)
  if (seen === undefined || input.removed.has(node)) return 'it is not in the cluster'
  return whyNotReady(seen) ?? whyOverLimit(record, input, node) ?? whyNoQuorum(record, input, node)
}

/** `waiting for db (1 of 2)`, where a requirement is not met. */
export function whyRequired(
  requires: readonly Requirement[],
  { roles, services }: Pick<RolloutInput, 'roles' | 'services'>,
): string | undefined {
  const missing = requires.flatMap(({ role, service, min }) => {
    const there = (role === undefined ? services.get(service) : roles.get(role)) ?? 0
    return there >= min ? [] : [`${role ?? `the service ${service}`} (${there} of ${min})`]
  })
  return missing.length === 0 ? undefined : `waiting for ${missing.join(', ')}`
}

function whyNotReady({ online, maintenance, rollout }: NodeSeen): string | undefined {
  if (rollout !== undefined) return `rollout ${rollout} has not ended there`
  if (!online) return 'it is offline'
  return maintenance ? 'it is in maintenance' : undefined
}

function whyOverLimit(record: RolloutRecord, input: RolloutInput, node: NodeName): string | undefined {
  const down = new Set(unavailable(record, input)).add(node)
  for (const { label, maxUnavailable, nodes } of record.limits) {
    if (!nodes.includes(node)) continue
    if (maxUnavailable === 0) return `max-unavailable of ${label} is 0`
    const others = nodes.filter((one) => one !== node && down.has(one))
    if (others.length + 1 > maxUnavailable)
      return `max-unavailable of ${label} is ${maxUnavailable}, and ${others.join(', ')} ${others.length === 1 ? 'is' : 'are'} unavailable`
  }
  return undefined
}

/** Nodes that a rollout works on may all leave the cluster at the same moment. */
function whyNoQuorum(record: RolloutRecord, input: RolloutInput, node: NodeName): string | undefined {
  if (!leavesCluster(record.definition)) return undefined
  const leaving = new Set([node, ...record.nodes.filter(isUnderWay).map((one) => one.node)])
  let votes = input.otherVotes
  for (const [name, seen] of input.nodes) if (seen.online && !leaving.has(name)) votes += seen.votes
  return votes >= input.majority
    ? undefined
    : `without it ${votes} of ${input.majority} votes are left that quorum needs`
}

const minutesOfDay = 24 * 60

function isInside({ from, to, days }: Window, { day, minutes }: RolloutInput['clock']): boolean {
  if (from < to) return days.includes(day) && minutes >= from && minutes < to
  const yesterday = (day + 6) % 7
  return (days.includes(day) && minutes >= from && minutes < minutesOfDay) || (days.includes(yesterday) && minutes < to)
}

/**
 * Nodes begin inside the window, and as long as a node that takes as long as the longest before is done in it. One that takes longer than a
 * window is long begins in it all the same: no other would fit better.
 */
export function whyNotInWindow(
  { definition: { window }, nodes }: Pick<RolloutRecord, 'definition' | 'nodes'>,
  clock: RolloutInput['clock'],
): string | undefined {
  if (window === undefined) return undefined
  if (!isInside(window, clock)) return 'it is outside the maintenance window'
  const until = (minutes: number): number => (window.to - minutes + minutesOfDay) % minutesOfDay
  const longest = Math.max(0, ...nodes.map(minutesOf))
  return longest > until(clock.minutes) && longest <= until(window.from)
    ? `the maintenance window ends in ${until(clock.minutes)} min, and a node has taken ${Math.ceil(longest)} min`
    : undefined
}

const minutesOf = ({ phase, begun, ended }: RolloutNode): number =>
  phase === 'done' && begun !== undefined && ended !== undefined ? (ended - begun) / 60_000 : 0
