/** Holds of a running command: they are renewed while it runs. Should it die, the DC frees them soon after the last renewal, wherever it died. */
import { randomBytes } from 'node:crypto'
import type { LocalClient, Messages } from '../../rpc/index.ts'
import type { Call } from '../call/command.ts'

export type WantedHold = Messages['AcquireHoldsRequest']['holds'][number]

/** After its last renewal. With the time that the DC needs to see it, less than 30 s. */
const ttlMs = 20_000
const renewEveryMs = 4_000
const patienceMs = 4_000
const longestCommand = 200

export class KeptHolds {
  /** In which all of them are in force. */
  readonly revision: number
  readonly #live: LocalClient
  readonly #holder: string
  readonly #ids: readonly string[]
  readonly #user: string
  readonly #renewal: NodeJS.Timeout

  private constructor(
    live: LocalClient,
    made: { readonly holder: string; readonly user: string },
    answer: Messages['HoldsAnswer'],
  ) {
    this.#live = live
    this.#holder = made.holder
    this.#user = made.user
    this.#ids = answer.holds.map(({ id }) => id)
    this.revision = answer.revision
    this.#renewal = setInterval(() => void this.#renew(), renewEveryMs)
    this.#renewal.unref()
  }

  static async acquire(
    live: LocalClient,
    asked: { readonly holds: readonly WantedHold[]; readonly command: string; readonly user: string },
  ): Promise<KeptHolds> {
    const holder = randomBytes(8).toString('hex')
    const { holds, user } = asked
    const command = asked.command.slice(0, longestCommand)
    const answer = await live.acquireHolds({ holds, holder, ttlMs, command, user })
    return new KeptHolds(live, { holder, user }, answer)
  }

  /** Resolves to the revision in which they are gone; without one they end by themselves. */
  async release(): Promise<number | undefined> {
    clearInterval(this.#renewal)
    const asked = { ids: this.#ids, holder: this.#holder, user: this.#user, force: false }
    const { revision } = await this.#live.releaseHolds(asked, { timeoutMs: patienceMs }).catch(() => ({ revision: 0 }))
    return revision === 0 ? undefined : revision
  }

  /** One that fails is made up for by the next. */
  async #renew(): Promise<void> {
    const asked = { ids: this.#ids, holder: this.#holder }
    await this.#live.renewHolds(asked, { timeoutMs: patienceMs }).catch(() => undefined)
  }
}

/** Where a node of the cluster, or the daemon of this host, is of a version without holds. */
export function knowsNoHolds(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const unimplemented = 12
  return (
    ('code' in error && (error.code === 'older-nodes' || error.code === unimplemented)) ||
    /unimplemented/i.test(error.message)
  )
}

/** What a command is about, as it was typed, without the program's name. */
export const commandWords = ({ command, words }: Call): string => [...command.path, ...words].join(' ')
