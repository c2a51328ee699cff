/** How the lines of each command ended, by kinds: what `npm run fuzz:pcs` prints and records, and what docs/pcs.md is made of. */
import type { Judged } from './fuzz.ts'

/** From the best to the worst; a line counts once, by its worst. */
export const kinds = ['same', 'words', 'order', 'listing', 'cib', 'exit', 'schema', 'purpose'] as const
export type Kind = (typeof kinds)[number]

export const kindMeanings: Readonly<Record<Kind, string>> = {
  same: 'the same',
  words: 'other words to people',
  order: 'other order',
  listing: 'another listing',
  cib: 'another CIB',
  exit: 'another exit code',
  schema: 'a CIB that its schema refuses',
  purpose: 'other on purpose',
}

export function kindOf({ differences, purpose }: Judged): Kind {
  const has = (aspect: string): boolean => differences.some((one) => one.aspect === aspect)
  if (has('schema')) return 'schema'
  const results = differences.filter(({ aspect }) => aspect !== 'text')
  if (results.length === 0) return differences.length === 0 ? 'same' : 'words'
  if (purpose !== undefined) return 'purpose'
  if (has('exit')) return 'exit'
  if (results.every(({ moved }) => moved)) return 'order'
  return has('cib') ? 'cib' : 'listing'
}

export interface Tally {
  readonly lines: number
  readonly kinds: Readonly<Partial<Record<Kind, number>>>
  /** Why, and how often, where it is on purpose. */
  readonly reasons: Readonly<Record<string, number>>
}

const empty: Tally = { lines: 0, kinds: {}, reasons: {} }

export function addTo(tally: Tally | undefined, judged: Judged): Tally {
  const { lines, kinds: counts, reasons } = tally ?? empty
  const kind = kindOf(judged)
  const { purpose } = judged
  return {
    lines: lines + 1,
    kinds: { ...counts, [kind]: (counts[kind] ?? 0) + 1 },
    reasons:
      kind === 'purpose' && purpose !== undefined ? { ...reasons, [purpose]: (reasons[purpose] ?? 0) + 1 } : reasons,
  }
}

export function sumOf(tallies: readonly Tally[]): Tally {
  const merged = (all: readonly Readonly<Record<string, number>>[]): Record<string, number> => {
    const sum: Record<string, number> = {}
    for (const one of all) for (const [key, count] of Object.entries(one)) sum[key] = (sum[key] ?? 0) + count
    return sum
  }
  return {
    lines: tallies.reduce((sum, { lines }) => sum + lines, 0),
    kinds: merged(tallies.map((tally) => tally.kinds as Record<string, number>)),
    reasons: merged(tallies.map(({ reasons }) => reasons)),
  }
}

export const share = (part: number | undefined, lines: number): string =>
  lines === 0 ? '' : `${(((part ?? 0) * 100) / lines).toFixed(1)} %`

/** A row for each command, the sum last. */
export function tableOf(tallies: ReadonlyMap<string, Tally>): string {
  const rows = [...tallies].sort(([a], [b]) => (a < b ? -1 : 1))
  const all = [...rows, ['all', sumOf([...tallies.values()])] as const]
  const width = Math.max(...all.map(([name]) => name.length))
  const head = ['lines', ...kinds].map((word) => word.padStart(8)).join('')
  const lines = all.map(([name, tally]) => {
    const cells = [tally.lines, ...kinds.map((kind) => tally.kinds[kind] ?? '')]
    return `${name.padEnd(width)}${cells.map((cell) => String(cell).padStart(8)).join('')}`
  })
  return [' '.repeat(width) + head, ...lines].join('\n')
}
