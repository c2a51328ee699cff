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
  return format.replaceAll(
    /%([-_0^]?)(\d*)(:*[a-zA-Z%])/g,
    (whole, ...[flag = '', width = '', name = '']: readonly string[]) => {
      if (name === 'N') return fraction(moment.at, width === '' ? 9 : Number(width))
      const text = conversion(name, moment)
      return text === undefined ? whole : flagged(text, flag)
    },
  )
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

interface Parts extends Moment {
  readonly year: number
  readonly month: number
  readonly hour: number
  readonly hour12: number
  readonly weekday: number
  readonly dayName: string
  readonly monthName: string
}

function conversion(name: string, moment: Moment): string | undefined {
  const convert = Object.hasOwn(conversions, name) ? conversions[name] : undefined
  if (convert === undefined) return undefined
  const { local } = moment
  const [year, month, hour, weekday] = [
    local.getUTCFullYear(),
    local.getUTCMonth(),
    local.getUTCHours(),
    local.getUTCDay(),
  ]
  const hour12 = hour % 12 === 0 ? 12 : hour % 12
  const [dayName, monthName] = [days[weekday] ?? '', months[month] ?? '']
  return convert({ ...moment, year, month, hour, hour12, weekday, dayName, monthName })
}

const conversions: Readonly<Record<string, (parts: Parts) => string>> = {
  '%': () => '%',
  n: () => '\n',
  t: () => '\t',
  a: ({ dayName }) => dayName.slice(0, 3),
  A: ({ dayName }) => dayName,
  b: ({ monthName }) => monthName.slice(0, 3),
  h: ({ monthName }) => monthName.slice(0, 3),
  B: ({ monthName }) => monthName,
  c: (parts) => formatted('%a %b %e %H:%M:%S %Y', parts),
  C: ({ year }) => pad(Math.floor(year / 100)),
  d: ({ local }) => pad(local.getUTCDate()),
  D: (parts) => formatted('%m/%d/%y', parts),
  x: (parts) => formatted('%m/%d/%y', parts),
  e: ({ local }) => pad(local.getUTCDate(), 2, ' '),
  F: (parts) => formatted('%Y-%m-%d', parts),
  g: ({ local }) => pad(isoWeek(local).year % 100),
  G: ({ local }) => String(isoWeek(local).year),
  H: ({ hour }) => pad(hour),
  I: ({ hour12 }) => pad(hour12),
  j: ({ local }) => pad(dayOfYear(local), 3),
  k: ({ hour }) => pad(hour, 2, ' '),
  l: ({ hour12 }) => pad(hour12, 2, ' '),
  m: ({ month }) => pad(month + 1),
  M: ({ local }) => pad(local.getUTCMinutes()),
  p: ({ hour }) => (hour < 12 ? 'AM' : 'PM'),
  P: ({ hour }) => (hour < 12 ? 'am' : 'pm'),
  r: (parts) => formatted('%I:%M:%S %p', parts),
  R: (parts) => formatted('%H:%M', parts),
  s: ({ at }) => String(Math.floor(at / 1000)),
  S: ({ local }) => pad(local.getUTCSeconds()),
  T: (parts) => formatted('%H:%M:%S', parts),
  X: (parts) => formatted('%H:%M:%S', parts),
  u: ({ weekday }) => String(weekday === 0 ? 7 : weekday),
  U: ({ weekday, local }) => pad(Math.floor((dayOfYear(local) + 6 - weekday) / 7)),
  V: ({ local }) => pad(isoWeek(local).week),
  w: ({ weekday }) => String(weekday),
  W: ({ weekday, local }) => pad(Math.floor((dayOfYear(local) + 6 - ((weekday + 6) % 7)) / 7)),
  y: ({ year }) => pad(year % 100),
  Y: ({ year }) => String(year),
  z: ({ offset }) => zone(offset, ''),
  ':z': ({ offset }) => zone(offset, ':'),
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
