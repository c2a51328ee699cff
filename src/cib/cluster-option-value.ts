/**
 * The value of a cluster option: the one place that knows which set counts (`cib-bootstrap-options` first, then by score, then the later one;
 * Pacemaker Explained, "Cluster Options"). Names are the present ones: old spellings were resolved when the configuration was read.
 */
import type { NodeName } from '../base/index.ts'
import type { Configuration, NvPair, NvSet } from './configuration.ts'
import { clusterOption } from './options/lookup.ts'
import { nvSetsByPrecedence } from './read-nvset.ts'
import { splitWords } from './values/attribute-text.ts'

type Options = Pick<Configuration, 'options'>

/** The set that the cluster itself writes precedes the others. */
export const clusterOptionSets = (sets: readonly NvSet[]): readonly NvSet[] =>
  nvSetsByPrecedence(sets, 'cib-bootstrap-options')

/** Sets under a rule are left out: what reads an option by this must not depend on the time of day. */
export function writtenClusterOption(configuration: Options | undefined, name: string): string | undefined {
  return pairNamed(clusterOptionSets(configuration?.options ?? []), clusterOption(name)?.name ?? name)?.value
}

/** As written, else the default. */
export function clusterOptionValue(configuration: Options | undefined, name: string): string {
  return writtenClusterOption(configuration, name) ?? clusterOption(name)?.default ?? ''
}

/**
 * All that are written, in the order of the document, with the value that counts. An option that only sets under rules have is there as
 * well: whoever shows or removes options asks whether it is written.
 */
export function writtenClusterOptions({ options }: Options): ReadonlyMap<string, string> {
  const sets = clusterOptionSets(options)
  const ruled = sets.flatMap(({ rule, pairs }) => (rule === undefined ? [] : pairs))
  const names = new Set(options.flatMap(({ pairs }) => pairs.map(({ name }) => name)))
  const countedValue = (name: string): string =>
    (pairNamed(sets, name) ?? ruled.find((pair) => pair.name === name))?.value ?? ''
  return new Map([...names].map((name) => [name, countedValue(name)]))
}

export interface ConfiguredWatchdog {
  /** Undefined: none. */
  readonly device: string | undefined
  /** Those of SBD's that the node reads. */
  readonly disks: readonly string[]
}

/** Which watchdog a node is to feed: by its own node attributes, else by the cluster's options. */
export function configuredWatchdog(configuration: Configuration | undefined, node: NodeName): ConfiguredWatchdog {
  const definition = configuration?.nodes.find(({ name }) => name === node)
  const own = nvSetsByPrecedence(definition?.attributes ?? [])
  const read = (name: string): string => pairNamed(own, name)?.value ?? clusterOptionValue(configuration, name)
  const device = read('watchdog-device')
  if (device === '' || device === 'none') return { device: undefined, disks: [] }
  return { device, disks: splitWords(read('sbd-devices')).filter((disk) => disk !== 'none') }
}

function pairNamed(sets: readonly NvSet[], name: string): NvPair | undefined {
  for (const { rule, pairs } of sets) {
    const pair = rule === undefined ? pairs.find((candidate) => candidate.name === name) : undefined
    if (pair !== undefined) return pair
  }
  return undefined
}
