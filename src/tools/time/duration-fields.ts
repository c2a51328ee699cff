/** An ISO 8601 duration field by field: a month is added to a date as a month, whatever number of days it has. */
import { addDuration, utc } from '../../status/index.ts'

export interface Duration {
  readonly years: number
  readonly months: number
  readonly days: number
  readonly seconds: number
}

/** Undefined where the text is none. `T` may be left out before hours and seconds, as rules in old CIBs have it. */
export function parseDuration(text: string): Duration | undefined {
  const match = /^P(?=.)(?<date>(?:-?\d+[YMWDHS])*)(?:T(?<time>(?:-?\d+[YMWDHS])*))?$/.exec(text)
  if (match?.groups === undefined) return undefined
  const { date = '', time = '' } = match.groups
  const parts = [...amounts(date, false), ...amounts(time, true)]
  const sum = (field: keyof Duration): number =>
    parts.reduce((total, part) => total + (part.field === field ? part.amount : 0), 0)
  return { years: sum('years'), months: sum('months'), days: sum('days'), seconds: sum('seconds') }
}

/** Seconds since the epoch, that much later. */
export function later(seconds: number, duration: Duration): number {
  const texts = Object.entries(duration).map(([unit, amount]) => [unit, String(amount)] as const)
  return addDuration(seconds, Object.fromEntries(texts), { utcOffsetAt: utc })
}

export function negated({ years, months, days, seconds }: Duration): Duration {
  return { years: -years, months: -months, days: -days, seconds: -seconds }
}

interface Part {
  readonly field: keyof Duration
  readonly amount: number
}

const units: Readonly<Record<string, readonly [keyof Duration, number]>> = {
  Y: ['years', 1],
  W: ['days', 7],
  D: ['days', 1],
  H: ['seconds', 3600],
  S: ['seconds', 1],
}

/** `M` are months, and minutes after the `T`. */
function amounts(text: string, isTime: boolean): readonly Part[] {
  return [...text.matchAll(/(-?\d+)([YMWDHS])/g)].map(([, number, unit = '']) => {
    const [field, size] = units[unit] ?? (isTime ? (['seconds', 60] as const) : (['months', 1] as const))
    return { field, amount: Number(number) * size }
  })
}

/** `   1 year  2 months  3 days 14706 seconds (4 hours 5 minutes 6 seconds)`. */
export function describeDuration({ years, months, days, seconds }: Duration): string {
  const date = [
    years === 0 ? '' : `${counted(years, 'year', 4)} `,
    months === 0 ? '' : `${counted(months, 'month', 2)} `,
    days === 0 ? '' : `${counted(days, 'day', 2)} `,
  ].join('')
  if (seconds === 0 && date !== '') return date
  return `${date}${counted(seconds, 'second')}${Math.abs(seconds) < 60 ? '' : ` (${clockTime(seconds)})`}`
}

function clockTime(seconds: number): string {
  return [
    [Math.trunc(Math.abs(seconds) / 3600), 'hour'] as const,
    [Math.trunc(Math.abs(seconds) / 60) % 60, 'minute'] as const,
    // Of these it is always many.
    [Math.abs(seconds) % 60, 'seconds'] as const,
  ]
    .filter(([amount]) => amount !== 0)
    .map(([amount, unit]) => (unit === 'seconds' ? `${amount} seconds` : counted(amount, unit)))
    .join(' ')
}

function counted(amount: number, unit: string, width = 0): string {
  return `${String(amount).padStart(width)} ${unit}${amount === 1 ? '' : 's'}`
}
