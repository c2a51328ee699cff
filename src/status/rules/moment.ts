/**
 * Moments as rules write them: ISO 8601 dates (calendar, ordinal and week dates, with or without hyphens) with an optional
 * time and offset from UTC (Pacemaker Explained, "Date/Time Expressions"). Moments are seconds since the epoch.
 */

/** Seconds by which local time is ahead of UTC at a moment; used where a text names no offset, and by date_spec. */
export type UtcOffsetAt = (epochSeconds: number) => number

export const utc: UtcOffsetAt = () => 0

export interface TimeZone {
  readonly now: number
  readonly utcOffsetAt: UtcOffsetAt
}

/** Undefined where the text is no moment. A text with a time only means that time today. */
export function parseMoment(text: string, zone: TimeZone): number | undefined {
  return parseLocalMoment(text, zone)?.seconds
}

/** With the seconds by which the clock that it was read from is ahead of UTC; a date without a time has none. */
export function parseLocalMoment(
  text: string,
  zone: TimeZone,
): { readonly seconds: number; readonly offset: number } | undefined {
  const match = /^\s*(?<date>[^T\s]*)(?:[T\s]+(?<rest>.*?))?\s*$/.exec(text)
  if (match === null) return undefined
  const { date = '', rest = '' } = match.groups ?? {}
  const onlyTime = rest === '' && /^\d{1,2}:/.test(date)
  const days = onlyTime || date === '' ? startOfToday(zone) : parseDate(date)
  const time = parseTime(onlyTime ? date : rest)
  if (days === undefined || time === undefined) return undefined
  const local = days * 86_400 + time.seconds
  const offset = time.offset ?? zone.utcOffsetAt(local)
  return { seconds: local - offset, offset }
}

function startOfToday({ now, utcOffsetAt }: TimeZone): number {
  return Math.floor((now + utcOffsetAt(now)) / 86_400)
}

/** Days since the epoch. */
function parseDate(text: string): number | undefined {
  const forms: readonly (readonly [RegExp, (parts: readonly number[]) => number | undefined])[] = [
    [/^([+-]?\d{4})-W(\d{2})-(\d)$/, ([year = 0, week = 0, day = 0]) => dayOfWeekDate(year, week, day)],
    [/^([+-]?\d{4})-(\d{1,2})-(\d{1,2})$/, ([year = 0, month = 0, day = 0]) => dayOfDate(year, month, day)],
    [/^(\d{4})(\d{2})(\d{2})$/, ([year = 0, month = 0, day = 0]) => dayOfDate(year, month, day)],
    [/^([+-]?\d{4})-?(\d{3})$/, ([year = 0, day = 0]) => dayOfOrdinal(year, day)],
  ]
  for (const [form, read] of forms) {
    const match = form.exec(text)
    if (match !== null) return read(match.slice(1).map(Number))
  }
  return undefined
}

function dayOfDate(year: number, month: number, day: number): number | undefined {
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined
  return daysSinceEpoch(year, month, day)
}

function dayOfOrdinal(year: number, day: number): number | undefined {
  if (day < 1 || day > (isLeapYear(year) ? 366 : 365)) return undefined
  return daysSinceEpoch(year, 1, 1) + day - 1
}

function dayOfWeekDate(year: number, week: number, day: number): number | undefined {
  if (week < 1 || day < 1 || day > 7) return undefined
  const found = firstMondayOfWeekYear(year) + (week - 1) * 7 + day - 1
  return found < firstMondayOfWeekYear(year + 1) ? found : undefined
}

/** Week 1 of a year is the one that holds its 4 January; weeks begin on Mondays. */
export function firstMondayOfWeekYear(year: number): number {
  const fourth = daysSinceEpoch(year, 1, 4)
  return fourth - (weekdayOf(fourth) - 1)
}

/** 1 is Monday, 7 is Sunday. Day 0 of the epoch was a Thursday. */
export function weekdayOf(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1
}

export function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

export function daysSinceEpoch(year: number, month: number, day: number): number {
  return Math.floor(new Date(Date.UTC(2000, month - 1, day)).setUTCFullYear(year, month - 1, day) / 86_400_000)
}

interface TimeOfDay {
  readonly seconds: number
  /** Seconds ahead of UTC, where the text says so. */
  readonly offset?: number
}

function parseTime(text: string): TimeOfDay | undefined {
  if (text === '') return { seconds: 0 }
  const match =
    /^(?<hours>\d{1,2})(?::?(?<minutes>\d{2})(?::?(?<seconds>\d{2})(?:[.,]\d+)?)?)?\s*(?<zone>Z|[+-]\d{1,2}(?::?\d{2})?)?$/i.exec(
      text,
    )
  if (match === null) return undefined
  const { hours, minutes = '0', seconds = '0', zone } = match.groups ?? {}
  const [h, m, s] = [Number(hours), Number(minutes), Number(seconds)]
  if (h > 24 || m > 59 || s > 59 || (h === 24 && m + s > 0)) return undefined
  const timeOfDay = h * 3600 + m * 60 + s
  if (zone === undefined) return { seconds: timeOfDay }
  const offset = parseOffset(zone)
  return offset === undefined ? undefined : { seconds: timeOfDay, offset }
}

/** No clock is more than a day ahead or behind. */
function parseOffset(text: string): number | undefined {
  const match = /^([+-])(\d{1,2}):?(\d{2})?$/.exec(text)
  if (match === null) return 0
  const [, sign, hours, minutes = '0'] = match
  const ahead = Number(hours) * 3600 + Number(minutes) * 60
  if (Number(minutes) > 59 || ahead > 86_400) return undefined
  return sign === '-' ? -ahead : ahead
}
