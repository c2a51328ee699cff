/** A moment in a format of `date(1)`, as the meta-attribute `timestamp-format` has it: `%H:%M:%S.%06N`. */
import type { UtcOffsetAt } from '../status/index.ts'

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const

interface Moment {
  /** Its UTC fields are the local time. */
  readonly local: Date
  readonly at: number
  readonly offset: number
}

/** `at`: milliseconds since the epoch. What is no conversion stays as it is. */
export function formatTimestamp(format: string, at: number, utcOffsetAt: UtcOffsetAt): string {
  const offset = utcOffsetAt(Math.floor(at / 1000))
  return formatted(format, { at, offset, local: new Date(at + offset * 1000) })
}

function formatted(format: string, moment: Moment): string {
  return format.replaceAll(/%([-_0^]?)(\d*)(:*[a-zA-Z%])/g, (whole, flag: string, width: string, name: string) => {
    if (name === 'N') return fraction(moment.at, width === '' ? 9 : Number(width))
    const text = conversion(name, moment)
    return text === undefined ? whole : flagged(text, flag)
  })
}

function flagged(text: string, flag: string): string {
  if (flag === '^') return text.toUpperCase()
  if (flag === '-') return text.replace(/^[0 ]+(?=\d)/, '')
  return flag === '_' ? text.replace(/^0+(?=\d)/, (zeros) => ' '.repeat(zeros.length)) : text
}

function fraction(at: number, digits: number): string {
  const ms = String(Math.floor(at) % 1000).padStart(3, '0')
  return ms.padEnd(9, '0').slice(0, Math.max(1, Math.min(9, digits)))
}

const pad = (value: number, width = 2, fill = '0'): string => String(value).padStart(width, fill)

function conversion(name: string, moment: Moment): string | undefined {
  const { local, at, offset } = moment
  const again = (format: string): string => formatted(format, moment)
  const [year, month, hour] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCHours()]
  const weekday = local.getUTCDay()
  const [dayName, monthName] = [days[weekday] ?? '', months[month] ?? '']
  const hour12 = hour % 12 === 0 ? 12 : hour % 12
  switch (name) {
    case '%':
      return '%'
    case 'n':
      return '\n'
    case 't':
      return '\t'
    case 'a':
      return dayName.slice(0, 3)
    case 'A':
      return dayName
    case 'b':
    case 'h':
      return monthName.slice(0, 3)
    case 'B':
      return monthName
    case 'c':
      return again('%a %b %e %H:%M:%S %Y')
    case 'C':
      return pad(Math.floor(year / 100))
    case 'd':
      return pad(local.getUTCDate())
    case 'D':
    case 'x':
      return again('%m/%d/%y')
    case 'e':
      return pad(local.getUTCDate(), 2, ' ')
    case 'F':
      return again('%Y-%m-%d')
    case 'g':
      return pad(isoWeek(local).year % 100)
    case 'G':
      return String(isoWeek(local).year)
    case 'H':
      return pad(hour)
    case 'I':
      return pad(hour12)
    case 'j':
      return pad(dayOfYear(local), 3)
    case 'k':
      return pad(hour, 2, ' ')
    case 'l':
      return pad(hour12, 2, ' ')
    case 'm':
      return pad(month + 1)
    case 'M':
      return pad(local.getUTCMinutes())
    case 'p':
      return hour < 12 ? 'AM' : 'PM'
    case 'P':
      return hour < 12 ? 'am' : 'pm'
    case 'r':
      return again('%I:%M:%S %p')
    case 'R':
      return again('%H:%M')
    case 's':
      return String(Math.floor(at / 1000))
    case 'S':
      return pad(local.getUTCSeconds())
    case 'T':
    case 'X':
      return again('%H:%M:%S')
    case 'u':
      return String(weekday === 0 ? 7 : weekday)
    case 'U':
      return pad(Math.floor((dayOfYear(local) + 6 - weekday) / 7))
    case 'V':
      return pad(isoWeek(local).week)
    case 'w':
      return String(weekday)
    case 'W':
      return pad(Math.floor((dayOfYear(local) + 6 - ((weekday + 6) % 7)) / 7))
    case 'y':
      return pad(year % 100)
    case 'Y':
      return String(year)
    case 'z':
      return zone(offset, '')
    case ':z':
      return zone(offset, ':')
    default:
      return undefined
  }
}

function zone(offset: number, between: string): string {
  const minutes = Math.abs(Math.trunc(offset / 60))
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}${between}${pad(minutes % 60)}`
}

const dayMs = 86_400_000

function dayOfYear(local: Date): number {
  return Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0, 1)) / dayMs) + 1
}

/** The week whose Thursday is in the year. */
function isoWeek(local: Date): { readonly year: number; readonly week: number } {
  const thursday = new Date(local.getTime() + (3 - ((local.getUTCDay() + 6) % 7)) * dayMs)
  return { year: thursday.getUTCFullYear(), week: Math.floor((dayOfYear(thursday) - 1) / 7) + 1 }
}
