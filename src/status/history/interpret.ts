/**
 * Reads one node's history: for each resource its operations from the oldest to the newest, then what they add up to. This
 * is the table of contents; outcome.ts, success.ts, failure.ts and on-fail.ts hold the rules.
 */

import { roleRank } from '../../cib/index.ts'
import { canFence } from '../can-fence.ts'
import type { NodeDraft, World } from '../drafts.ts'
import type { RecordedNode, RecordedResource } from '../records.ts'
import { sameAgent } from '../same-agent.ts'
import { block } from './active.ts'
import { concludeReading } from './conclude.ts'
import { isExpired } from './expiry.ts'
import { type FailCountIndex, indexFailCounts } from './fail-count.ts'
import { applyFailure, applyMissingAgent, recordFailure } from './failure.ts'
import { findInstance } from './find-instance.ts'
import { noteFailCount } from './note-fail-counts.ts'
import { linkOrphanedContainers } from './orphan.ts'
import { exitCodes, isProbeWithoutAgent, type Outcome, outcomeOf } from './outcome.ts'
import { applyPending } from './pending.ts'
import type { Reading } from './reading.ts'
import { noteShutdownLock } from './shutdown-lock.ts'
import { applySuccess } from './success.ts'

export function interpretNode(world: World, node: NodeDraft, recorded: RecordedNode): void {
  const failCounts = indexFailCounts(node.attributes)
  for (const resource of recorded.resources) interpretResource(world, node, resource, failCounts)
  linkOrphanedContainers(world, recorded)
}

function interpretResource(
  world: World,
  node: NodeDraft,
  recorded: RecordedResource,
  failCounts: FailCountIndex,
): void {
  if (recorded.entries.length === 0 && recorded.shutdownLock === undefined) return
  const resource = findInstance(world, node, recorded)
  if (resource === undefined) return
  const { state } = resource
  state.history.set(node.name, recorded.entries)
  if (recorded.agent !== undefined && !sameAgent(recorded.agent, resource.agent))
    state.otherAgents.set(node.name, recorded.agent)
  if (recorded.id !== resource.id) state.historyName = recorded.id
  noteFailCount(world, resource, node, failCounts)
  if (recorded.shutdownLock !== undefined) noteShutdownLock(world, resource, node, recorded.shutdownLock)
  const [first] = recorded.entries
  if (first === undefined) return
  const before = state.role
  const reading: Reading = {
    world,
    node,
    resource,
    entry: first,
    role: undefined,
    onFail: 'ignore',
    lastFailure: undefined,
  }
  for (const entry of recorded.entries) {
    reading.entry = entry
    interpretEntry(reading)
  }
  concludeReading(reading)
  // A numbered name is only worth keeping for what runs: of a stopped instance it is a matter of chance.
  if ((reading.role === undefined || reading.role === 'Stopped') && state.historyName?.includes(':') === true)
    delete state.historyName
  state.role = roleRank(before) > roleRank(reading.role) ? before : reading.role
}

/** Whatever else is recorded, such as a cancelled monitor or a reload, tells nothing of where a resource is. */
const telling: ReadonlySet<string> = new Set([
  'monitor',
  'asyncmon',
  'start',
  'stop',
  'promote',
  'demote',
  'migrate_to',
  'migrate_from',
])

function interpretEntry(reading: Reading): void {
  const { world, node, resource, entry } = reading
  if (!telling.has(entry.operation)) return
  const expired = isExpired(world, resource, node, entry)
  const outcome = outcomeOf(entry, { managed: resource.state.managed, canFence: () => canFence(world, node), expired })
  // What makes up a bundle has to be able to run wherever it is probed.
  const lacksAgent = isProbeWithoutAgent(entry) && !resource.bundled
  const found = lacksAgent ? exitCodes.notRunning : outcome.exitCode
  if (expired && entry.expectedExitCode !== found) {
    const isLive = node.online && !node.unclean
    if (entry.intervalMs === 0) return
    if (isLive) {
      resource.state.expiredRecurring.push({ node: node.name, entry })
      return
    }
  }
  if (lacksAgent) {
    if (!expired) {
      applyMissingAgent(reading)
      return
    }
    reading.role = 'Stopped'
    applySuccess(reading, exitCodes.notRunning)
    return
  }
  if (entry.exitCode === exitCodes.degraded || entry.exitCode === exitCodes.degradedPromoted) recordFailure(reading)
  applyOutcome(reading, outcome)
}

function applyOutcome(reading: Reading, outcome: Outcome): void {
  if (outcome.role !== undefined && outcome.kind !== 'pending' && outcome.kind !== 'cancelled')
    reading.role = outcome.role
  if (outcome.isDeadEnd) block(reading.resource.state)
  switch (outcome.kind) {
    case 'cancelled':
      return
    case 'pending':
      applyPending(reading)
      return
    case 'done':
      if (outcome.clearsFailures) reading.onFail = 'ignore'
      if (outcome.clearsFailures) delete reading.resource.state.demandedRole
      applySuccess(reading, outcome.exitCode)
      return
    default:
      applyFailure(reading, outcome)
  }
}
