/** DNS on one address: UDP and TCP. What a caller may hold open is bounded, and no answer waits for a caller who does not read. */
import { createSocket, type Socket as DatagramSocket } from 'node:dgram'
import { createServer, isIPv6, type Server, type Socket } from 'node:net'
import { ownerOfAddress } from '../../base/index.ts'
import { longestQuery } from './codec.ts'
import type { Caller } from './responder.ts'
import { readMessages, withLength } from './stream.ts'

export type Respond = (packet: Buffer, caller: Caller) => Buffer | undefined | Promise<Buffer | undefined>

export interface ListenPlace {
  readonly host: string
  readonly port: number
}

const mostConnections = 200
const mostOfAddress = 20
const idleMs = 10_000
/** Answers to a connection that does not take them. */
const mostUnread = 256 * 1024
/** Questions of one connection that others are asked for. */
const mostWaiting = 32

export class DnsListener {
  readonly #udp: DatagramSocket
  readonly #tcp: Server
  readonly #connections = new Map<Socket, string>()

  private constructor(udp: DatagramSocket, tcp: Server) {
    this.#udp = udp
    this.#tcp = tcp
  }

  static async open({ host, port }: ListenPlace, respond: Respond): Promise<DnsListener> {
    const six = isIPv6(host)
    const udp = createSocket({
      type: six ? 'udp6' : 'udp4',
      ipv6Only: six,
      recvBufferSize: 1024 * 1024,
      // Answers go to addresses, as the kernel names them: to look each of them up takes as long as to send it.
      lookup: (address, _family, found) => found(null, address, six ? 6 : 4),
    })
    const tcp = createServer({ noDelay: true })
    const listener = new DnsListener(udp, tcp)
    udp.on('message', (packet, { address, port: from }) => {
      if (from !== 0) listener.#reply(respond(packet, { address, tcp: false }), { address, port: from })
    })
    tcp.on('connection', (socket) => listener.#take(socket, respond))
    try {
      await new Promise<void>((resolve, reject) => {
        udp.once('error', reject)
        udp.bind({ address: host, port }, () => {
          udp.off('error', reject)
          resolve()
        })
      })
      await new Promise<void>((resolve, reject) => {
        tcp.once('error', reject)
        tcp.listen({ host, port, ipv6Only: six }, () => {
          tcp.off('error', reject)
          resolve()
        })
      })
    } catch (error) {
      udp.close()
      throw error
    }
    // Of a packet that cannot be sent, and of a connection that ended before it was accepted: no others are concerned.
    udp.on('error', () => undefined)
    tcp.on('error', () => undefined)
    return listener
  }

  async close(): Promise<void> {
    for (const socket of this.#connections.keys()) socket.destroy()
    await Promise.all([
      new Promise<void>((resolve) => this.#udp.close(() => resolve())),
      new Promise<void>((resolve) => this.#tcp.close(() => resolve())),
    ])
  }

  #reply(reply: ReturnType<Respond>, to: { readonly address: string; readonly port: number }): void {
    if (reply === undefined) return
    if (!Buffer.isBuffer(reply)) {
      void reply.then((bytes) => this.#reply(bytes, to))
      return
    }
    try {
      this.#udp.send(reply, to.port, to.address, () => undefined)
    } catch (error) {
      // It may have been closed while others were asked.
      if (!(error instanceof Error && 'code' in error && error.code === 'ERR_SOCKET_DGRAM_NOT_RUNNING')) throw error
    }
  }

  #take(socket: Socket, respond: Respond): void {
    const address = socket.remoteAddress
    const owner = ownerOfAddress(address ?? '')
    const ofAddress = [...this.#connections.values()].filter((other) => other === owner).length
    if (address === undefined || this.#connections.size >= mostConnections || ofAddress >= mostOfAddress) {
      socket.destroy()
      return
    }
    this.#connections.set(socket, owner)
    socket.on('error', () => undefined)
    socket.on('close', () => this.#connections.delete(socket))
    // Bytes that come one after the other do not prolong it: only whole questions do.
    let timer = setTimeout(() => socket.destroy(), idleMs)
    socket.on('close', () => clearTimeout(timer))
    let waiting = 0
    const write = (reply: Buffer | undefined): void => {
      if (reply === undefined || socket.writableLength > mostUnread) socket.destroy()
      else if (!socket.destroyed) socket.write(withLength(reply))
    }
    const read = readMessages((packet) => {
      clearTimeout(timer)
      timer = setTimeout(() => socket.destroy(), idleMs)
      if (socket.destroyed || waiting >= mostWaiting) {
        socket.destroy()
        return
      }
      const reply = respond(packet, { address, tcp: true })
      if (reply === undefined || Buffer.isBuffer(reply)) {
        write(reply)
        return
      }
      waiting++
      void reply.then((bytes) => {
        waiting--
        write(bytes)
      })
    }, longestQuery)
    socket.on('data', (data) => {
      if (!read(data)) socket.destroy()
    })
  }
}
