/**
 * How much of unfinished requests a socket holds for callers who are not root, and from how many connections: whoever may open it could otherwise
 * fill the memory, or all descriptors, of the daemon before anybody asks what he may do. Each user has a share. Where all together have too much,
 * the largest request of the user who has most pays, so that what everybody else does goes on.
 */
export interface RoomBounds {
  readonly bytes: number
  readonly bytesOfUser: number
  readonly connections: number
  readonly connectionsOfUser: number
}

interface Held {
  readonly user: number
  bytes: number
}

export class RequestRoom<Connection extends { destroy(): void }> {
  readonly #bounds: RoomBounds
  readonly #held = new Map<Connection, Held>()

  constructor(bounds: RoomBounds) {
    this.#bounds = bounds
  }

  /** False where there are too many already. The connection is to be taken out when it is closed. */
  admit(connection: Connection, user: number): boolean {
    const ofUser = [...this.#held.values()].filter((held) => held.user === user)
    const { connections, connectionsOfUser } = this.#bounds
    if (this.#held.size >= connections || ofUser.length >= connectionsOfUser) return false
    this.#held.set(connection, { user, bytes: 0 })
    return true
  }

  leave(connection: Connection): void {
    this.#held.delete(connection)
  }

  /** So much of it is not finished now. */
  holds(connection: Connection, bytes: number): void {
    const held = this.#held.get(connection)
    if (held === undefined) return
    held.bytes = bytes
    if (this.#sum(held.user) > this.#bounds.bytesOfUser) this.#endLargest(held.user)
    else if (this.#sum() > this.#bounds.bytes) this.#endLargest(this.#largestUser())
  }

  #sum(user?: number): number {
    let sum = 0
    for (const held of this.#held.values()) if (user === undefined || held.user === user) sum += held.bytes
    return sum
  }

  #largestUser(): number | undefined {
    const users = [...new Set([...this.#held.values()].map(({ user }) => user))]
    return users.toSorted((a, b) => this.#sum(b) - this.#sum(a))[0]
  }

  #endLargest(user: number | undefined): void {
    const [largest] = [...this.#held].filter(([, held]) => held.user === user).sort(([, a], [, b]) => b.bytes - a.bytes)
    if (largest === undefined) return
    const [connection] = largest
    this.#held.delete(connection)
    connection.destroy()
  }
}
