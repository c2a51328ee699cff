/** Benchmarks of nodes beside each other: who is slower than the others. */

export const benchmarkParts = ['cpu', 'memory', 'disk'] as const
export type BenchmarkPart = (typeof benchmarkParts)[number]

/** More is faster. */
export type BenchmarkResult = Readonly<Partial<Record<BenchmarkPart, number>>>

export interface Outlier {
  readonly node: string
  readonly part: BenchmarkPart
  readonly value: number
  readonly median: number
}

/** An answer is three numbers; a node that is not one of ours any more may print what it likes. */
export const longestBenchmark = 4096
/** In MiB a second: no machine of ours is that fast. */
const fastest = 1e9

/** What a node says, which may be of another version, or not be true: what no machine measures does not count. */
export function readBenchmark(text: string): BenchmarkResult | undefined {
  if (text.length > longestBenchmark) return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return undefined
    const given = new Map(Object.entries(value))
    return Object.fromEntries(
      benchmarkParts.flatMap((part) => {
        const measured = given.get(part)
        return typeof measured === 'number' && measured >= 0 && measured <= fastest ? [[part, measured]] : []
      }),
    )
  } catch {
    return undefined
  }
}

/** With two nodes nobody can know which of them is the odd one. */
const leastNodes = 3

/** Those that reach less of the median of all nodes than `percent` less. */
export function outliersOf(results: ReadonlyMap<string, BenchmarkResult>, percent: number): readonly Outlier[] {
  return benchmarkParts.flatMap((part) => {
    const values = [...results].flatMap(([node, result]) => {
      const value = result[part]
      return value === undefined ? [] : [{ node, value }]
    })
    if (values.length < leastNodes) return []
    const median = medianOf(values.map(({ value }) => value))
    return values
      .filter(({ value }) => value < median * (1 - percent / 100))
      .map(({ node, value }) => ({ node, part, value, median }))
  })
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low = 0, high = 0] = sorted.length % 2 === 0 ? sorted.slice(middle - 1) : [sorted[middle], sorted[middle]]
  return (low + high) / 2
}
