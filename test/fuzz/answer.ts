/** What a simulation says, and where two of them differ. */
import { parseXml, type XmlElement } from '../../src/cib/index.ts'

export interface Answer {
  readonly summary: string
  readonly scores: string
  readonly graph: string
  /** The CIB that it leads to; left out where nobody recorded it. */
  readonly saved?: string
}

/** `loosely`: the other side is of another major version, so what versions say in other words, order or number is no difference. */
export interface Comparison {
  readonly levels: readonly Level[]
  readonly loosely: boolean
  /** Lines that mean nothing, with the reason; they are left out on both sides. */
  readonly exclusions?: readonly Exclusion[]
}

export interface Exclusion {
  readonly line: RegExp
  readonly reason: string
}

/** From what is decided first to what follows from it: the first that differs is where to look. */
export const levels = ['status', 'scores', 'transition', 'actions', 'revised', 'graph', 'saved', 'exact'] as const
export type Level = (typeof levels)[number]

export interface Difference {
  readonly level: Level
  readonly onlyOurs: readonly string[]
  readonly onlyTheirs: readonly string[]
}

export function compareAnswers(
  ours: Answer,
  theirs: Answer,
  { levels: wanted, loosely, exclusions = [] }: Comparison,
): readonly Difference[] {
  const [a, b] = [linesOf(ours, loosely), linesOf(theirs, loosely)]
  const counts = (line: string): boolean => !exclusions.some((exclusion) => exclusion.line.test(line))
  for (const lines of [a, b]) for (const level of levels) lines[level] = lines[level].filter(counts)
  return wanted.flatMap((level) => {
    const onlyOurs = without(a[level], b[level])
    const onlyTheirs = without(b[level], a[level])
    if (onlyOurs.length + onlyTheirs.length > 0) return [{ level, onlyOurs, onlyTheirs }]
    return loosely || !ordered.has(level) ? [] : differentOrder(level, a[level], b[level])
  })
}

/** A list of resources has an order; what is done and decided has none that can be seen. */
const ordered: ReadonlySet<Level> = new Set(['status', 'revised', 'saved', 'exact'])

function differentOrder(level: Level, ours: readonly string[], theirs: readonly string[]): readonly Difference[] {
  const place = ours.findIndex((line, index) => line !== theirs[index])
  const at = (lines: readonly string[]): string => `line ${place + 1}: ${lines[place]}`
  return place < 0 ? [] : [{ level, onlyOurs: [at(ours)], onlyTheirs: [at(theirs)] }]
}

/** As multisets: a line that is there twice on one side only differs. */
function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>()
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1)
  return lines.filter((line) => {
    const count = left.get(line) ?? 0
    left.set(line, count - 1)
    return count <= 0
  })
}

const titles: Readonly<Record<string, Level>> = {
  'Current cluster status:': 'status',
  'Transition Summary:': 'transition',
  'Executing Cluster Transition:': 'actions',
  'Revised Cluster Status:': 'revised',
}

export function linesOf({ summary, scores, graph, saved }: Answer, loosely: boolean): Record<Level, readonly string[]> {
  const scoreLines = tidy(scores, loosely)
  const found: Record<Level, string[]> = {
    status: [],
    // How often an instance is tried, and so shown, has changed between versions.
    scores: loosely ? [...new Set(scoreLines)].sort() : scoreLines.sort(),
    transition: [],
    actions: [],
    revised: [],
    graph: graphLines(graph, loosely),
    saved: saved === undefined ? [] : savedLines(saved),
    exact: tidy(summary, loosely),
  }
  let section: Level = 'status'
  for (const line of found.exact) {
    const title = titles[line]
    if (title !== undefined) section = title
    else if (!/^Us?ing the original execution date|^Setting effective/.test(line)) found[section].push(line)
  }
  return found
}

const tidy = (text: string, loosely: boolean): string[] =>
  text
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .map((line) => (loosely ? withSharedWords(line) : line))
    .filter((line) => line !== '')

/**
 * Where versions say one fact in different words, both get the same: what is not managed because of maintenance, the order of flags,
 * and the promotion score of an instance that is nowhere, which decides nothing.
 */
function withSharedWords(line: string): string {
  if (/ promotion score (on none|\(inactive\))/.test(line)) return ''
  return line
    .replace('(unmanaged, disabled)', '(disabled, unmanaged)')
    .replace(/(\(|, )maintenance(\)|,)/, '$1unmanaged$2')
}

/** Actions by what they do and where, and edges between them; numbers only say in which order they were made. */
function graphLines(text: string, loosely: boolean): string[] {
  const parsed = parseXml(text)
  if (!parsed.ok) return [`not readable: ${text.slice(0, 80)}`]
  const lines: string[] = []
  const keys = new Map<string, string>()
  const synapses = childrenOf(parsed.value, 'synapse')
  for (const synapse of synapses)
    for (const action of childrenOf(synapse, 'action_set').flatMap((set) => childrenOf(set)))
      keys.set(action.attributes.id ?? '', keyOf(action))
  for (const synapse of synapses) {
    const actions = childrenOf(synapse, 'action_set').flatMap((set) => childrenOf(set))
    const inputs = childrenOf(synapse, 'inputs').flatMap((list) =>
      childrenOf(list).flatMap((trigger) => childrenOf(trigger)),
    )
    for (const action of actions) {
      lines.push(keyOf(action))
      for (const input of inputs)
        lines.push(`${keys.get(input.attributes.id ?? '') ?? keyOf(input)} -> ${keyOf(action)}`)
    }
  }
  return loosely ? [...new Set(lines)].sort() : lines.sort()
}

/** When something was done and by what program says nothing of what is decided. */
const volatile =
  /^(last-rc-change|last-run|crm_feature_set|crm-debug-origin|cib-last-written|update-.*|execution-date|validate-with)$/

/** The number of the version, and what the status section has, from the outside in. */
function savedLines(text: string): string[] {
  const parsed = parseXml(text)
  if (!parsed.ok) return [`not readable: ${text.slice(0, 80)}`]
  const lineOf = ({ name, attributes }: XmlElement): string => {
    // A supposed failure happened when the reference ran, whatever moment is simulated.
    const isMoment = name === 'nvpair' && attributes.name?.startsWith('last-failure-') === true
    const isLeftOut = (key: string): boolean => volatile.test(key) || (isMoment && key === 'value')
    const said = Object.entries(attributes).flatMap(([key, value]) => (isLeftOut(key) ? [] : [`${key}=${value}`]))
    return [name, ...said].join(' ')
  }
  const all = (parent: XmlElement, path: string): string[] => [
    `${path}${lineOf(parent)}`,
    ...childrenOf(parent).flatMap((child) => all(child, `${path}${parent.attributes.uname ?? ''} `)),
  ]
  return [lineOf(parsed.value), ...childrenOf(parsed.value, 'status').flatMap((status) => all(status, ''))]
}

const childrenOf = (parent: XmlElement, name?: string): readonly XmlElement[] =>
  parent.children.filter(
    (child): child is XmlElement => child.kind === 'element' && (name === undefined || child.name === name),
  )

function keyOf({ name, attributes }: XmlElement): string {
  const { operation, operation_key: key, internal_operation_key: internal, on_node: node } = attributes
  return [name, key ?? operation, internal, node].filter((part) => part !== undefined).join(' ')
}
