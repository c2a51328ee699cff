/**
 * How much of the main thread others than root have: one call is begun at a time, those of different users in turn, and after each comes a pause as
 * long as the thread was busy with it. What the cluster does comes in between, and a user who asks without end waits for himself.
 *
 * A call that waits for long (for an agent, the end of a transition) lets the next one begin. Not at once: of calls that wait for the same (the thread that
 * evaluates XPaths), all would go on in the same moment.
 */
import { performance } from 'node:perf_hooks'
import { setImmediate as afterOthers, setTimeout as delay } from 'node:timers/promises'
import { refuse } from './report.ts'

/** For a call that is not done by then, the next one does not wait any more. */
const patienceMs = 2000
/** An answer of nine seconds does not shut everybody out for as long. */
const longestPauseMs = 5000
/** A timer for each small piece would take longer than the piece. */
const worthWaitingMs = 3
/** Calls of a user that wait for their turn: a connection that is closed meanwhile takes its call back from nobody. */
const longestLine = 128

type Begin = () => Promise<void>

export class ThreadShare {
  readonly #patienceMs: number
  /** Whose turn comes next stands first. */
  readonly #lines = new Map<string | number, Begin[]>()
  #isGoing = false

  constructor(patience = patienceMs) {
    this.#patienceMs = patience
  }

  async take<Answer>(user: string | number, work: () => Promise<Answer>): Promise<Answer> {
    return await new Promise<Answer>((resolve, reject) => {
      const line = this.#lines.get(user) ?? []
      if (line.length >= longestLine)
        throw refuse('too-many-calls', 'This user has too many calls under way: wait for some of them.')
      line.push(async () => {
        const done = work().then(resolve, reject)
        const enough = new AbortController()
        const moment = delay(this.#patienceMs, undefined, { signal: enough.signal }).catch(() => undefined)
        await Promise.race([done, moment])
        enough.abort()
      })
      this.#lines.set(user, line)
      if (!this.#isGoing) void this.#go()
    })
  }

  async #go(): Promise<void> {
    this.#isGoing = true
    let owed = 0
    for (let begin = this.#next(); begin !== undefined; begin = this.#next()) {
      const before = busyMs()
      await begin()
      // The answer is written as well.
      await afterOthers()
      owed = Math.min(owed + busyMs() - before, longestPauseMs)
      if (owed < worthWaitingMs) continue
      await delay(owed, undefined, { ref: false })
      owed = 0
    }
    this.#isGoing = false
  }

  #next(): Begin | undefined {
    const [next] = this.#lines
    if (next === undefined) return undefined
    const [user, line] = next
    const begin = line.shift()
    this.#lines.delete(user)
    if (line.length > 0) this.#lines.set(user, line)
    return begin
  }
}

const busyMs = (): number => performance.eventLoopUtilization().active

/** There is one main thread. */
export const shareOfUsers = new ThreadShare()
