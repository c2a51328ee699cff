/** How fast the nodes are beside each other, on request. */
import { printable } from '../../../base/index.ts'
import {
  type BenchmarkPart,
  benchmarkParts,
  longestBenchmark,
  outliersOf,
  readBenchmark,
} from '../../../hardware/index.ts'
import { type Call, type Command, done, type Outcome, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { alignColumns } from '../../call/table.ts'
import { expectWords } from '../../grammar/words.ts'
import { benchmarkHere } from '../../host/benchmark-here.ts'
import { followJob } from '../job/follow.ts'
import { exitCodeOf } from '../job/print-job.ts'
import { targetsOf } from '../job/targets.ts'

const timeoutMs = 120_000
const defaultTolerance = 25

export const nodeBenchmark: Command = {
  path: ['node', 'benchmark'],
  usage: '(--on=<nodes> | --all) [--parts=cpu,memory,disk] [--tolerance=<percent>] | --here [--parts=<parts>]',
  summary: 'Measure processor, memory and disk of nodes by a job, and name those that are slower',
  details:
    'Each node is measured for some five seconds, in MiB a second: hashed by one processor, copied in memory, written to the disk with /var/lib/systole and flushed (at most 512 MiB). All nodes are measured at the same time, while their resources run. Of three or more nodes, one that stays more than the tolerance (25 percent) below the median is named, and the exit code is 2. It needs the permission for jobs; --here measures this host without one.',
  examples: ['systole node benchmark --all', 'systole node benchmark --on=n1,n2,n3 --parts=disk --json'],
  flags: [
    {
      name: 'on',
      value: 'nodes',
      summary: 'Measure these nodes, separated by commas, or role=<role>',
      completes: 'node',
    },
    { name: 'all', summary: 'Measure all cluster nodes' },
    { name: 'here', summary: 'Measure this host alone' },
    { name: 'parts', value: 'parts', summary: 'Measure only these, separated by commas: cpu, memory, disk' },
    { name: 'tolerance', value: 'percent', summary: 'How far below the median a node may be (default: 25)' },
  ],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'node benchmark --on=<nodes>|--all|--here' })
    const parts = partsOf(call)
    const tolerance = toleranceOf(call)
    if (!call.flags.has('here')) return await benchmarkNodes(call, parts, tolerance)
    if (['on', 'all', 'tolerance'].some((name) => call.flags.has(name)))
      throw new Refusal('--here measures this host alone. Omit --on, --all and --tolerance.')
    const result = benchmarkHere(parts, dataFolder())
    return done(alignColumns(parts.map((part) => [part, shown(result[part])])), result)
  },
}

/** A node without a cluster has none yet. */
const dataFolder = (): string => `${process.env.SYSTOLE_ROOT ?? ''}/var/lib/systole`

const shown = (value: number | undefined): string => (value === undefined ? '-' : `${value} MiB/s`)

function partsOf({ flags }: Call): readonly BenchmarkPart[] {
  const written = flags.get('parts')
  if (typeof written !== 'string') return benchmarkParts
  const words = written.split(',')
  const wrong = words.filter((word) => !benchmarkParts.some((part) => part === word))
  if (wrong.length > 0)
    throw new Refusal(...wrong.map((word) => `'${word}' cannot be measured. Specify cpu, memory or disk.`))
  return benchmarkParts.filter((part) => words.includes(part))
}

function toleranceOf({ flags }: Call): number {
  const written = flags.get('tolerance')
  if (written === undefined) return defaultTolerance
  if (typeof written === 'string' && /^\d{1,2}$/.test(written)) return Number(written)
  throw new Refusal(`'${String(written)}' is not a tolerance. Specify a percentage from 0 to 99.`)
}

async function benchmarkNodes(call: Call, parts: readonly BenchmarkPart[], tolerance: number): Promise<Outcome> {
  const targets = targetsOf(call)
  const live = liveCluster(call)
  const asked = await live.runJob({
    argv: ['systole', 'node', 'benchmark', '--here', `--parts=${parts.join(',')}`, '--json'],
    env: {},
    ...targets,
    order: 'parallel',
    limit: 0,
    notes: false,
    timeoutMs,
    queue: false,
    user: call.terminal.user,
  })
  const output = new Map<string, string>()
  const job = await followJob(live, asked, {
    nodes: asked.nodes.map(({ node }) => node),
    note: call.terminal.progress,
    write: async (node, lines) => {
      const before = output.get(node) ?? ''
      if (before.length <= longestBenchmark) output.set(node, before + lines.join('\n'))
      await Promise.resolve()
    },
  })
  const results = new Map(
    [...output].flatMap(([node, text]) => {
      const result = readBenchmark(text)
      return result === undefined ? [] : [[node, result] as const]
    }),
  )
  const missing = asked.nodes.map(({ node }) => node).filter((node) => !results.has(node))
  const outliers = outliersOf(results, tolerance)
  const rows = [...results]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([node, result]) => [node, ...parts.map((part) => shown(result[part]))])
  const text = [
    alignColumns([['node', ...parts], ...rows]),
    ...outliers.map(
      ({ node, part, value, median }) =>
        `${node} is slow: ${part} ${shown(value)}, where the median is ${shown(median)}.\n`,
    ),
    ...missing.map((node) => `${printable(node)} has no result: systole job show ${job.id}\n`),
  ].join('')
  const exitCode = exitCodeOf(job)
  return done(
    text,
    { job: job.id, results: Object.fromEntries(results), outliers, missing },
    exitCode === 0 && outliers.length > 0 ? 2 : exitCode,
  )
}
