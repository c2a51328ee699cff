/** Which watchdogs the configuration asks for; whether they are fed, only the running nodes know. */
import {
  type Configuration,
  clusterOption,
  readConfiguration,
  splitWords,
  type XmlElement,
} from '../../../cib/index.ts'

export interface WatchdogSetting {
  /** Of each cluster node; undefined: none. */
  readonly devices: ReadonlyMap<string, string | undefined>
  /** Those of SBD's that each cluster node reads. */
  readonly disks: ReadonlyMap<string, readonly string[]>
  /** As written; `0`: as the devices are set. */
  readonly timeout: string
  /** fencing-watchdog-timeout. */
  readonly waited: string
}

export const deviceName = 'watchdog-device'
export const disksName = 'sbd-devices'

export function watchdogSettingOf(cib: XmlElement): WatchdogSetting {
  const configuration = readConfiguration(cib)
  const members = configuration.nodes.filter(({ type }) => type === 'member')
  const own = ({ attributes }: Configuration['nodes'][number], name: string): string =>
    attributes.flatMap(({ pairs }) => pairs).find((pair) => pair.name === name)?.value ?? optionOf(configuration, name)
  const devices = members.map((node) => {
    const device = own(node, deviceName)
    return [String(node.name), device === '' || device === 'none' ? undefined : device] as const
  })
  const unwatched = new Set(devices.flatMap(([node, device]) => (device === undefined ? [node] : [])))
  const disks = members.map((node) => {
    const paths = splitWords(own(node, disksName)).filter((path) => path !== 'none')
    return [String(node.name), unwatched.has(node.name) ? [] : paths] as const
  })
  return {
    devices: new Map(devices),
    disks: new Map(disks),
    timeout: optionOf(configuration, 'watchdog-timeout'),
    waited: optionOf(configuration, 'fencing-watchdog-timeout'),
  }
}

function optionOf({ options }: Configuration, name: string): string {
  const names = [name, ...(clusterOption(name)?.otherNames ?? [])]
  const pairs = options.flatMap((set) => (set.rule === undefined ? set.pairs : []))
  return pairs.find((pair) => names.includes(pair.name))?.value ?? clusterOption(name)?.default ?? ''
}
