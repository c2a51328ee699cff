/**
 * Which connections a server goes on with, decided before anything is read or encrypted for them. A stranger costs an accept and a close; one who
 * comes again and again is left to the kernel for a while (socket-filter.ts), which costs nothing. Who is known by address has a share of
 * connections that strangers cannot take away.
 */
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { Server as TlsServer } from 'node:tls'
import { SocketFilter } from './socket-filter.ts'

export interface DoorRule {
  /** Addresses of the cluster's hosts, where they are known. */
  readonly known: readonly string[]
  /** Whether others are turned away. */
  readonly knownOnly: boolean
  /** How many strangers at a time, where that is another number than `doorLimits` has. */
  readonly mostStrangers?: number
}

export const openDoor: DoorRule = { known: [], knownOnly: false }

/** How many at a time. `unfinished`: that have not shown yet who they are. `strangers`: all of them together. */
export const doorLimits = { ofAddress: 64, unfinishedOfAddress: 16, strangers: 128, unfinishedStrangers: 32 } as const
/** In which TLS must be done. */
export const handshakeMs = 5000
/** New connections of a stranger's address in ten seconds; who has more is not heard for a minute. */
const mostInWindow = 100
const windowMs = 10_000
const shutOutMs = 60_000
const mostAddressesNoted = 1000

interface Counted {
  open: number
  unfinished: number
}

export interface GuardedServer {
  readonly port: number
  /** Who may connect from now on. */
  readonly replaceDoor: (rule: DoorRule) => void
  /** No new connections; those are ended that have not shown who they are. Resolves when all are gone. */
  readonly close: () => Promise<void>
}

/** Listens in the place of a TLS server, which gets those connections alone that the door lets in. */
export async function listenBehindDoor(
  tls: TlsServer,
  at: { readonly host: string | undefined; readonly port: number; readonly door?: DoorRule },
): Promise<GuardedServer> {
  const doorman = new Doorman(at.door ?? openDoor)
  const unfinished = new Map<string, { readonly socket: Socket; readonly finished: () => void }>()
  const server = createServer((socket) => {
    const admitted = doorman.admit(socket)
    if (admitted === undefined) return
    const end = endOf(socket)
    unfinished.set(end, { socket, ...admitted })
    // The port may have been used again by the time that this socket says that it is closed.
    socket.once('close', () => {
      if (unfinished.get(end)?.socket === socket) unfinished.delete(end)
    })
    tls.emit('connection', socket)
  })
  tls.prependListener('secureConnection', (socket) => {
    unfinished.get(endOf(socket))?.finished()
    unfinished.delete(endOf(socket))
  })
  // A stranger who fails the handshake concerns nobody.
  tls.on('tlsClientError', (_error, socket) => socket.destroy())
  server.listen(at.port, at.host)
  await once(server, 'listening')
  doorman.guard(server)
  // A server of HTTPS looks after slow requests from then on.
  tls.emit('listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : at.port,
    replaceDoor: (rule) => doorman.use(rule),
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      tls.close()
      for (const { socket } of unfinished.values()) socket.destroy()
      await closed
    },
  }
}

const endOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

class Doorman {
  #rule: DoorRule
  readonly #filter = ['off', 'process'].includes(process.env.SYSTOLE_FILTER ?? '') ? undefined : SocketFilter.open()
  readonly #byAddress = new Map<string, Counted>()
  readonly #strangers: Counted = { open: 0, unfinished: 0 }
  /** How many came from where in this window. */
  #recent = new Map<string, number>()
  #windowEnds = 0
  readonly #shutOut = new Map<string, NodeJS.Timeout>()
  #server: Server | undefined

  constructor(rule: DoorRule) {
    this.#rule = rule
  }

  /** Once it listens. */
  guard(server: Server): void {
    this.#server = server
    server.once('close', () => {
      for (const timer of this.#shutOut.values()) clearTimeout(timer)
    })
    this.#tellKernel()
  }

  use(rule: DoorRule): void {
    this.#rule = rule
    this.#tellKernel()
  }

  /** Closes it where it is one too many. `finished` is to be called when it has shown who it is. */
  admit(socket: Socket): { readonly finished: () => void } | undefined {
    const address = plainPeer(socket.remoteAddress)
    const isKnown = address !== undefined && this.#rule.known.includes(address)
    if (address === undefined || (this.#rule.knownOnly && !isKnown) || !this.#hasRoom(address, isKnown)) {
      // Closed at once, without the minute in which the kernel remembers a closed connection.
      socket.resetAndDestroy()
      if (address !== undefined && !isKnown) this.#noteRefused(address)
      return undefined
    }
    return this.#count(socket, address, isKnown)
  }

  #hasRoom(address: string, isKnown: boolean): boolean {
    const { open, unfinished } = this.#byAddress.get(address) ?? { open: 0, unfinished: 0 }
    if (open >= doorLimits.ofAddress || unfinished >= doorLimits.unfinishedOfAddress) return false
    if (isKnown) return true
    const comesAgain = (this.#inWindow().get(address) ?? 0) >= mostInWindow
    const { strangers, unfinishedStrangers } = doorLimits
    return (
      !comesAgain &&
      this.#strangers.open < (this.#rule.mostStrangers ?? strangers) &&
      this.#strangers.unfinished < unfinishedStrangers
    )
  }

  #count(socket: Socket, address: string, isKnown: boolean): { readonly finished: () => void } {
    const own = this.#byAddress.get(address) ?? { open: 0, unfinished: 0 }
    this.#byAddress.set(address, own)
    const counts = isKnown ? [own] : [own, this.#strangers]
    if (!isKnown) this.#noteComing(address)
    let isUnfinished = true
    for (const count of counts) {
      count.open++
      count.unfinished++
    }
    const finished = (): void => {
      if (!isUnfinished) return
      isUnfinished = false
      for (const count of counts) count.unfinished--
    }
    socket.once('close', () => {
      finished()
      for (const count of counts) count.open--
      if (own.open === 0) this.#byAddress.delete(address)
    })
    return { finished }
  }

  #inWindow(): Map<string, number> {
    const now = performance.now()
    if (now >= this.#windowEnds) {
      this.#windowEnds = now + windowMs
      this.#recent = new Map()
    }
    return this.#recent
  }

  #noteComing(address: string): number {
    const recent = this.#inWindow()
    const times = (recent.get(address) ?? 0) + 1
    if (recent.size < mostAddressesNoted || recent.has(address)) recent.set(address, times)
    return times
  }

  /** A connection stands behind each address: nobody can have another shut out by writing its address on packets. */
  #noteRefused(address: string): void {
    if (this.#noteComing(address) < mostInWindow || this.#rule.knownOnly || this.#shutOut.has(address)) return
    const again = setTimeout(() => {
      this.#shutOut.delete(address)
      this.#tellKernel()
    }, shutOutMs)
    again.unref()
    this.#shutOut.set(address, again)
    this.#tellKernel()
  }

  #tellKernel(): void {
    if (this.#server === undefined || this.#filter === undefined) return
    const { known, knownOnly } = this.#rule
    if (knownOnly) this.#filter.attach(this.#server, { kind: 'only', addresses: known })
    else this.#filter.attach(this.#server, { kind: 'without', addresses: [...this.#shutOut.keys()].slice(-30) })
  }
}

/** `::ffff:10.0.0.1` is how a socket of IPv6 calls 10.0.0.1. */
export function plainPeer(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*$/, '')
}
