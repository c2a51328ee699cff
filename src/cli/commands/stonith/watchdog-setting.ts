/** Which watchdogs the configuration asks for; whether they are fed, only the running nodes know. */
import { type Configuration, clusterOption, readConfiguration, type XmlElement } from '../../../cib/index.ts'

export interface WatchdogSetting {
  /** Of each cluster node; undefined: none. */
  readonly devices: ReadonlyMap<string, string | undefined>
  /** As written; `0`: as the devices are set. */
  readonly timeout: string
  /** fencing-watchdog-timeout. */
  readonly waited: string
}

export const deviceName = 'watchdog-device'

export function watchdogSettingOf(cib: XmlElement): WatchdogSetting {
  const configuration = readConfiguration(cib)
  const all = optionOf(configuration, deviceName)
  const members = configuration.nodes.filter(({ type }) => type === 'member')
  const devices = members.map(({ name, attributes }) => {
    const own = attributes.flatMap(({ pairs }) => pairs).find((pair) => pair.name === deviceName)?.value
    const device = own ?? all
    return [name, device === '' || device === 'none' ? undefined : device] as const
  })
  return {
    devices: new Map(devices),
    timeout: optionOf(configuration, 'watchdog-timeout'),
    waited: optionOf(configuration, 'fencing-watchdog-timeout'),
  }
}

function optionOf({ options }: Configuration, name: string): string {
  const names = [name, ...(clusterOption(name)?.otherNames ?? [])]
  const pairs = options.flatMap((set) => (set.rule === undefined ? set.pairs : []))
  return pairs.find((pair) => names.includes(pair.name))?.value ?? clusterOption(name)?.default ?? ''
}
