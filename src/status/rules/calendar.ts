/** What a clock and a calendar show at a moment: the fields that `date_spec` and durations count in. */
import { daysInMonth, daysSinceEpoch, firstMondayOfWeekYear, type TimeZone, weekdayOf } from './moment.ts'

export interface CalendarFields {
  readonly years: number
  readonly months: number
  readonly monthdays: number
  readonly hours: number
  readonly minutes: number
  readonly seconds: number
  readonly yeardays: number
  readonly weekyears: number
  readonly weeks: number
  /** 1 is Monday, 7 is Sunday. */
  readonly weekdays: number
}

/** The fields in local time. */
export function calendarFields(moment: number, { utcOffsetAt }: Pick<TimeZone, 'utcOffsetAt'>): CalendarFields {
  const local = moment + utcOffsetAt(moment)
  const day = Math.floor(local / 86_400)
  const second = local - day * 86_400
  const date = new Date(day * 86_400_000)
  const years = date.getUTCFullYear()
  const weekyears = weekYearOf(day, years)
  return {
    years,
    months: date.getUTCMonth() + 1,
    monthdays: date.getUTCDate(),
    hours: Math.floor(second / 3600),
    minutes: Math.floor((second % 3600) / 60),
    seconds: second % 60,
    yeardays: day - daysSinceEpoch(years, 1, 1) + 1,
    weekyears,
    weeks: Math.floor((day - firstMondayOfWeekYear(weekyears)) / 7) + 1,
    weekdays: weekdayOf(day),
  }
}

function weekYearOf(day: number, year: number): number {
  if (day < firstMondayOfWeekYear(year)) return year - 1
  return day >= firstMondayOfWeekYear(year + 1) ? year + 1 : year
}

/** Attributes of a `duration` element added to a moment: years and months by the calendar, the rest by their length. */
export function addDuration(
  moment: number,
  duration: Readonly<Record<string, string>>,
  zone: Pick<TimeZone, 'utcOffsetAt'>,
): number {
  const amount = (unit: string): number => {
    const value = Number(duration[unit] ?? 0)
    return Number.isInteger(value) ? value : 0
  }
  const { years, months, monthdays } = calendarFields(moment, zone)
  const monthCount = years * 12 + (months - 1) + amount('years') * 12 + amount('months')
  const year = Math.floor(monthCount / 12)
  const month = (monthCount % 12) + 1
  // 31 January plus a month is the last day of February.
  const day = Math.min(monthdays, daysInMonth(year, month))
  const movedDays = daysSinceEpoch(year, month, day) - daysSinceEpoch(years, months, monthdays)
  const days = movedDays + amount('weeks') * 7 + amount('days')
  return moment + days * 86_400 + amount('hours') * 3600 + amount('minutes') * 60 + amount('seconds')
}
