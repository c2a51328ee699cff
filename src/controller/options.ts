/** Cluster options that the controller itself obeys; everything else in them is the scheduler's. */
import { parseDurationMs } from '../base/index.ts'
import { type Configuration, clusterOption, nvSetsByPrecedence, parseBoolean } from '../cib/index.ts'

export interface ControllerOptions {
  readonly fencingEnabled: boolean
  readonly fencingMaxAttempts: number
  /** Infinite where it is 0: then only rules, expiries and events make the cluster look again. */
  readonly recheckIntervalMs: number
  readonly transitionDelayMs: number
  /** 0: twice the node's processors. */
  readonly nodeActionLimit: number
  /** For each processor, 0.8 for 80 %; 0: the load does not matter. */
  readonly loadThreshold: number
  /** How long a node’s clean shutdown may take after it was told that it may go. */
  readonly shutdownEscalationMs: number
  /** Only where it is written: how long a cluster that starts waits for all of its nodes. */
  readonly deadtimeMs?: number
}

export function controllerOptions(configuration: Configuration | undefined): ControllerOptions {
  const written = (name: string) => (configuration === undefined ? undefined : writtenOption(configuration, name))
  const value = (name: string) => written(name) ?? clusterOption(name)?.default ?? ''
  const deadtimeMs = parseDurationMs(written('dc-deadtime') ?? '')
  return {
    fencingEnabled: parseBoolean(value('fencing-enabled')) ?? true,
    fencingMaxAttempts: Math.max(1, Number(value('fencing-max-attempts')) || 10),
    recheckIntervalMs: (parseDurationMs(value('cluster-recheck-interval')) ?? 900_000) || Number.POSITIVE_INFINITY,
    transitionDelayMs: parseDurationMs(value('transition-delay')) ?? 0,
    nodeActionLimit: Math.max(0, Number(value('node-action-limit')) || 0),
    loadThreshold: Math.max(0, Number.parseFloat(value('load-threshold')) || 0) / 100,
    shutdownEscalationMs: parseDurationMs(value('shutdown-escalation')) || 20 * 60_000,
    ...(deadtimeMs === undefined ? {} : { deadtimeMs }),
  }
}

/** Sets under a rule are left out: these options are needed before any rule can be evaluated. */
function writtenOption(configuration: Configuration, name: string): string | undefined {
  const names = [name, ...(clusterOption(name)?.otherNames ?? [])]
  for (const set of nvSetsByPrecedence(configuration.options, 'cib-bootstrap-options')) {
    if (set.rule !== undefined) continue
    const pair = set.pairs.find((candidate) => names.includes(candidate.name))
    if (pair !== undefined) return pair.value
  }
  return undefined
}
