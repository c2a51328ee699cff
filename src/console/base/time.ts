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

/**
 * A sentence with the moments that it names in the time of the reader, and how long ago they are now: whoever opens the page an hour later must not read that
 * something failed 2 s ago.
 */
export function withAges(sentence: string, now: number): string {
  return sentence.replace(/(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC \([^()]* ago\)/g, (_, day: string, time: string) => {
    const at = Date.parse(`${day}T${time}Z`)
    return `${momentOf(at, now)} (${amountOf((now - at) / 1000)} ago)`
  })
}

const [minute, hour, aDay] = [60, 3600, 86_400]

function amountOf(seconds: number): string {
  if (seconds < minute) return `${Math.max(0, Math.floor(seconds))} s`
  if (seconds < 2 * hour) return `${Math.floor(seconds / minute)} min`
  return seconds < 2 * aDay ? `${Math.floor(seconds / hour)} h` : `${Math.floor(seconds / aDay)} days`
}

export const dayOf = (ms: number): string => new Date(ms).toLocaleDateString()
