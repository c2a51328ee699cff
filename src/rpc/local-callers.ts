/**
 * Who is behind each connection of the local socket, and how much of it a user who is not root may have. gRPC tells a call the address of its peer
 * and nothing else of its connection; one on a Unix socket has none, so that each is given a name here, by which its caller is found again.
 *
 * gRPC keeps a message that is not complete until it is, and an answer until it is read. What a connection holds is what has arrived on it, less the
 * calls that were complete, and the answers, less what was sent.
 */
import type { Socket } from 'node:net'
import { RequestRoom, type RoomBounds } from '../base/index.ts'
import type { CallerIdentity } from './caller.ts'

/** Of all who are not root. A configuration has 8 MiB at most. */
export const localRoom: RoomBounds = {
  bytes: 64 * 1024 * 1024,
  bytesOfUser: 24 * 1024 * 1024,
  connections: 256,
  connectionsOfUser: 64,
}
/** That are under way at a time, of one user. */
export const mostCalls = 64
/** That a user may begin together, and how many more in a second. */
export const mostBegun = 1000
const begunPerSecond = 200
/** In calls. */
const connectionIsWorth = 4
const lookMs = 50
/** Frames and headers of a call, which do not belong to its message. */
const besideMessageBytes = 512
/** All who are not known are one user. */
const nobody = -1
/** All who call the HTTPS API: its process bounds what they do, as each of them is not a user here. */
const web = -2
/** All whom the witness passes on. It is a host that nodes do not command, so that its process is not counted on: the bounds of a user hold here. */
const witness = -3

interface Connected {
  readonly socket: Socket
  readonly caller: CallerIdentity
  /** Of what has arrived, what belonged to complete calls. */
  done: number
  /** Bytes of all answers, read or not. */
  answers: number
}

export class LocalCallers {
  readonly #identify: (socket: Socket) => CallerIdentity
  readonly #connected = new Map<string, Connected>()
  readonly #room = new RequestRoom<Socket>(localRoom)
  readonly #calls = new Map<number, number>()
  readonly #beginnings = new Map<number, { readonly left: number; readonly at: number }>()
  #timer: NodeJS.Timeout | undefined
  #last = 0

  constructor(identify: (socket: Socket) => CallerIdentity) {
    this.#identify = identify
  }

  /** False for one too many of a user who is not root. */
  note(socket: Socket, caller = this.#identify(socket)): boolean {
    const user = userOf(caller)
    if (isBounded(user) && (this.#spend(user, connectionIsWorth) < 0 || !this.#room.admit(socket, user))) return false
    this.#last += 1
    const peer = `local-${this.#last}`
    Object.defineProperty(socket, 'remoteAddress', { value: peer })
    // A witness's has one, which gRPC would add to the name.
    Object.defineProperty(socket, 'remotePort', { value: undefined })
    this.#connected.set(peer, { socket, caller, done: 0, answers: 0 })
    socket.once('close', () => this.#left(peer, socket))
    if (isBounded(user)) this.#timer ??= setInterval(() => this.#look(), lookMs).unref()
    return true
  }

  of(peer: string): CallerIdentity | undefined {
    return this.#connected.get(peer)?.caller
  }

  /** A call has begun, whatever becomes of it: to begin one and to take it back costs its sender thirty bytes, and this thread a call. */
  begun(peer: string): void {
    const connected = this.#connected.get(peer)
    if (connected === undefined) return
    const user = userOf(connected.caller)
    if (isBounded(user) && this.#spend(user, 1) < 0) connected.socket.destroy()
  }

  /** What is left of the calls that a user may begin. */
  #spend(user: number, calls: number): number {
    const now = performance.now()
    const { left, at } = this.#beginnings.get(user) ?? { left: mostBegun, at: now }
    const filled = Math.min(mostBegun, left + ((now - at) * begunPerSecond) / 1000)
    this.#beginnings.set(user, { left: filled - calls, at: now })
    return filled - calls
  }

  /** A call with a message of so many bytes is complete. Undefined: its user has too many under way; else what to do when it has ended. */
  begin(peer: string, bytes: number): (() => void) | undefined {
    const connected = this.#connected.get(peer)
    if (connected === undefined) return () => undefined
    const { socket, caller, done } = connected
    connected.done = Math.min(socket.bytesRead, done + bytes + besideMessageBytes)
    const user = userOf(caller)
    const calls = this.#calls.get(user) ?? 0
    if (isBounded(user) && calls >= mostCalls) return undefined
    this.#calls.set(user, calls + 1)
    return () => this.#calls.set(user, (this.#calls.get(user) ?? 1) - 1)
  }

  /** One of so many bytes goes out on it. */
  answers(peer: string, bytes: () => number): void {
    const connected = this.#connected.get(peer)
    if (connected !== undefined && isBounded(userOf(connected.caller))) connected.answers += bytes()
  }

  #left(peer: string, socket: Socket): void {
    this.#connected.delete(peer)
    this.#room.leave(socket)
    if (this.#connected.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #look(): void {
    for (const { socket, caller, done, answers } of this.#connected.values())
      if (isBounded(userOf(caller)))
        this.#room.holds(socket, socket.bytesRead - done + Math.max(0, answers - socket.bytesWritten))
  }
}

export const userOf = (caller: CallerIdentity): number =>
  caller.kind === 'user' ? caller.uid : caller.kind !== 'web' ? nobody : caller.through === undefined ? web : witness

const isBounded = (user: number): boolean => user !== 0 && user !== web

/** The daemon's own user is as root to it. */
export const isOwnOrRoot = (caller: CallerIdentity): boolean =>
  caller.kind === 'user' && (caller.uid === 0 || caller.uid === process.getuid?.())
