/**
 * A resource's meta-attributes: its own, then its parent's, then `rsc_defaults` under their rules (Pacemaker Explained,
 * "Resource Meta-Attributes", "Setting Global Defaults for Resource Options").
 */
import { parseDurationMs } from '../../base/index.ts'
import { isTrue, parseRole, parseScore, type Score } from '../../cib/index.ts'
import type { ResourceMeta } from '../cluster-status.ts'
import { addNvSets } from '../rules/index.ts'
import type { MetaOwner, MetaSources } from './meta-sources.ts'
import { requiresOf } from './requires.ts'

export function resolveMeta(owner: MetaOwner, sources: MetaSources): ResourceMeta {
  const raw = new Map<string, string>()
  const context = { zone: sources.zone, agent: owner.agent }
  addNvSets(raw, owner.sets, context)
  for (const [name, value] of owner.inherited ?? []) if (!raw.has(name)) raw.set(name, value)
  addNvSets(raw, sources.resourceDefaults, context)
  return interpretMeta(raw, owner, sources)
}

/** Some 49 days and 17 hours: Pacemaker keeps intervals as unsigned numbers of 32 bits, and takes what is longer for the longest. */
const longestIntervalMs = 2 ** 32 - 1

function interpretMeta(raw: ReadonlyMap<string, string>, owner: MetaOwner, sources: MetaSources): ResourceMeta {
  const score = (name: string, otherwise: Score): Score => parseScore(raw.get(name) ?? '') ?? otherwise
  // As Pacemaker reads them: what is written and is no word for true is false, whatever holds where nothing is written.
  const flag = (name: string, otherwise: boolean): boolean => (raw.has(name) ? isTrue(raw.get(name)) : otherwise)
  const failureTimeoutMs = Math.min(parseDurationMs(raw.get('failure-timeout') ?? '') ?? 0, longestIntervalMs)
  const targetRole = parseRole(raw.get('target-role'))
  const threshold = score('migration-threshold', 1_000_000)
  return {
    priority: score('priority', 0),
    stickiness: score('resource-stickiness', 0),
    managed: flag('is-managed', true),
    maintenance: flag('maintenance', false),
    requires: requiresOf(raw.get('requires'), owner, sources),
    multipleActive: multipleActive(raw.get('multiple-active')),
    migrationThreshold: threshold < 0 ? 1_000_000 : threshold,
    allowMigrate: flag('allow-migrate', owner.isConnection === true && !raw.has('container')),
    critical: flag('critical', true),
    raw,
    ...(targetRole === undefined ? {} : { targetRole }),
    ...(failureTimeoutMs > 0 ? { failureTimeoutMs } : {}),
  }
}

function multipleActive(text: string | undefined): ResourceMeta['multipleActive'] {
  const policies = ['stop_start', 'stop_only', 'block', 'stop_unexpected'] as const
  return policies.find((policy) => policy === text?.toLowerCase()) ?? 'stop_start'
}
