/**
 * `date_spec`: a pattern for calendar fields, each a value or a range (`9-16`, `6-`, `-3`); all that are given must match
 * (Pacemaker Explained, "Date Specifications"). Also when the pattern next begins or ceases to match.
 */
import { type CalendarFields, calendarFields } from './calendar.ts'
import type { TimeZone } from './moment.ts'

export type DateSpec = Readonly<Record<string, string>>

const dayFields = ['years', 'months', 'monthdays', 'yeardays', 'weekyears', 'weeks', 'weekdays'] as const
const timeFields = ['hours', 'minutes', 'seconds'] as const
/** From the largest to the smallest. */
export const specFields = [...dayFields, ...timeFields]

export function matchesDateSpec(spec: DateSpec, moment: number, zone: TimeZone): boolean {
  const fields = calendarFields(moment, zone)
  return specFields.every((field) => matchesField(spec, field, fields))
}

/** A range that cannot be read matches nothing. */
function matchesField(spec: DateSpec, field: keyof CalendarFields, fields: CalendarFields): boolean {
  const written = spec[field]
  if (written === undefined) return true
  const range = specRange(written)
  return range !== undefined && fields[field] >= range.from && fields[field] <= range.to
}

/** Undefined where it cannot be read. */
export function specRange(written: string): { readonly from: number; readonly to: number } | undefined {
  const range = /^\s*(\d*)\s*(-?)\s*(\d*)\s*$/.exec(written)
  if (range === null) return undefined
  const [, low = '', hyphen, high = ''] = range
  if (low === '' && high === '') return undefined
  const from = low === '' ? -Infinity : Number(low)
  return { from, to: hyphen === '' ? from : high === '' ? Infinity : Number(high) }
}

/** Patterns repeat within a few years; one that changes later than this is looked at again long before. */
const horizonDays = 3000

/** The next moment after now at which the pattern's answer differs from the one that it gives now. */
export function nextDateSpecChange(spec: DateSpec, zone: TimeZone): number | undefined {
  const { now, utcOffsetAt } = zone
  const times = timesOf(spec)
  if (times === 'never') return undefined
  const holds = matchesDateSpec(spec, now, zone)
  const hasTime = Object.keys(times).length > 0
  const offset = utcOffsetAt(now)
  const today = Math.floor((now + offset) / 86_400)
  for (let day = today; day <= today + horizonDays; day++) {
    const midnight = day * 86_400 - utcOffsetAt(day * 86_400)
    const dayHolds = dayFields.every((field) => matchesField(spec, field, calendarFields(midnight, zone)))
    if (dayHolds && hasTime) {
      const change = changeWithinDay(times, midnight, holds, zone)
      if (change !== undefined) return change
    } else if (dayHolds !== holds && midnight > now) return midnight
  }
  return undefined
}

const lastOfTime = { hours: 23, minutes: 59, seconds: 59 } as const

/**
 * The fields of the time that some moments of a day match and others do not. One that all match says nothing, and where one matches none, the pattern
 * never does: to look for a change that does not come, second by second for years, would take the scheduler minutes.
 */
function timesOf(spec: DateSpec): DateSpec | 'never' {
  const times: Record<string, string> = {}
  for (const field of timeFields) {
    const written = spec[field]
    if (written === undefined) continue
    const range = specRange(written)
    const last = lastOfTime[field]
    if (range === undefined || range.from > last || range.to < range.from) return 'never'
    if (range.from > 0 || range.to < last) times[field] = written
  }
  return times
}

/** Steps by the largest unit within which the answer cannot change. */
function changeWithinDay(spec: DateSpec, midnight: number, holds: boolean, zone: TimeZone): number | undefined {
  const step = spec.seconds !== undefined ? 1 : spec.minutes !== undefined ? 60 : 3600
  for (let hour = 0; hour < 24; hour++) {
    const start = midnight + hour * 3600
    if (start + 3600 <= zone.now) continue
    const hourHolds = matchesField(spec, 'hours', calendarFields(start, zone))
    if (!hourHolds) {
      if (holds && start > zone.now) return start
      continue
    }
    for (let moment = start; moment < start + 3600; moment += step)
      if (moment > zone.now && matchesDateSpec(spec, moment, zone) !== holds) return moment
  }
  return undefined
}
