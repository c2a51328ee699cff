/**
 * Who is behind each connection of the local socket. gRPC tells a call the address of its peer and nothing else of its connection; one on a Unix
 * socket has none, so that each is given a name here, by which its caller is found again.
 */
import type { Socket } from 'node:net'
import type { CallerIdentity } from './caller.ts'

export class LocalCallers {
  readonly #identify: (socket: Socket) => CallerIdentity
  readonly #callers = new Map<string, CallerIdentity>()
  #last = 0

  constructor(identify: (socket: Socket) => CallerIdentity) {
    this.#identify = identify
  }

  note(socket: Socket): Socket {
    this.#last += 1
    const peer = `local-${this.#last}`
    Object.defineProperty(socket, 'remoteAddress', { value: peer })
    this.#callers.set(peer, this.#identify(socket))
    socket.once('close', () => this.#callers.delete(peer))
    return socket
  }

  of(peer: string): CallerIdentity | undefined {
    return this.#callers.get(peer)
  }
}
