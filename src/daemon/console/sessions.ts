/**
 * Sessions of users of this host at its HTTPS API. They are this daemon's alone, and end with it, after half an hour without a call, or half a day after
 * the login. What is kept is a hash of what the user shows.
 */
import { createHash, randomBytes } from 'node:crypto'
import { refuse } from '../../rpc/index.ts'

export const sessionPrefix = 'session_'

const idleMs = 30 * 60_000
const longestMs = 12 * 3_600_000
const most = 1000
const mostOfUser = 20

interface Session {
  readonly user: string
  readonly endsAt: number
  usedAt: number
}

/** Times are milliseconds of a clock that nobody sets. */
export class Sessions {
  readonly #byHash = new Map<string, Session>()

  open(user: string, now: number): string {
    this.#forgetEnded(now)
    const own = [...this.#byHash].filter(([, session]) => session.user === user)
    const [oldest] = own.length >= mostOfUser ? own : this.#byHash.size >= most ? this.#byHash : []
    if (oldest !== undefined) this.#byHash.delete(oldest[0])
    const shown = `${sessionPrefix}${randomBytes(32).toString('base64url')}`
    this.#byHash.set(hashOf(shown), { user, endsAt: now + longestMs, usedAt: now })
    return shown
  }

  /** Whose it is. Being asked keeps it. */
  userOf(shown: string, now: number): string {
    this.#forgetEnded(now)
    const session = this.#byHash.get(hashOf(shown))
    if (session === undefined) throw refuse('no-session', 'This session has ended. Log in again.')
    session.usedAt = now
    return session.user
  }

  /** For how long it is there if it is used. */
  leftMs(shown: string, now: number): number {
    return (this.#byHash.get(hashOf(shown))?.endsAt ?? now) - now
  }

  close(shown: string): void {
    this.#byHash.delete(hashOf(shown))
  }

  #forgetEnded(now: number): void {
    for (const [hash, { endsAt, usedAt }] of this.#byHash)
      if (endsAt <= now || usedAt + idleMs <= now) this.#byHash.delete(hash)
  }
}

const hashOf = (shown: string): string => createHash('sha256').update(shown).digest('base64')
