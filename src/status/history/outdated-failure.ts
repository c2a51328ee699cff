/**
 * A failed start or monitor with other parameters than are configured now: it says nothing about them, so that its fail count is
 * cleared and keeps the resource from nothing. Without digests (a caller that has no MD5) every failure counts.
 */
import type { HistoryEntry } from '../cluster-status.ts'
import { compareDigests, parametersTask } from '../digests.ts'
import type { NodeDraft, PrimitiveDraft, World } from '../drafts.ts'
import { parametersOn } from '../parameters.ts'
import { addNvSets } from '../rules/index.ts'
import { findOperation, operationMeta, timeoutMs } from './operation-meta.ts'

export function hasOutdatedParameters(
  world: World,
  resource: PrimitiveDraft,
  node: NodeDraft,
  entry: HistoryEntry,
): boolean {
  const { md5, zone, configuration } = world
  if (md5 === undefined || !entry.id.endsWith('_last_failure_0')) return false
  if (entry.operation !== 'start' && entry.operation !== 'monitor') return false
  const parameters = parametersOn(resource, world, (name) => world.nodes.get(name)?.attributes)(node.name)
  // Such a connection is made to wherever its container will be, which is not known yet.
  if (parameters.get('addr') === '#uname') return false
  const { intervalMs } = entry
  const definition = findOperation(resource.operations, parametersTask(entry), intervalMs)
  const own = new Map<string, string>()
  addNvSets(own, definition?.parameters ?? [], { zone, nodeAttributes: node.attributes })
  const { operationDefaults } = configuration
  const timeout = () =>
    timeoutMs(operationMeta(resource, { name: entry.operation, intervalMs }, { operationDefaults, zone }))
  const configured = {
    agent: resource.agent,
    parameters: Object.fromEntries([...parameters, ...own]),
    hasOwnParameters: own.size > 0,
    timeoutMs: timeout,
  }
  // A changed secret is a change here, although it alone would not be a reason to restart what runs.
  const difference = compareDigests(entry, configured, { md5, isSanitized: false })
  return difference === 'restart' || difference === 'reload'
}
