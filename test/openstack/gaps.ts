/** From the answers that clients got: for how long a service was away, and whether a client that asks twice saw an error. */

export interface ServiceAnswer {
  readonly service: string
  /** Milliseconds since the epoch. */
  readonly asked: number
  readonly answered: number
  readonly ok: boolean
  readonly error?: string
}

/** Milliseconds since the epoch. */
export interface Gap {
  readonly from: number
  readonly to: number
}

/** The times between two good answers, and before the first and after the last, that are longer than `atLeastMs`. */
export function gaps(answers: readonly ServiceAnswer[], window: Gap, atLeastMs: number): readonly Gap[] {
  const good = answers.filter(({ ok }) => ok).map(({ answered }) => answered)
  const before = good.filter((time) => time <= window.from)
  const within = good.filter((time) => time > window.from && time < window.to).sort((a, b) => a - b)
  const times = [before.length === 0 ? window.from : Math.max(...before), ...within, window.to]
  return times
    .slice(1)
    .map((to, index) => ({ from: times[index] ?? to, to }))
    .filter(({ from, to }) => to - from > atLeastMs)
}

export function longestGapMs(answers: readonly ServiceAnswer[], window: Gap): number {
  return Math.max(0, ...gaps(answers, window, 0).map(({ from, to }) => to - from))
}

/** Failures of two tries in a row. */
export function failuresDespiteOneRetry(answers: readonly ServiceAnswer[], window: Gap): number {
  const asked = answers.filter(({ asked: time }) => time >= window.from && time < window.to)
  return asked.filter(({ ok }, index) => !ok && asked[index + 1]?.ok === false).length
}
