/** Cluster options that the controller itself obeys; everything else in them is the scheduler's. */
import { parseDurationMs } from '../base/index.ts'
import { type Configuration, clusterOptionValue, parseBoolean, writtenClusterOption } from '../cib/index.ts'

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
  const value = (name: string) => clusterOptionValue(configuration, name)
  const deadtimeMs = parseDurationMs(writtenClusterOption(configuration, 'dc-deadtime') ?? '')
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
