/**
 * Regular expressions that come from outside: of the configuration (`rsc-pattern`, `target-pattern`) and of commands (`--pattern`). They are
 * POSIX extended ones, as Pacemaker hands them to regcomp(3), searched by RE2's method, whose time grows with the text and the expression
 * and never beyond (docs/adr/0036-floods.md). The platform's own engine takes years for `^(a+)+$` and 40 letters, and blocks its thread meanwhile.
 *
 * As in POSIX the longest of the leftmost matches counts, and `.` matches a line's end, too. Taken beyond POSIX: `\d`, `\w`, `\s` and `\b`, lazy repetition, `(?i)`
 * and `(?:…)`. Refused: what cannot be searched in linear time (references back such as `\1`, looking ahead and behind), more than 1000 repetitions, and
 * what would take more than some 10,000 steps for each letter.
 */
import { RE2JS } from 're2js'
import { failed, ok, type Result } from './result.ts'

export interface Pattern {
  readonly test: (text: string) => boolean
  /** The whole match and what each parenthesis caught (`''`: nothing); null where nothing matches. */
  readonly match: (text: string) => readonly string[] | null
}

const longestPattern = 1024
const mostSteps = 10_000

/** The failure is a sentence's end: `is not a regular expression: …`. */
export function readPattern(text: string): Result<Pattern, string> {
  if (text.length > longestPattern) return failed(`it is longer than ${longestPattern} characters`)
  if (stepsOf(text) > mostSteps) return failed('its repetitions make it too large')
  try {
    const expression = RE2JS.compile(inItsSyntax(text), RE2JS.LONGEST_MATCH | RE2JS.DOTALL)
    return ok({
      test: (subject) => expression.matcher(subject).find(),
      match: (subject) => {
        const matcher = expression.matcher(subject)
        if (!matcher.find()) return null
        return Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group) ?? '')
      },
    })
  } catch (error) {
    return failed(reasonOf(text, error))
  }
}

/** One that cannot be read matches nothing, as in Pacemaker; `verify` and whoever sets it say so. */
export function patternOrNothing(text: string): Pattern {
  const read = readPattern(text)
  return read.ok ? read.value : { test: () => false, match: () => null }
}

function reasonOf(text: string, error: unknown): string {
  if (/\(\?<?[=!]/.test(text)) return 'looking ahead or behind is not supported'
  if (/\\[1-9]/.test(text)) return `references back, such as '\\1', are not supported`
  const message = error instanceof Error ? error.message : String(error)
  // The first is RE2's own mark for `.` that matches a line's end.
  return message
    .replace(/^error parsing regexp: /, '')
    .replaceAll('(?s)', '')
    .replaceAll('`', `'`)
}

/** What POSIX and GNU write otherwise: `{,3}`, `\<` and `\>`. */
function inItsSyntax(text: string): string {
  return text.replaceAll(/\\[\s\S]|\{,(\d+)\}/g, (part, upTo: string | undefined) => {
    if (upTo !== undefined) return `{0,${upTo}}`
    return part === '\\<' || part === '\\>' ? '\\b' : part
  })
}

const token = /\\[\s\S]|\[\^?\]?(?:\[:\w+:\]|\\[\s\S]|[^\]\\])*\]|\{(\d*)(?:,(\d*))?\}|[\s\S]/g

/** About how many states a search has for each letter: an expression of 20 letters may repeat a hundred thousand times. */
function stepsOf(text: string): number {
  const around: number[] = []
  let steps = 0
  let last = 0
  for (const [part, least, most] of text.matchAll(token)) {
    if (part === '(') {
      around.push(steps)
      steps = 0
    } else if (part === ')') {
      last = steps + 1
      steps = (around.pop() ?? 0) + last
    } else if (least !== undefined) {
      const times = Math.max(Number(least), Number(most ?? 0), 1)
      steps += (times - 1) * last
      last *= times
    } else {
      last = 1
      steps++
    }
  }
  return steps + around.reduce((sum, before) => sum + before, 0)
}
