import { type Client, connectivityState } from '@grpc/grpc-js'

/** A client that is replaced by another one where its connection has not come about for too long, whatever it waits for. */
export class FreshClient {
  readonly #make: () => Client
  readonly #limitMs: number
  #client: Client
  #watched: Client | undefined
  #closed = false

  constructor(make: () => Client, limitMs: number) {
    this.#make = make
    this.#limitMs = limitMs
    this.#client = make()
  }

  /** For the next call. */
  get(): Client {
    if (!this.#closed && this.#watched !== this.#client) this.#watch(this.#client)
    return this.#client
  }

  close(): void {
    this.#closed = true
    this.#client.close()
  }

  /** As long as it is about to be connected. */
  #watch(client: Client): void {
    const channel = client.getChannel()
    const state = channel.getConnectivityState(true)
    const isOnTheWay = state === connectivityState.IDLE || state === connectivityState.CONNECTING
    this.#watched = isOnTheWay ? client : undefined
    if (!isOnTheWay) return
    channel.watchConnectivityState(state, Date.now() + this.#limitMs, (overdue) => {
      if (this.#closed || this.#client !== client) return
      if (overdue && state === connectivityState.CONNECTING) this.#replace()
      else this.#watch(client)
    })
  }

  /** Calls that are under way go on; those that still wait for the connection fail, unsent. */
  #replace(): void {
    const before = this.#client
    this.#watched = undefined
    this.#client = this.#make()
    before.close()
  }
}
