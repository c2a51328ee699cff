/** Moments as people read them: pure. */
import type { TimelineEvent } from '../../cli/index.ts'

export const timeOf = ({ at }: Pick<TimelineEvent, 'at'>): number => Date.parse(at)

/** In the time of the reader. */
export function clock(ms: number, isFine = false): string {
  const time = new Date(ms)
  const two = (number: number): string => String(number).padStart(2, '0')
  const seconds = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`
  return isFine ? `${seconds}.${Math.floor(time.getMilliseconds() / 100)}` : seconds
}

/** With the day where it is another one. */
export function momentOf(ms: number, now = Date.now()): string {
  return dayOf(ms) === dayOf(now) ? clock(ms) : `${dayOf(ms)} ${clock(ms)}`
}

export const dayOf = (ms: number): string => new Date(ms).toLocaleDateString()
