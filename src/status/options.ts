/**
 * The cluster's options with defaults applied (Pacemaker Explained 3.0, "Cluster-Wide Configuration"). Names are the present
 * ones: old spellings were resolved when the configuration was read. A value that makes no sense gives the default.
 */
import { parseDurationMs } from '../base/index.ts'
import { clusterOptionSets, type NvSet, parseBoolean, parseScore } from '../cib/index.ts'
import type { ClusterOptions } from './cluster-status.ts'
import { type RuleContext, ruleHolds, type TimeZone } from './rules/index.ts'

export function readOptions(
  sets: readonly NvSet[],
  zone: TimeZone,
  quorum: { readonly haveQuorum: boolean; readonly panicWithoutQuorum: boolean },
): ClusterOptions {
  const raw = optionValues(sets, { zone })
  const fencingEnabled = parseBoolean(raw.get('fencing-enabled')) ?? true
  const flag = (name: string, otherwise: boolean): boolean => parseBoolean(raw.get(name)) ?? otherwise
  const duration = (name: string, otherwise: number): number => parseDurationMs(raw.get(name) ?? '') ?? otherwise
  const score = (name: string, otherwise: number): number => parseScore(raw.get(name) ?? '') ?? otherwise
  const word = <Word extends string>(name: string, words: readonly Word[], otherwise: Word): Word =>
    words.find((candidate) => candidate === raw.get(name)?.toLowerCase()) ?? otherwise
  return {
    noQuorumPolicy: noQuorumPolicy(
      word('no-quorum-policy', ['stop', 'freeze', 'ignore', 'demote', 'fence'], 'stop'),
      fencingEnabled,
      quorum,
    ),
    symmetricCluster: flag('symmetric-cluster', true),
    maintenanceMode: flag('maintenance-mode', false),
    stopAllResources: flag('stop-all-resources', false),
    stopOrphanResources: flag('stop-orphan-resources', true),
    stopOrphanActions: flag('stop-orphan-actions', true),
    removeAfterStop: flag('remove-after-stop', false),
    startupFencing: flag('startup-fencing', true),
    fencingEnabled,
    fencingAction: word('fencing-action', ['reboot', 'off', 'poweroff'], 'reboot'),
    fencingTimeoutMs: duration('fencing-timeout', 60_000),
    haveWatchdog: flag('have-watchdog', false),
    concurrentFencing: flag('concurrent-fencing', true),
    priorityFencingDelayMs: duration('priority-fencing-delay', 0),
    nodePendingTimeoutMs: duration('node-pending-timeout', 0),
    startFailureIsFatal: flag('start-failure-is-fatal', true),
    enableStartupProbes: flag('enable-startup-probes', true),
    enableAcl: flag('enable-acl', false),
    batchLimit: score('batch-limit', 0),
    migrationLimit: score('migration-limit', -1),
    clusterDelayMs: duration('cluster-delay', 60_000),
    placementStrategy: word('placement-strategy', ['default', 'utilization', 'minimal', 'balanced'], 'default'),
    nodeHealthStrategy: word(
      'node-health-strategy',
      ['none', 'migrate-on-red', 'only-green', 'progressive', 'custom'],
      'none',
    ),
    nodeHealthBase: score('node-health-base', 0),
    nodeHealthGreen: score('node-health-green', 0),
    nodeHealthYellow: score('node-health-yellow', 0),
    nodeHealthRed: score('node-health-red', -1_000_000),
    shutdownLock: flag('shutdown-lock', false),
    shutdownLockLimitMs: duration('shutdown-lock-limit', 0),
    raw,
  }
}

function optionValues(sets: readonly NvSet[], context: RuleContext): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const set of clusterOptionSets(sets)) {
    if (set.rule !== undefined && !ruleHolds(set.rule, context)) continue
    for (const { name, value } of set.pairs) if (!values.has(name)) values.set(name, value)
  }
  return values
}

/** Nodes can fence themselves only where fencing is enabled and the cluster has once had quorum; else they stop. */
function noQuorumPolicy(
  wanted: ClusterOptions['noQuorumPolicy'],
  fencingEnabled: boolean,
  { haveQuorum, panicWithoutQuorum }: { readonly haveQuorum: boolean; readonly panicWithoutQuorum: boolean },
): ClusterOptions['noQuorumPolicy'] {
  if (wanted !== 'fence') return wanted
  return fencingEnabled && (haveQuorum || panicWithoutQuorum) ? 'fence' : 'stop'
}
