/**
 * What a failed operation says of a resource on a node. It counts as active unless the failure proves the contrary, so that
 * it is stopped before it starts elsewhere; a failed stop, and errors that will not go away, rule the node out.
 */
import { nodeName } from '../../base/index.ts'
import { type Role, roleRank } from '../../cib/index.ts'
import type { HistoryBan, OnFail } from '../cluster-status.ts'
import type { CloneDraft, PrimitiveDraft } from '../drafts.ts'
import { unpackFailedMigrateFrom, unpackFailedMigrateTo } from './migration.ts'
import { isMoreSevere, resolveOnFail, roleAfterFailure } from './on-fail.ts'
import { operationMeta } from './operation-meta.ts'
import { exitCodes, isProbe, type Outcome } from './outcome.ts'
import type { Reading } from './reading.ts'
import { applySuccess, clearFailures, setActive } from './success.ts'

interface Response {
  readonly onFail: OnFail
  readonly nextRole: Role | undefined
}

export function applyFailure(reading: Reading, outcome: Outcome): void {
  const response = responseTo(reading)
  if (outcome.kind === 'not-installed') {
    ban(reading, 'hard-error')
    // What is not there cannot be ignored.
    applyResponse(reading, outcome, response.onFail === 'ignore' ? { ...response, onFail: 'recover' } : response)
    return
  }
  const isIgnored =
    response.onFail === 'ignore' || (response.onFail === 'restart-container' && reading.entry.operation === 'stop')
  if (isIgnored) {
    ignoreFailure(reading, outcome, response)
    return
  }
  applyResponse(reading, outcome, response)
  if (outcome.kind === 'hard-error') ban(reading, 'hard-error')
  if (outcome.kind === 'fatal-error') ban(reading, 'fatal-error', { everywhere: true })
}

/** See `isProbeWithoutAgent`: shown, and banned from the node, but nothing has to be recovered. */
export function applyMissingAgent(reading: Reading): void {
  reading.role = 'Stopped'
  clearFailures(reading)
  recordFailure(reading)
  ban(reading, 'hard-error')
}

function responseTo({ world, resource, entry }: Reading): Response {
  const failed = { operation: entry.operation, intervalMs: entry.intervalMs }
  const meta = operationMeta(
    resource,
    { name: entry.operation, intervalMs: entry.intervalMs },
    { operationDefaults: world.configuration.operationDefaults, zone: world.zone },
  )
  const onFail = resolveOnFail(resource, failed, meta, world.options.fencingEnabled)
  return { onFail, nextRole: roleAfterFailure(resource, failed, meta, onFail) }
}

/** It is taken for the success that was expected, but shown. */
function ignoreFailure(reading: Reading, { expected }: Outcome, { onFail }: Response): void {
  applySuccess(reading, expected)
  reading.resource.state.failureIgnored = true
  recordFailure(reading)
  const isWorse = !isMoreSevere(reading.onFail, 'recover')
  if (onFail === 'restart-container' && isWorse) reading.onFail = onFail
}

function applyResponse(reading: Reading, outcome: Outcome, { onFail, nextRole }: Response): void {
  const { entry, resource, world } = reading
  reading.lastFailure = entry
  const isMissing = outcome.exitCode === exitCodes.notInstalled
  if (!isMissing || world.options.symmetricCluster) recordFailure(reading)
  if (isMoreSevere(onFail, reading.onFail)) reading.onFail = onFail
  applyOperation(reading, outcome, onFail)
  if (isProbe(entry) && isMissing) reading.role = 'Stopped'
  else if (roleRank(reading.role) < roleRank('Started')) setActive(reading)
  const { demandedRole } = resource.state
  if (nextRole !== undefined && (demandedRole === undefined || roleRank(demandedRole.role) < roleRank(nextRole)))
    resource.state.demandedRole = { role: nextRole, reason: 'failure' }
  if (nextRole === 'Stopped') ban(reading, 'on-fail-stop', { everywhere: true })
}

function applyOperation(reading: Reading, outcome: Outcome, onFail: OnFail): void {
  switch (reading.entry.operation) {
    case 'stop':
      ban(reading, 'failed-stop', { instanceOnly: true })
      return
    case 'migrate_to':
      unpackFailedMigrateTo(reading)
      return
    case 'migrate_from':
      unpackFailedMigrateFrom(reading)
      return
    case 'promote':
      reading.role = 'Promoted'
      return
    case 'demote':
      if (onFail === 'block') {
        reading.role = 'Promoted'
        reading.resource.state.demandedRole = { role: 'Stopped', reason: 'demote with on-fail=block' }
        return
      }
      // Taken for unpromoted: recovery stops it before another is promoted, and a loop of demotions is of no use.
      reading.role = outcome.exitCode === exitCodes.notRunning ? 'Stopped' : 'Unpromoted'
  }
}

function ban(
  { resource, node, entry }: Reading,
  because: HistoryBan['because'],
  scope: { readonly everywhere?: boolean; readonly instanceOnly?: boolean } = {},
): void {
  const clone = scope.instanceOnly === true ? undefined : anonymousCloneOf(resource)
  resource.state.bans.push({
    because,
    operation: entry.key,
    ...(clone && { cloneInstances: clone.instances.length }),
    ...(scope.everywhere === true ? {} : { node: node.name }),
  })
}

function anonymousCloneOf({ parent }: PrimitiveDraft): CloneDraft | undefined {
  const around = parent?.kind === 'group' ? parent.parent : parent
  return around?.kind === 'clone' && !around.unique ? around : undefined
}

/**
 * For the list of failed actions, which leaves out nodes that are gone. `_last_failure_0` and the entry of the operation itself
 * may both tell of one failure: it is listed once.
 */
export function recordFailure({ world, node, resource, entry }: Reading): void {
  const key = `${node.name} ${entry.key}`
  if (!node.online || world.failures.has(key)) return
  world.failures.set(key, {
    resource: resource.id,
    configuredResource: resource.configuredId,
    node: node.name,
    operation: entry.operation,
    intervalMs: entry.intervalMs,
    exitCode: entry.exitCode,
    status: String(entry.status),
    exitReason: entry.exitReason,
    key: entry.key,
    ...(entry.lastChange === undefined ? {} : { lastChange: entry.lastChange }),
    ...(entry.attributes.on_node === undefined ? {} : { recordedNode: nodeName(entry.attributes.on_node) }),
  })
}
