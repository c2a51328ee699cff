/**
 * Answers that callers do not read. Node.js keeps them, any number behind each other on a connection, and this thread has little memory: whoever asks on
 * and on without reading would end it, and DNS with it.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const mostOfConnection = 1024 * 1024
const mostOfAll = 64 * 1024 * 1024
/** What Node.js has of an answer besides. */
const besideBody = 16 * 1024

export class Unread {
  readonly #bytes = new Map<Socket, number>()
  #all = 0

  /** Whether another answer may stand behind those. */
  hasRoom(socket: Socket): boolean {
    return (this.#bytes.get(socket) ?? 0) <= mostOfConnection
  }

  end(response: ServerResponse, body: string): void {
    const { socket } = response.req
    const bytes = Buffer.byteLength(body) + besideBody
    if (!socket.destroyed) this.#change(socket, bytes)
    response.end(body, () => this.#bytes.has(socket) && this.#change(socket, -bytes))
    if (this.#all > mostOfAll) this.#endLargest()
  }

  leave(socket: Socket): void {
    this.#all -= this.#bytes.get(socket) ?? 0
    this.#bytes.delete(socket)
  }

  #change(socket: Socket, by: number): void {
    this.#bytes.set(socket, (this.#bytes.get(socket) ?? 0) + by)
    this.#all += by
  }

  #endLargest(): void {
    const [largest] = [...this.#bytes].sort(([, a], [, b]) => b - a)
    if (largest === undefined) return
    this.leave(largest[0])
    largest[0].destroy()
  }
}
