/** Which watchdogs the configuration asks for; whether they are fed, only the running nodes know. */
import { clusterOptionValue, configuredWatchdog, readConfiguration, type XmlElement } from '../../cib/index.ts'

export interface WatchdogSetting {
  /** Of each cluster node; undefined: none. */
  readonly devices: ReadonlyMap<string, string | undefined>
  /** Those of SBD's that each cluster node reads. */
  readonly disks: ReadonlyMap<string, readonly string[]>
  /** As written; `0`: as set in the devices. */
  readonly timeout: string
  /** fencing-watchdog-timeout. */
  readonly waited: string
}

export const deviceName = 'watchdog-device'
export const disksName = 'sbd-devices'

export function watchdogSettingOf(cib: XmlElement): WatchdogSetting {
  const configuration = readConfiguration(cib)
  const members = configuration.nodes.filter(({ type }) => type === 'member')
  const configured = members.map(({ name }) => [String(name), configuredWatchdog(configuration, name)] as const)
  return {
    devices: new Map(configured.map(([node, { device }]) => [node, device])),
    disks: new Map(configured.map(([node, { disks }]) => [node, disks])),
    timeout: clusterOptionValue(configuration, 'watchdog-timeout'),
    waited: clusterOptionValue(configuration, 'fencing-watchdog-timeout'),
  }
}
