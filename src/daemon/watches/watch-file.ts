/** A file of the folder watches: which services a node follows, and what it does when their healthy instances change. */
import * as v from 'valibot'
import { parse } from 'yaml'
import { didYouMean, failed, ok, parseDurationMs, type Result, reasonOf, similarWords } from '../../base/index.ts'

export interface Watch {
  readonly name: string
  readonly services: readonly string[]
  /** So long nothing must have changed before anything is done. */
  readonly debounceMs: number
  /** With fewer healthy instances of one of them, everything stays as it was. */
  readonly min: number
  readonly file?: { readonly template: string; readonly to: string; readonly check?: readonly string[] }
  readonly run?: readonly string[]
  readonly timeoutMs: number
}

export const longestWatchFile = 64 * 1024
/** In the words of a check, where the file is that would be put in place. */
export const fileWord = '{file}'

const label = v.pipe(v.string(), v.regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'is not the name of a service'))
const path = v.pipe(v.string(), v.regex(/^\/[^\0]{1,1000}$/, 'is not an absolute path'))
const command = v.pipe(
  v.array(v.pipe(v.string(), v.maxLength(4096)), 'is not a list of words, such as [systemctl, reload, haproxy]'),
  v.minLength(1, 'has no words'),
  v.maxLength(100),
)
const duration = (from: number, to: number, examples: string) =>
  v.pipe(
    v.union([v.string(), v.number()]),
    v.transform((written) => parseDurationMs(String(written)) ?? Number.NaN),
    v.check((ms) => ms >= from && ms <= to, `is not a duration such as ${examples}`),
  )

const form = v.strictObject({
  services: v.pipe(v.array(label), v.minLength(1, 'names no service'), v.maxLength(50)),
  debounce: v.optional(duration(0, 60_000, '1s, of at most 1min'), '1s'),
  min: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1000)), 0),
  template: v.optional(path),
  to: v.optional(path),
  check: v.optional(command),
  run: v.optional(command),
  timeout: v.optional(duration(100, 600_000, '30s, of at most 10min'), '30s'),
})

const keys = Object.keys(form.entries)

/** A key that is misspelt or missing is named as one, and not by the words of the library. */
function describe(issue: v.InferIssue<typeof form>): string {
  const path = v.getDotPath(issue)
  if (issue.type === 'strict_object' && path !== null) {
    if (issue.expected !== 'never') return `${path} is missing`
    const similar = similarWords(path, keys)
    return `there is no key '${path}'.${didYouMean(similar) || ` Keys are ${keys.join(', ')}`}`.replace(/\?$/, '')
  }
  return `${path ?? 'the file'}: ${issue.message}`
}

/** Each report is a sentence. */
export function parseWatch(name: string, text: string): Result<Watch, string> {
  let written: unknown
  try {
    written = parse(text, { maxAliasCount: 10 })
  } catch (error) {
    return failed(`it is not YAML: ${reasonOf(error).split('\n')[0]}`)
  }
  const read = v.safeParse(form, written)
  if (!read.success) return failed(...[...new Set(read.issues.slice(0, 10).map(describe))])
  const { services, debounce, min, template, to, check, run, timeout } = read.output
  const reports = [
    ...((template === undefined) !== (to === undefined) ? ['template and to go together'] : []),
    ...(check !== undefined && to === undefined ? ['check needs template and to'] : []),
    ...(check !== undefined && !check.some((word) => word.includes(fileWord))
      ? [`check does not say ${fileWord}, where the new file is`]
      : []),
    ...(run === undefined && to === undefined ? ['it says neither run nor template: nothing would be done'] : []),
  ]
  if (reports.length > 0) return failed(...reports)
  return ok({
    name,
    services: [...new Set(services)],
    debounceMs: debounce,
    min,
    ...(template !== undefined && to !== undefined && { file: { template, to, ...(check && { check }) } }),
    ...(run && { run }),
    timeoutMs: timeout,
  })
}
