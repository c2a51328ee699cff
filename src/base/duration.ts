/**
 * Durations as the CIB writes them: a number with an optional unit (`10`, `10s`, `500ms`, `5min`, `1h`, `100us`), or an
 * ISO 8601 duration (`PT1M30S`). A bare number counts seconds (Pacemaker Explained, "Time intervals").
 */
const unitMs: Readonly<Record<string, number>> = {
  '': 1000,
  s: 1000,
  sec: 1000,
  ms: 1,
  msec: 1,
  us: 0.001,
  usec: 0.001,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  hr: 3_600_000,
}

/** Milliseconds, or undefined where the text is no duration. Sub-millisecond values round down. */
export function parseDurationMs(text: string): number | undefined {
  const trimmed = text.trim()
  const simple = /^\+?(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(trimmed)
  if (simple) {
    const unit = unitMs[(simple[2] ?? '').toLowerCase()]
    return unit === undefined ? undefined : Math.floor(Number(simple[1]) * unit)
  }
  return parseIsoDurationMs(trimmed)
}

/** The `T` may be left out where only hours or seconds follow (`P10S`), as old CIBs have it. */
function parseIsoDurationMs(text: string): number | undefined {
  const match = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T?(?:(\d+)H)?(?:(?<=T.*)(\d+)M)?(?:(\d+)S)?)?$/.exec(
    text,
  )
  if (!match || text === 'P' || text.endsWith('T')) return undefined
  const [years, months, weeks, days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0))
  const wholeDays = (years ?? 0) * 365 + (months ?? 0) * 30 + (weeks ?? 0) * 7 + (days ?? 0)
  return (((wholeDays * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0)) * 1000
}

/** As it is written in the configuration: whole seconds as seconds. */
export const durationWord = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`)
