/** Moments as people read them. */

/** `2026-11-20 12:00:00 UTC`: the same text wherever it is read. */
export function isoTime(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** `2026-11-20 12:00:00 UTC (20 min ago)`: at three in the morning nobody subtracts. */
export function momentSeen(seconds: number, now: number): string {
  const away = Math.abs(now - seconds)
  const [unit, name] =
    away < 120 ? [1, 's'] : away < 7200 ? [60, 'min'] : away < 172_800 ? [3600, 'h'] : [86_400, 'days']
  const amount = `${Math.floor(away / unit)} ${name}`
  return `${isoTime(seconds)} (${seconds > now ? `in ${amount}` : `${amount} ago`})`
}
