/** Which watchdog the configuration wants a node to feed. Pure. */
import { type NodeName, parseDurationMs } from '../../base/index.ts'
import { type Configuration, nvSetsByPrecedence, splitWords } from '../../cib/index.ts'
import { clusterOptionValue } from '../configuration/cluster-option.ts'

export interface WatchdogSetting {
  readonly device: string
  /** Undefined: as the device is set. */
  readonly timeoutMs?: number
  /** Of SBD's, which it reads; their headers tell the watchdog's time. */
  readonly disks?: readonly string[]
}

const name = 'watchdog-device'
const disksName = 'sbd-devices'

export function watchdogSetting(configuration: Configuration | undefined, node: NodeName): WatchdogSetting | undefined {
  const definition = configuration?.nodes.find((candidate) => candidate.name === node)
  const pairs = nvSetsByPrecedence(definition?.attributes ?? []).flatMap((set) => (set.rule ? [] : set.pairs))
  const read = (option: string): string =>
    pairs.find((pair) => pair.name === option)?.value ?? clusterOptionValue(configuration, option)
  const device = read(name)
  if (device === '' || device === 'none') return undefined
  const disks = splitWords(read(disksName)).filter((disk) => disk !== 'none')
  if (disks.length > 0) return { device, disks }
  const timeoutMs = parseDurationMs(clusterOptionValue(configuration, 'watchdog-timeout')) ?? 0
  return { device, ...(timeoutMs > 0 ? { timeoutMs } : {}) }
}

/** Whether fencing-watchdog-timeout says that others count on a node's watchdog. */
export const isCountedOn = (option: string): boolean => /^\s*-/.test(option) || (parseDurationMs(option) ?? 0) > 0
