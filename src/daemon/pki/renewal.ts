/** Calls for the renewal of this node's certificate when it is due. */
import type { Log } from '../host/log.ts'
import { ownCertificates, renewalTime } from './certificates.ts'

/** Timers end after 24 days, and clocks are set: it is looked at again. */
const longestMs = 3_600_000
const shortestMs = 1000

export class Renewal {
  readonly #ports: { readonly pki: string; readonly log: Log; readonly renew: () => Promise<void> }
  #timer: NodeJS.Timeout | undefined

  constructor(ports: { readonly pki: string; readonly log: Log; readonly renew: () => Promise<void> }) {
    this.#ports = ports
  }

  /** `turn`: the node's place in the list of nodes. */
  plan(turn: number): void {
    this.cancel()
    const dueInMs = renewalTime(ownCertificates(this.#ports.pki).node, turn) - Date.now()
    const waitMs = Math.min(Math.max(dueInMs, shortestMs), longestMs)
    this.#timer = setTimeout(() => (dueInMs > longestMs ? this.plan(turn) : this.#renew(turn)), waitMs)
    this.#timer.unref()
  }

  cancel(): void {
    clearTimeout(this.#timer)
  }

  #renew(turn: number): void {
    const { log, renew } = this.#ports
    renew().catch((error: unknown) => {
      log.error('the certificate of this node could not be renewed yet', { error })
      this.#timer = setTimeout(() => this.plan(turn), longestMs)
      this.#timer.unref()
    })
  }
}
