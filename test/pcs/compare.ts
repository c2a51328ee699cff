/** What may differ between two answers to a line: whether it is an error, the CIB that it leaves, and what a listing prints. */
import { childElements, type XmlElement } from '../../src/cib/index.ts'
import { splitShellLine } from '../../src/cli/call/shell-words.ts'

export type Aspect = 'exit' | 'schema' | 'cib' | 'output' | 'text'

export interface Difference {
  readonly aspect: Aspect
  readonly onlyOurs: readonly string[]
  readonly onlyTheirs: readonly string[]
  /** The same lines in another order. */
  readonly moved?: boolean
}

/** Lines in the order in which they stand; the same lines in another order are a difference of their own. */
export function compareLines(
  aspect: Aspect,
  ours: readonly string[],
  theirs: readonly string[],
): readonly Difference[] {
  const onlyOurs = without(ours, theirs)
  const onlyTheirs = without(theirs, ours)
  if (onlyOurs.length + onlyTheirs.length > 0) return [{ aspect, onlyOurs, onlyTheirs }]
  const moved = ours.findIndex((line, index) => line !== theirs[index])
  if (moved < 0) return []
  return [
    { aspect, onlyOurs: [`here first: ${ours[moved]}`], onlyTheirs: [`there first: ${theirs[moved]}`], moved: true },
  ]
}

function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const line of others) counts.set(line, (counts.get(line) ?? 0) + 1)
  return lines.filter((line) => {
    const left = counts.get(line) ?? 0
    counts.set(line, left - 1)
    return left <= 0
  })
}

/**
 * What a CIB means, ids included, a line for each element: without the counters of its head, empty sections and sets, and the order of
 * attributes, of name/value pairs and of sections, none of which anybody reads. Ids of pairs count by as much of the name as pcs takes.
 */
export function cibLines(cib: XmlElement): readonly string[] {
  return childElements(cib).flatMap((child) => {
    if (child.name !== 'configuration') return elementLines(child, 1)
    const sections = childElements(child)
      .filter((section) => childElements(section).some((part) => !isEmptySet(part)))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    return sections.flatMap((section) => elementLines(section, 1))
  })
}

function elementLines(element: XmlElement, depth: number): readonly string[] {
  const attributes = Object.entries(element.attributes)
    .filter(([name]) => !(name === 'end' && isLifetime(element)))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ` ${name}="${name === 'id' ? idOf(element, value) : value}"`)
  const inner = childElements(element).filter((child) => !isEmptySet(child))
  // Sets of attributes and operations say the same wherever they stand beside the primitives of a resource.
  const own = inner.filter(({ name }) => !resourceNames.has(name)).sort((a, b) => rank(a) - rank(b))
  const resources = inner.filter(({ name }) => resourceNames.has(name))
  const head = `${'  '.repeat(depth)}<${element.name}${attributes.join('')}>`
  const lines = own.map((child) => elementLines(child, depth + 1))
  const isSet = inner.length > 0 && inner.every(({ name }) => name === 'nvpair')
  const ordered = isSet ? lines.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)) : lines
  return [head, ...ordered.flat(), ...resources.flatMap((child) => elementLines(child, depth + 1))]
}

/** The end of a lifetime is counted from now: an answer that was kept knows another one. */
const isLifetime = ({ name, attributes }: XmlElement): boolean =>
  name === 'date_expression' && (attributes.id ?? '').includes('-lifetime')

/** pcs 0.12 puts the first 20 characters of a name into the id of a cluster option. */
function idOf(element: XmlElement, id: string): string {
  const { name = '' } = element.attributes
  return element.name === 'nvpair' && id.endsWith(`-${name}`) ? id.slice(0, id.length - name.length + 20) : id
}

const resourceNames = new Set(['primitive', 'group', 'clone', 'master', 'bundle'])
const sets = ['instance_attributes', 'meta_attributes', 'utilization', 'cluster_property_set', 'operations']
const isEmptySet = ({ name, attributes, children }: XmlElement): boolean =>
  (sets.includes(name) && children.length === 0) ||
  (['network', 'storage'].includes(name) && children.length + Object.keys(attributes).length === 0)
const rank = ({ name }: XmlElement): number => sets.indexOf(name)

/** JSON is compared by what it says, commands by their words in any order, help by its heading, text by its lines. */
export function outputLines(text: string): readonly string[] {
  const usage = /^\s*(Usage: .*)/.exec(text)
  if (usage?.[1] !== undefined) return [usage[1].trimEnd()]
  if (text.startsWith('pcs ')) return commandLines(text)
  if (/^[[{]/.test(text))
    try {
      return JSON.stringify(sortedKeys(JSON.parse(text)), null, 1).split('\n')
    } catch {
      return text.split('\n')
    }
  return withoutHost(text).trimEnd().split('\n').map(asMeant)
}

/** pcs reads both in corosync.conf of its host, also beside a file. */
const withoutHost = (text: string): string =>
  text.replace(/^Cluster Name: .*\n/, '').replace(/^Corosync Nodes:\n .*\n/m, '')

/** Each has a time of its own; passwords are masked here; the members of a set stand in their order, where pcs sorts them. */
const asMeant = (line: string): string =>
  line
    .replace(/(Last updated: ).*/, '$1now')
    .replace(/(pass\w*)=\S+/g, '$1=******')
    .replace(
      /^( *Resources: )(.*)$/,
      (_, label: string, members: string) => label + members.split(', ').sort().join(', '),
    )

/** Where a command is broken, whether it is forced, and where its options stand mean nothing. */
const commandLines = (text: string): readonly string[] =>
  text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((command) => splitShellLine(command.replace(/;$/, '')))
    .map((words) => words.filter((word) => word !== '--' && word !== '--force'))
    .map((words) => words.map((word) => word.replace(/^resource%/, '')).sort())
    .filter((words) => words.length > 0)
    .map((words) => words.join(' '))

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortedKeys(inner)]))
}

/**
 * What is said to people, by its lines. The usage that pcs prints of a wrong call counts by its heading, and a CIB that breaks its schema by the
 * sentence before it.
 */
export function textLines(text: string): readonly string[] {
  const lines = text.trim().split('\n')
  const usage = lines.findIndex((line) => line.startsWith('Usage: '))
  const dump = lines.findIndex((line) => line.startsWith('<cib') || line.startsWith('<?xml'))
  const end = usage >= 0 ? usage + 1 : dump >= 0 ? dump : lines.length
  return lines.slice(0, end).filter((line) => line.trim() !== '')
}
