/** A lock that a running command keeps: it is extended in time, and the command is ended before another can get it. */
import type { LocalClient, Messages } from '../../../rpc/index.ts'

type Asked = Messages['AcquireLockRequest'] & { readonly holder: string }

/** The command gets SIGTERM this long before the lock ends. It is gone after `killAfterMs` (run-child.ts) at the latest. */
const marginMs = 10_000
const patienceMs = 5_000

export class KeptLock {
  readonly #live: LocalClient
  readonly #asked: Asked
  readonly #end: () => void
  readonly #renewal: NodeJS.Timeout
  /** Until when it is certainly held, by this host's own clock. */
  #until: number
  #alarm: NodeJS.Timeout | undefined
  #trouble = 'the daemon did not answer'
  #lost: string | undefined

  constructor(live: LocalClient, asked: Asked, until: number, end: () => void) {
    this.#live = live
    this.#asked = asked
    this.#end = end
    this.#until = until
    this.#setAlarm()
    this.#renewal = setInterval(() => void this.#renew(), asked.ttlMs / 6)
  }

  /** The command has ended. Resolves to why the lock was lost before, if it was. */
  async stop(): Promise<string | undefined> {
    clearInterval(this.#renewal)
    clearTimeout(this.#alarm)
    const { name, user, holder } = this.#asked
    // One that cannot be released now ends by itself.
    await this.#live.releaseLock({ name, user, holder, force: false }, { timeoutMs: patienceMs }).catch(() => undefined)
    return this.#lost
  }

  async #renew(): Promise<void> {
    const sentAt = performance.now()
    try {
      const { outcome, lock } = await this.#live.acquireLock({ ...this.#asked, renew: true }, { timeoutMs: patienceMs })
      if (outcome !== 'renewed') return this.#lose(lock ? `${lock.owner} holds it now` : 'it was released or has ended')
      this.#until = sentAt + this.#asked.ttlMs
      this.#setAlarm()
    } catch (error) {
      this.#trouble = error instanceof Error ? error.message : String(error)
    }
  }

  #setAlarm(): void {
    clearTimeout(this.#alarm)
    const leftMs = Math.max(this.#until - marginMs - performance.now(), 0)
    this.#alarm = setTimeout(() => this.#lose(`it could not be extended: ${this.#trouble.replace(/\.$/, '')}`), leftMs)
  }

  #lose(why: string): void {
    this.#lost ??= why
    clearInterval(this.#renewal)
    this.#end()
  }
}
