/**
 * Names and values that older versions wrote, and what Pacemaker 3.0 calls them. Old and new meet only where the CIB is
 * read or printed: the typed views know the new ones alone. Underscored names of before 1.0 (`clone_max`) are not among
 * them: Pacemaker 3.0 does not read them either, and validation suggests the right spelling.
 */
import type { NvPair } from './configuration.ts'
import { clusterOptions } from './options/cluster-options.ts'
import type { OptionDefinition } from './options/definition.ts'
import { cloneMetaOptions } from './options/resource-options.ts'

/** Every other name of an option to the one that the typed views use. */
const otherNames = (options: readonly OptionDefinition[]): Readonly<Record<string, string>> =>
  Object.fromEntries(options.flatMap(({ name, otherNames: others }) => (others ?? []).map((other) => [other, name])))

export const oldOptionNames = otherNames(clusterOptions)

export const oldMetaNames = otherNames(cloneMetaOptions)

export const oldValues: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'no-quorum-policy': { suicide: 'fence' },
  'target-role': { master: 'Promoted', slave: 'Unpromoted' },
  role: { master: 'Promoted', slave: 'Unpromoted' },
}

/** The pairs under their present names. Where a set has both names, the old one is left out, as Pacemaker does. */
export function withPresentNames(
  pairs: readonly NvPair[],
  oldNames: Readonly<Record<string, string>>,
): readonly NvPair[] {
  const written = new Set(pairs.map((pair) => pair.name))
  return pairs
    .filter((pair) => !(Object.hasOwn(oldNames, pair.name) && written.has(oldNames[pair.name] ?? '')))
    .map((pair) => {
      const name = presentName(pair.name, oldNames)
      return { ...pair, name, value: presentValue(name, pair.value) }
    })
}

function presentName(name: string, oldNames: Readonly<Record<string, string>>): string {
  return Object.hasOwn(oldNames, name) ? (oldNames[name] ?? name) : name
}

export function presentValue(name: string, value: string): string {
  if (!Object.hasOwn(oldValues, name)) return value
  const values = oldValues[name] ?? {}
  const word = value.toLowerCase()
  return Object.hasOwn(values, word) ? (values[word] ?? value) : value
}
