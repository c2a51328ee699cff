import { parseDurationMs } from '../../../base/index.ts'
import { addScores, failuresIn, formatScore, parseScore } from '../../../cib/index.ts'
import { judgesAsPcs } from '../../as-pcs/speech.ts'
import { type Command, done, Refusal } from '../../call/command.ts'
import { statusOf } from '../../facts/status-view.ts'
import { onlyKnown } from '../../grammar/constraint-words.ts'
import { expectWords, parsePairs } from '../../grammar/words.ts'

export const resourceFailcount: Command = {
  path: ['resource', 'failcount'],
  aliases: [
    ['resource', 'failcount', 'show'],
    ['stonith', 'failcount'],
    ['stonith', 'failcount', 'show'],
  ],
  usage: '[<resource>] [node=<node>] [operation=<operation> [interval=<interval>]] [--full]',
  summary: 'Show the fail counts of resources',
  flags: [{ name: 'full', summary: 'For each operation' }],
  completes: ['resource'],
  run: async (call) => {
    const names = call.words.filter((word) => !word.includes('='))
    expectWords(names, { atLeast: 0, atMost: 1, usage: 'resource failcount [<resource>] [node=<node>]' })
    const written = parsePairs(
      call.words.filter((word) => word.includes('=')),
      'options',
    )
    onlyKnown(written, ['node', 'operation', 'interval'], 'A fail count')
    // An empty value asks for nothing.
    const options = new Map([...written].filter(([, value]) => value !== ''))
    refuseInterval(options)
    const { cib } = await call.cluster.readCib()
    const status = statusOf(call, cib)
    const facts = status.nodes.flatMap(({ name: node, attributes }) =>
      [...attributes].flatMap(([attribute, value]) => {
        const counted = failuresIn(attribute)
        if (counted?.what !== 'fail-count' || counted.operation === '') return []
        const { operation, intervalMs } = counted
        // Of an instance it is the resource's.
        const failing = {
          resource: judgesAsPcs(call.speech) ? counted.resource.replace(/:\d+$/, '') : counted.resource,
          operation,
          intervalMs: String(intervalMs),
        }
        return [{ node: String(node), ...failing, count: formatScore(parseScore(value) ?? 0) }]
      }),
    )
    const [resource] = names
    const interval = options.get('interval')
    const shown = facts.filter(
      (fact) =>
        (resource === undefined || fact.resource === resource) &&
        (options.get('node') ?? fact.node) === fact.node &&
        (options.get('operation') ?? fact.operation) === fact.operation &&
        (interval === undefined || String(parseDurationMs(interval)) === fact.intervalMs),
    )
    const about = { ...Object.fromEntries(options), ...(resource === undefined ? {} : { resource }) }
    if (shown.length === 0) return done(`No failcounts${headline(about)}\n`, [])
    return done(describe(shown, call.flags.has('full'), about), shown)
  },
}

function refuseInterval(options: ReadonlyMap<string, string>): void {
  const interval = options.get('interval')
  if (interval === undefined) return
  const alone = options.has('operation')
    ? []
    : [
        {
          own: "An interval is that of an operation. Specify 'operation=<operation>', too.",
          error: "If option 'interval' is specified, option 'operation' must be specified as well",
        },
      ]
  const malformed =
    parseDurationMs(interval) === undefined
      ? [
          {
            own: `'${interval}' is not a valid interval. Specify a time, such as 10s or 2m.`,
            error: `'${interval}' is not a valid interval value, use time interval (e.g. 1, 2s, 3m, 4h, ...)`,
          },
        ]
      : []
  const reasons = [...alone, ...malformed].map(({ own, error }) => ({
    own,
    about: { code: 'said-by-pcs', errors: [error], closes: false } as const,
  }))
  if (reasons.length > 0) throw new Refusal(...reasons)
}

interface FailCount {
  readonly node: string
  readonly resource: string
  readonly operation: string
  readonly intervalMs: string
  readonly count: string
}

interface About {
  readonly resource?: string
  readonly node?: string
  readonly operation?: string
  readonly interval?: string
}

function headline({ resource, node, operation, interval }: About): string {
  return [
    ...(operation === undefined ? [] : [` for operation '${operation}'`]),
    ...(operation === undefined || interval === undefined ? [] : [` with interval '${interval}'`]),
    ...(resource === undefined ? [] : [` ${operation === undefined ? 'for' : 'of'} resource '${resource}'`]),
    ...(node === undefined ? [] : [` on node '${node}'`]),
  ].join('')
}

function describe(counts: readonly FailCount[], full: boolean, about: About): string {
  const resources = [...new Set(counts.map(({ resource }) => resource))]
  const sum = (own: readonly FailCount[]): string =>
    formatScore(own.reduce((all, { count }) => addScores(all, parseScore(count) ?? 0), 0))
  const lines = resources.flatMap((resource) => {
    const own = counts.filter((count) => count.resource === resource)
    const nodes = [...new Set(own.map(({ node }) => node))]
    return [
      `Failcounts${headline({ ...about, resource })}`,
      ...nodes.flatMap((node) => {
        const here = own.filter((count) => count.node === node)
        if (!full) return [`  ${node}: ${sum(here)}`]
        return [`  ${node}:`, ...here.map((count) => `    ${count.operation} ${count.intervalMs}ms: ${count.count}`)]
      }),
    ]
  })
  return `${lines.join('\n')}\n`
}
