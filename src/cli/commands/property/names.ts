/**
 * The names of cluster options. Systole says those of Pacemaker 3, whatever the CIB says. Called as pcs it says what was written and,
 * for what was not, the names that pcs's users know: `stonith-enabled` for `fencing-enabled`.
 */
import {
  childElement,
  childElements,
  clusterOption,
  clusterOptions,
  configurationElement,
  type OptionDefinition,
  readConfiguration,
  writtenClusterOptions,
  type XmlElement,
} from '../../../cib/index.ts'
import type { Speech } from '../../call/speech.ts'

/** Options that are set, under the names of Pacemaker 3. */
export function writtenOptions(cib: XmlElement): ReadonlyMap<string, string> {
  return writtenClusterOptions(readConfiguration(cib))
}

export function writtenOptionsFor({ program }: Speech, cib: XmlElement): ReadonlyMap<string, string> {
  const present = writtenOptions(cib)
  if (program === 'systole') return present
  const names = optionNames(cib)
  return new Map([...present].map(([name, value]) => [names.get(name) ?? name, value]))
}

/** From the name of Pacemaker 3 to the one in the CIB. */
function optionNames(cib: XmlElement): ReadonlyMap<string, string> {
  const section = childElement(configurationElement(cib), 'crm_config')
  const pairs = (section ? childElements(section, 'cluster_property_set') : []).flatMap((set) =>
    childElements(set, 'nvpair'),
  )
  const written = pairs.flatMap(({ attributes }) => attributes.name ?? [])
  return new Map(
    written
      // Where both names are written, the present one counts.
      .filter((name) => !written.includes(presentName(name)) || name === presentName(name))
      .map((name) => [presentName(name), name]),
  )
}

const presentName = (name: string): string => clusterOption(name)?.name ?? name

export function defaultOptionsFor({ program }: Speech): ReadonlyMap<string, string> {
  const name = (option: OptionDefinition): string =>
    (program === 'pcs' ? option.otherNames?.find((other) => /^(stonith|fence)-/.test(other)) : undefined) ?? option.name
  return new Map(clusterOptions.map((option) => [name(option), String(option.default ?? '')]))
}

/** Whether two names are of the same option. */
export function isSameOption(a: string, b: string): boolean {
  return presentName(a) === presentName(b)
}
