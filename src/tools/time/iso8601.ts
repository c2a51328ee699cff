/** iso8601: shows and reads dates, periods and durations as rules write them (iso8601(8)). */
import { utcOffsetAt } from '../../base/index.ts'
import { element, type XmlElement } from '../../cib/index.ts'
import { calendarFields, parseLocalMoment, utc } from '../../status/index.ts'
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
  printsXml: true,
  xmlVersions: { date: '2.38', duration: '2.38', period: '2.38' },
  exits: { format: exitCodes.noSuchObject },
  runsHere: true,
  needsNoCib: true,
  run,
}

/** A moment, and the seconds by which the clock that shows it is ahead of UTC. */
interface Shown {
  readonly seconds: number
  readonly offset: number
}

/** What is printed of one thing that was asked for. */
interface Part {
  readonly line: string
  readonly xml: XmlElement
}

function run({ given }: ParsedCall, world: ToolWorld): ToolReply {
  const asked = [datePart(given, world), durationPart(given), endPart(given, world), periodPart(given, world)]
  const parts: Part[] = []
  for (const part of asked) {
    if (part === undefined) continue
    if ('exitCode' in part) return part
    parts.push(part)
  }
  const expected = optionValue(given, 'expected')
  const end = endOf(given, world)
  // What is expected is said in UTC, whatever offset is shown.
  const result = end === undefined ? dateText(given, world) : written({ ...end, offset: 0 }, given)
  const differs = expected !== undefined && result !== undefined && result !== expected
  const output = parts.map(({ line }) => `${line}\n`).join('')
  return {
    ...printed(
      output,
      parts.map(({ xml }) => xml),
    ),
    exitCode: differs ? exitCodes.error : exitCodes.ok,
  }
}

const withText = (name: string, text: string): XmlElement => element(name, {}, [{ kind: 'text', text }])

function invalid(what: string, text: string): ToolReply {
  return refused(exitCodes.invalidParameter, `iso8601: Invalid ${what} specified: ${text}`)
}

const isNow = (given: readonly GivenOption[]): boolean =>
  optionValue(given, 'date') === 'now' || (hasOption(given, 'now') && optionValue(given, 'date') === undefined)

function dateOf(given: readonly GivenOption[], world: ToolWorld): Shown | undefined {
  const now = world.now()
  if (isNow(given)) return { seconds: now, offset: hasOption(given, 'local') ? utcOffsetAt(now) : 0 }
  const text = optionValue(given, 'date')
  return text === undefined ? undefined : readDate(text, world)
}

function readDate(text: string, world: ToolWorld): Shown | undefined {
  if (text === 'epoch') return { seconds: 0, offset: 0 }
  if (text === '') return undefined
  // A time is that of this host's clock, a date alone that of UTC.
  const isTime = /^\s*(?:\d{1,2}:|\S+[T\s]+\S)/.test(text)
  return parseLocalMoment(text, { now: world.now(), utcOffsetAt: isTime ? () => utcOffsetAt(world.now()) : utc })
}

/** In UTC, unless it is wanted by the clock that it was given in. */
function dateText(given: readonly GivenOption[], world: ToolWorld): string | undefined {
  const date = dateOf(given, world)
  return date && written(hasOption(given, 'local') ? date : { ...date, offset: 0 }, given)
}

function datePart(given: readonly GivenOption[], world: ToolWorld): Part | ToolReply | undefined {
  const text = optionValue(given, 'date')
  if (text === undefined && !isNow(given)) return undefined
  const date = dateText(given, world)
  if (date === undefined) return invalid('date/time', text ?? '')
  const isPresent = isNow(given)
  return {
    line: `${isPresent ? 'Current date/time' : 'Date'}: ${date}`,
    xml: withText('date', date),
  }
}

function durationPart(given: readonly GivenOption[]): Part | ToolReply | undefined {
  const text = optionValue(given, 'duration')
  if (text === undefined) return undefined
  const duration = parseDuration(text)
  const amounts = Object.values(duration ?? {})
  if (duration === undefined || amounts.every((amount) => amount === 0) || amounts.some((one) => one > mostOfOne))
    return invalid('duration', text)
  const described = describeDuration(duration)
  return { line: `Duration: ${described}`, xml: withText('duration', described) }
}

/** Years, days and seconds are counted in 32 bits. */
const mostOfOne = 2 ** 31 - 1

function endPart(given: readonly GivenOption[], world: ToolWorld): Part | undefined {
  const end = endOf(given, world)
  if (end === undefined) return undefined
  const text = written(end, given)
  return { line: `Duration ends at: ${text}`, xml: withText('duration_ends', text) }
}

/** By the clock that its beginning was given in. */
function endOf(given: readonly GivenOption[], world: ToolWorld): Shown | undefined {
  const begin = dateOf(given, world)
  const duration = parseDuration(optionValue(given, 'duration') ?? '')
  if (begin === undefined || duration === undefined) return undefined
  return { ...begin, seconds: later(begin.seconds + begin.offset, duration) - begin.offset }
}

function periodPart(given: readonly GivenOption[], world: ToolWorld): Part | ToolReply | undefined {
  const text = optionValue(given, 'period')
  if (text === undefined) return undefined
  const period = readPeriod(text, world)
  if (period === undefined) return invalid('interval', text)
  const [from, to] = period.map((seconds) => written({ seconds, offset: 0 }, given)) as [string, string]
  return {
    line: `Period: ${from} to ${to}`,
    xml: element('period', {}, [withText('start', from), withText('end', to)]),
  }
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
