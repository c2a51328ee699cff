/**
 * Who is behind each connection of the local socket. gRPC tells a call the address of its peer and nothing else of its connection; one on a Unix
 * socket has none, so that each is given a name here, by which its caller is found again.
 */
import type { Socket } from 'node:net'
import type { CallerIdentity } from './caller.ts'

/** Of all who are not root, at a time. */
export const mostConnections = 256

const isRoot = (caller: CallerIdentity): boolean => caller.kind === 'user' && caller.uid === 0

export class LocalCallers {
  readonly #identify: (socket: Socket) => CallerIdentity
  readonly #callers = new Map<string, CallerIdentity>()
  #last = 0

  constructor(identify: (socket: Socket) => CallerIdentity) {
    this.#identify = identify
  }

  /** False for one too many of a user who is not root. */
  note(socket: Socket): boolean {
    const caller = this.#identify(socket)
    if (!isRoot(caller) && this.#ofOthers() >= mostConnections) return false
    this.#last += 1
    const peer = `local-${this.#last}`
    Object.defineProperty(socket, 'remoteAddress', { value: peer })
    this.#callers.set(peer, caller)
    socket.once('close', () => this.#callers.delete(peer))
    return true
  }

  #ofOthers(): number {
    return [...this.#callers.values()].filter((caller) => !isRoot(caller)).length
  }

  of(peer: string): CallerIdentity | undefined {
    return this.#callers.get(peer)
  }
}
