/** Which calls of the HTTPS API are written down: who writes many would otherwise push everything else out of the journal. Pure. */
import type { Happening } from './event.ts'

export type NotedCall = Extract<Happening, { kind: 'call' }>

export interface CallsNoted {
  /** When the same was written down last. */
  readonly last: ReadonlyMap<string, number>
  readonly minute: number
  readonly ofMinute: number
}

export const noCalls: CallsNoted = { last: new Map(), minute: 0, ofMinute: 0 }

/** The same call of the same user counts once in this time. */
const sameMs = 10_000
const mostOfMinute = 60

export function noteCall(
  noted: CallsNoted,
  call: NotedCall,
  now: number,
): { readonly noted: CallsNoted; readonly isWritten: boolean } {
  const minute = Math.floor(now / 60_000)
  const ofMinute = minute === noted.minute ? noted.ofMinute : 0
  const key = JSON.stringify([call.call, call.user, call.from, call.command])
  const before = noted.last.get(key)
  if (ofMinute >= mostOfMinute || (before !== undefined && now - before < sameMs))
    return { noted: { ...noted, minute, ofMinute }, isWritten: false }
  const last = new Map([...noted.last].filter(([, at]) => now - at < sameMs)).set(key, now)
  return { noted: { last, minute, ofMinute: ofMinute + 1 }, isWritten: true }
}
