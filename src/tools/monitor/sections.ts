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
      const meant = sectionsOf(word.trim(), defaults)
      if (name === 'exclude' && /^defaults?$/.test(word))
        return "crm_mon: --exclude takes no 'default': --include=default is the way back to it."
      if (meant === undefined)
        return `crm_mon: '${word}' is no section: use all, none, default, summary, ${sectionNames.join(', ')}.`
      if (word === 'none' || word === 'default') sections.clear()
      for (const section of meant) {
        if ((name === 'include') === (word !== 'none')) sections.add(section)
        else sections.delete(section)
      }
    }
  }
  const node = optionValue(given, 'node')
  const resource = optionValue(given, 'resource')
  const banPrefix = optionValue(given, 'neg-locations')
  return {
    sections,
    inactive: hasOption(given, 'inactive') || format === 'xml',
    byNode: hasOption(given, 'group-by-node'),
    timing: hasOption(given, 'timing-details'),
    detail: hasOption(given, 'show-detail'),
    brief: hasOption(given, 'brief'),
    ...(node === undefined ? {} : { node }),
    ...(resource === undefined ? {} : { resource }),
    ...(banPrefix === undefined ? {} : { banPrefix }),
  }
}

const otherNames: Readonly<Record<string, Section>> = {
  'fencing-failed': 'fencing',
  'fencing-pending': 'fencing',
  'fencing-succeeded': 'fencing',
  failed: 'failures',
}

function sectionsOf(word: string, defaults: readonly Section[]): readonly Section[] | undefined {
  if (word === 'all') return [...sectionNames, 'management']
  if (word === 'none') return []
  if (word === 'default' || word === 'defaults') return defaults
  if (word === 'summary') return wholeSummary
  const section = sectionNames.find((one) => one === word) ?? otherNames[word]
  return section === undefined ? undefined : [section]
}
