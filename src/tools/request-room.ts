/**
 * How much of unfinished requests a socket holds for callers who are not root: whoever may open it could otherwise fill the memory, or all descriptors, of the daemon
 * before anybody asks what he may do. The largest request pays: the small ones of everybody else go on.
 */
import type { Socket } from 'node:net'

export const requestRoom = { bytes: 32 * 1024 * 1024, connections: 256 } as const

export class RequestRoom {
  readonly #held = new Map<Socket, number>()
  #bytes = 0

  /** False where there are too many already. */
  admit(socket: Socket): boolean {
    if (this.#held.size >= requestRoom.connections) return false
    this.#held.set(socket, 0)
    socket.once('close', () => {
      this.#bytes -= this.#held.get(socket) ?? 0
      this.#held.delete(socket)
    })
    return true
  }

  take(socket: Socket, bytes: number): void {
    const held = this.#held.get(socket)
    if (held === undefined) return
    this.#held.set(socket, held + bytes)
    this.#bytes += bytes
    if (this.#bytes > requestRoom.bytes) this.#endLargest()
  }

  #endLargest(): void {
    const [largest] = [...this.#held].sort(([, a], [, b]) => b - a)
    if (largest === undefined) return
    const [socket, bytes] = largest
    this.#bytes -= bytes
    this.#held.delete(socket)
    socket.destroy()
  }
}
