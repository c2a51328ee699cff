/** Which sections crm_mon shows: defaults by format, then --include and --exclude from left to right (crm_mon(8), "Output Control"). */
import { type GivenOption, hasOption, optionValue } from '../options.ts'

const summary = ['stack', 'dc', 'times', 'counts'] as const

export const sectionNames = [
  ...summary,
  'options',
  'nodes',
  'resources',
  'attributes',
  'failcounts',
  'operations',
  'failures',
  'fencing',
  'tickets',
  'bans',
] as const

/** `management`: that it is switched off. It belongs to the summary and has no name to ask for it. */
export type Section = (typeof sectionNames)[number] | 'management'

export interface Shown {
  readonly sections: ReadonlySet<Section>
  readonly inactive: boolean
  readonly byNode: boolean
  readonly timing: boolean
  /** Ids, versions and each instance. */
  readonly detail: boolean
  /** Numbers instead of resources. */
  readonly brief: boolean
  /** What the configuration says of a resource, after its state. */
  readonly described: boolean
  /** Only what concerns this node or resource. */
  readonly node?: string
  readonly resource?: string
  readonly banPrefix?: string
}

const wholeSummary: readonly Section[] = [...summary, 'management']

const inText: readonly Section[] = [
  'stack',
  'dc',
  'times',
  'counts',
  'management',
  'nodes',
  'resources',
  'failures',
  'fencing',
]

const namesToInclude =
  'all, attributes, bans[:PREFIX], counts, dc, default, failcounts, failures, fencing, fencing-failed, fencing-pending, fencing-succeeded, maint-mode, nodes, none, operations, options, resources, stack, summary, tickets, times'
const namesToExclude = namesToInclude.replace('bans[:PREFIX]', 'bans').replace('default, ', '')

/** A name that is no section's, in words. */
export function shownSections(given: readonly GivenOption[], format: 'text' | 'xml'): Shown | string {
  const defaults: readonly Section[] = format === 'xml' ? sectionNames : inText
  const sections = new Set<Section>(defaults)
  const extras: readonly (readonly [string, Section])[] = [
    ['show-node-attributes', 'attributes'],
    ['failcounts', 'failcounts'],
    ['operations', 'operations'],
    ['timing-details', 'operations'],
    ['tickets', 'tickets'],
    ['neg-locations', 'bans'],
  ]
  for (const [option, section] of extras) if (hasOption(given, option)) sections.add(section)
  if (hasOption(given, 'hide-headers')) for (const section of wholeSummary) sections.delete(section)
  if (hasOption(given, 'quiet')) sections.delete('times')
  if (optionValue(given, 'fence-history') === '0') sections.delete('fencing')
  for (const { name, value = '' } of given) {
    if (name !== 'include' && name !== 'exclude') continue
    for (const word of value.split(',')) {
      const isBans = name === 'include' && word.startsWith('bans:')
      const meant = isBans ? (['bans'] as const) : sectionsOf(word.trim(), defaults)
      if (name === 'exclude' && /^defaults?$/.test(word)) return `crm_mon: --exclude options: ${namesToExclude}`
      if (meant === undefined)
        return `crm_mon: --${name} options: ${name === 'include' ? namesToInclude : namesToExclude}`
      if (name === 'exclude' && word === 'none') {
        for (const section of sectionsOf('all', defaults) ?? []) sections.add(section)
        continue
      }
      if (word === 'none' || word === 'default') sections.clear()
      for (const section of meant) {
        if (name === 'include') sections.add(section)
        else sections.delete(section)
      }
    }
  }
  const node = optionValue(given, 'node')
  const resource = optionValue(given, 'resource')
  const banPrefix = optionValue(given, 'neg-locations') ?? bansNamed(given)
  return {
    sections,
    inactive: hasOption(given, 'inactive') || format === 'xml',
    byNode: hasOption(given, 'group-by-node'),
    timing: hasOption(given, 'timing-details'),
    detail: hasOption(given, 'show-detail'),
    brief: hasOption(given, 'brief'),
    described: hasOption(given, 'show-description'),
    ...(node === undefined ? {} : { node }),
    ...(resource === undefined ? {} : { resource }),
    ...(banPrefix === undefined ? {} : { banPrefix }),
  }
}

/** `--include=bans:PREFIX`. */
function bansNamed(given: readonly GivenOption[]): string | undefined {
  const words = given.flatMap(({ name, value = '' }) => (name === 'include' ? value.split(',') : []))
  return words.findLast((word) => word.startsWith('bans:'))?.slice('bans:'.length)
}

const otherNames: Readonly<Record<string, Section>> = {
  'maint-mode': 'management',
  'fencing-failed': 'fencing',
  'fencing-pending': 'fencing',
  'fencing-succeeded': 'fencing',
  failed: 'failures',
}

function sectionsOf(word: string, defaults: readonly Section[]): readonly Section[] | undefined {
  // Of the options, which are settings rather than state, the text tells on their name alone.
  if (word === 'all')
    return [...new Set([...sectionNames.filter((one) => one !== 'options'), ...defaults]), 'management']
  if (word === 'none') return []
  if (word === 'default' || word === 'defaults') return defaults
  if (word === 'summary') return wholeSummary
  const section = sectionNames.find((one) => one === word) ?? otherNames[word]
  return section === undefined ? undefined : [section]
}
