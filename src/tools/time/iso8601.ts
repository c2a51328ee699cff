/** iso8601: shows and reads dates, periods and durations as rules write them (iso8601(8)). */
import { calendarFields, parseMoment, utc } from '../../status/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { flag, type GivenOption, hasOption, optionValue, valued } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import type { ParsedCall, Tool } from '../tool.ts'
import type { ToolWorld } from '../world.ts'
import { describeDuration, later, negated, parseDuration } from './duration-fields.ts'

export const iso8601: Tool = {
  name: 'iso8601',
  summary: 'Show and read dates, periods and durations as rules write them',
  options: [
    flag('now,n', 'The present moment'),
    valued(
      'date,d',
      'DATE',
      "A date: '2026-11-21 10:00:00Z', 2026-040, 2026-W05-3, now, epoch. Without an offset it is UTC",
    ),
    valued('period,p', 'PERIOD', 'Two dates, or a date and a duration: 2026-040/2026-043, 2026-01-01/P1M'),
    valued('duration,D', 'DURATION', 'A duration: P1M. With a date, also when it ends'),
    valued('expected,E', 'TEXT', 'Fail (1) where the date is not shown so'),
    flag('seconds,s', 'In seconds since the year 1'),
    flag('epoch,S', 'In seconds since 1970'),
    flag('local,L', 'The present moment in the time of this host, with its offset'),
    flag('ordinal,O', 'With the day of the year'),
    flag('week,W', 'With the week and its day'),
  ],
  runsHere: true,
  needsNoCib: true,
  run,
}

/** A moment, and the seconds by which the clock that shows it is ahead of UTC. */
interface Shown {
  readonly seconds: number
  readonly offset: number
}

function run({ given }: ParsedCall, world: ToolWorld): ToolReply {
  const parts = [dateLines(given, world), durationLines(given), periodLine(given, world)]
  const wrong = parts.find((part) => 'exitCode' in part)
  if (wrong !== undefined && 'exitCode' in wrong) return wrong
  const [date, duration, period] = parts.map((part) => ('exitCode' in part ? [] : part))
  const end = endOf(given, world)
  const ends = end === undefined ? [] : [`Duration ends at: ${written(end, given)}`]
  const output = [...(date ?? []), ...(duration ?? []), ...ends, ...(period ?? [])].map((line) => `${line}\n`).join('')
  const expected = optionValue(given, 'expected')
  const result = end ?? dateOf(given, world)
  const differs = expected !== undefined && result !== undefined && written(result, given) !== expected
  return { ...printed(output), exitCode: differs ? exitCodes.error : exitCodes.ok }
}

function invalid(what: string, text: string): ToolReply {
  return refused(exitCodes.invalidParameter, `iso8601: Invalid ${what} specified: ${text}`)
}

const isNow = (given: readonly GivenOption[]): boolean =>
  hasOption(given, 'now') || optionValue(given, 'date') === 'now'

function dateOf(given: readonly GivenOption[], world: ToolWorld): Shown | undefined {
  const now = world.now()
  if (isNow(given)) return { seconds: now, offset: hasOption(given, 'local') ? hostOffset(now) : 0 }
  const text = optionValue(given, 'date')
  return text === undefined ? undefined : readDate(text, world)
}

function readDate(text: string, world: ToolWorld): Shown | undefined {
  if (text === 'epoch') return { seconds: 0, offset: 0 }
  if (text === '') return undefined
  // A time alone is that of this host's clock, a date that of UTC.
  const isTime = /^\d{1,2}:/.test(text)
  const seconds = parseMoment(text, { now: world.now(), utcOffsetAt: isTime ? hostOffset : utc })
  return seconds === undefined ? undefined : { seconds, offset: 0 }
}

/** Seconds by which this host's clock is ahead of UTC. */
function hostOffset(seconds: number): number {
  return -new Date(seconds * 1000).getTimezoneOffset() * 60
}

function dateLines(given: readonly GivenOption[], world: ToolWorld): readonly string[] | ToolReply {
  const text = optionValue(given, 'date')
  if (text === undefined && !isNow(given)) return []
  const date = dateOf(given, world)
  if (date === undefined) return invalid('date/time', text ?? '')
  return [`${isNow(given) ? 'Current date/time' : 'Date'}: ${written(date, given)}`]
}

function durationLines(given: readonly GivenOption[]): readonly string[] | ToolReply {
  const text = optionValue(given, 'duration')
  if (text === undefined) return []
  const duration = parseDuration(text)
  return duration === undefined ? invalid('duration', text) : [`Duration: ${describeDuration(duration)}`]
}

function endOf(given: readonly GivenOption[], world: ToolWorld): Shown | undefined {
  const begin = dateOf(given, world)
  const duration = parseDuration(optionValue(given, 'duration') ?? '')
  return begin && duration && { ...begin, seconds: later(begin.seconds, duration) }
}

function periodLine(given: readonly GivenOption[], world: ToolWorld): readonly string[] | ToolReply {
  const text = optionValue(given, 'period')
  if (text === undefined) return []
  const period = readPeriod(text, world)
  if (period === undefined) return invalid('interval', text)
  const [from, to] = period.map((seconds) => written({ seconds, offset: 0 }, given))
  return [`Period: ${from} to ${to}`]
}

/** Of its two halves, either may be a duration; a duration alone begins now. */
function readPeriod(text: string, world: ToolWorld): readonly [number, number] | undefined {
  const [first = '', second] = text.split('/')
  const [before, after] = [parseDuration(first), parseDuration(second ?? '')]
  const [from, to] = [readDate(first, world)?.seconds, readDate(second ?? '', world)?.seconds]
  if (before !== undefined && second === undefined) return [world.now(), later(world.now(), before)]
  if (before !== undefined) return to === undefined ? undefined : [later(to, negated(before)), to]
  if (from === undefined) return undefined
  if (after !== undefined) return [from, later(from, after)]
  return to === undefined ? undefined : [from, to]
}

/** Pacemaker counts them from the first of January of the year 1. */
const secondsToEpoch = 719_162 * 86_400

function written({ seconds, offset }: Shown, given: readonly GivenOption[]): string {
  if (hasOption(given, 'seconds')) return String(seconds + secondsToEpoch)
  if (hasOption(given, 'epoch')) return String(seconds)
  const at = calendarFields(seconds, { utcOffsetAt: () => offset })
  const day = hasOption(given, 'week')
    ? `${pad(at.weekyears, 4)}-W${pad(at.weeks, 2)}-${at.weekdays}`
    : hasOption(given, 'ordinal')
      ? `${pad(at.years, 4)}-${pad(at.yeardays, 3)}`
      : `${pad(at.years, 4)}-${pad(at.months, 2)}-${pad(at.monthdays, 2)}`
  const time = [at.hours, at.minutes, at.seconds].map((part) => pad(part, 2)).join(':')
  return `${day} ${time}${zone(offset)}`
}

function zone(offset: number): string {
  if (offset === 0) return 'Z'
  const minutes = Math.abs(offset) / 60
  return ` ${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60), 2)}:${pad(minutes % 60, 2)}`
}

const pad = (number: number, width: number): string => String(number).padStart(width, '0')
