/** The addresses at which something listens. One that is not there, or taken by another program, is tried again, and named as a trouble meanwhile. */
import { reasonOf } from '../../base/index.ts'
import type { Door } from '../../services/index.ts'
import { cannotListen } from '../host/cannot-listen.ts'

export interface Place {
  readonly host: string
  readonly port: number
}

interface Closable {
  readonly close: () => Promise<unknown>
}

export interface PlacesPorts {
  readonly open: (at: Place) => Promise<Closable>
  readonly onTroubles: () => void
}

const tryAgainMs = 1000

export function placesOf({ listen, port }: Door, ownAddresses: readonly string[]): readonly Place[] {
  const hosts = listen.flatMap((where) =>
    where === 'local' ? ['127.0.0.1'] : where === 'node' ? ownAddresses : [where],
  )
  return [...new Set(hosts)].map((host) => ({ host, port }))
}

class Listening {
  readonly #at: Place
  readonly #ports: PlacesPorts
  #server: Closable | undefined
  #timer: NodeJS.Timeout | undefined
  #isOver = false
  trouble: string | undefined

  constructor(at: Place, ports: PlacesPorts) {
    this.#at = at
    this.#ports = ports
  }

  async begin(): Promise<void> {
    let trouble: string | undefined
    try {
      const server = await this.#ports.open(this.#at)
      if (this.#isOver) await server.close()
      else this.#server = server
    } catch (error) {
      trouble = reasonOf(cannotListen(error, this.#at))
      if (!this.#isOver) this.#timer = setTimeout(() => void this.begin(), tryAgainMs)
    }
    if (trouble === this.trouble) return
    this.trouble = trouble
    this.#ports.onTroubles()
  }

  async close(): Promise<void> {
    this.#isOver = true
    clearTimeout(this.#timer)
    await this.#server?.close()
  }
}

export class Places {
  readonly #what: string
  readonly #ports: PlacesPorts
  readonly #listening = new Map<string, Listening>()

  /** `what`: in sentences for people. */
  constructor(what: string, ports: PlacesPorts) {
    this.#what = what
    this.#ports = ports
  }

  get troubles(): readonly string[] {
    return [...this.#listening.values()].flatMap(({ trouble }) =>
      trouble === undefined ? [] : [`${this.#what} of services cannot be asked everywhere: ${trouble}`],
    )
  }

  async use(wanted: readonly Place[]): Promise<void> {
    const keyOf = ({ host, port }: Place): string => `${host} ${port}`
    const keys = new Set(wanted.map(keyOf))
    const gone = [...this.#listening].filter(([key]) => !keys.has(key))
    for (const [key] of gone) this.#listening.delete(key)
    await Promise.all(gone.map(async ([, one]) => await one.close()))
    for (const place of wanted) {
      if (this.#listening.has(keyOf(place))) continue
      const one = new Listening(place, this.#ports)
      this.#listening.set(keyOf(place), one)
      await one.begin()
    }
    this.#ports.onTroubles()
  }
}
