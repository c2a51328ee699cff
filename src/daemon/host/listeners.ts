/**
 * The same server on each address of this host that is wanted. One that the host does not have, as that of a network card which comes up late or
 * was taken away, is waited for, as Corosync does: it is tried again. Of several, one may fail for any reason, and the others serve meanwhile.
 */
import { reasonOf } from '../../base/index.ts'
import type { TlsIdentity } from '../../rpc/index.ts'
import { CannotListenError, cannotListen } from './cannot-listen.ts'

export interface ListenAt {
  readonly host: string
  readonly port: number
  /** What is heard at an address is heard on its link: with another number it is another place. */
  readonly link?: number
}

interface Closable {
  readonly close: () => unknown
  readonly endConnections?: () => void
  readonly replaceIdentity?: (identity: TlsIdentity) => void
}

const tryAgainMs = 1000

export class Listeners<At extends ListenAt> {
  readonly #open: (at: At) => Promise<Closable>
  readonly #onTrouble: (at: At, error: string) => void
  readonly #listening = new Map<string, Closable>()

  /** `onTrouble`: where one cannot be had and is tried again, once for each reason. */
  constructor(open: (at: At) => Promise<Closable>, onTrouble: (at: At, error: string) => void) {
    this.#open = open
    this.#onTrouble = onTrouble
  }

  /** Those that are not wanted any more are closed, with their connections. */
  async use(wanted: readonly At[]): Promise<void> {
    const keys = wanted.map(keyOf)
    const gone = [...this.#listening].filter(([key]) => !keys.includes(key))
    for (const [key] of gone) this.#listening.delete(key)
    await Promise.all(gone.map(async ([, { close }]) => await close()))
    const missing = wanted.filter((at) => !this.#listening.has(keyOf(at)))
    await Promise.all(missing.map(async (at) => await this.#listen(at, wanted.length === 1)))
  }

  async close(): Promise<void> {
    await this.use([])
  }

  /** Those that are open, on all addresses. */
  endConnections(): void {
    for (const { endConnections } of this.#listening.values()) endConnections?.()
  }

  /** For connections from now on, on all addresses. */
  replaceIdentity(identity: TlsIdentity): void {
    for (const { replaceIdentity } of this.#listening.values()) replaceIdentity?.(identity)
  }

  async #listen(at: At, isOnly: boolean): Promise<void> {
    let server: Closable | undefined
    let retry: NodeJS.Timeout | undefined
    let closed = false
    let lastTrouble = ''
    const attempt = async (): Promise<void> => {
      try {
        server = await this.#open(at)
        if (closed) await server.close()
      } catch (failure) {
        const error = cannotListen(failure, at)
        if (isOnly && !(error instanceof CannotListenError && error.lacksAddress)) throw error
        if (closed) return
        const trouble = reasonOf(error)
        if (trouble !== lastTrouble) this.#onTrouble(at, trouble)
        lastTrouble = trouble
        retry = setTimeout(() => void attempt(), tryAgainMs)
      }
    }
    this.#listening.set(keyOf(at), {
      endConnections: () => server?.endConnections?.(),
      replaceIdentity: (identity) => server?.replaceIdentity?.(identity),
      close: async () => {
        closed = true
        clearTimeout(retry)
        await server?.close()
      },
    })
    await attempt()
  }
}

const keyOf = ({ host, port, link }: ListenAt): string => `${host} ${port} ${link ?? ''}`
