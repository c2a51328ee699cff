/** Which watchdog the configuration wants a node to feed. Pure. */
import { type NodeName, parseDurationMs } from '../base/index.ts'
import { type Configuration, clusterOptionValue, configuredWatchdog } from '../cib/index.ts'

export interface WatchdogSetting {
  readonly device: string
  /** Undefined: as the device is set. */
  readonly timeoutMs?: number
  /** Of SBD's, which it reads; their headers tell the watchdog's time. */
  readonly disks?: readonly string[]
}

export function watchdogSetting(configuration: Configuration | undefined, node: NodeName): WatchdogSetting | undefined {
  const { device, disks } = configuredWatchdog(configuration, node)
  if (device === undefined) return undefined
  if (disks.length > 0) return { device, disks }
  const timeoutMs = parseDurationMs(clusterOptionValue(configuration, 'watchdog-timeout')) ?? 0
  return { device, ...(timeoutMs > 0 ? { timeoutMs } : {}) }
}

/** Whether fencing-watchdog-timeout says that others count on a node's watchdog. */
export const isCountedOn = (option: string): boolean => /^\s*-/.test(option) || (parseDurationMs(option) ?? 0) > 0
