/** HTTP as the setting wants it: Consul's paths, with answers that wait for a change, and a stream of events. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type MonotonicMs, monotonicMs, ownerOfAddress } from '../../base/index.ts'
import {
  agentChecks,
  agentSelf,
  agentServices,
  type ConsulSelf,
  catalogNode,
  catalogNodes,
  catalogService,
  catalogServices,
  eventOf,
  healthChecks,
  healthOfNode,
  healthService,
  healthState,
  statusLeader,
  statusPeers,
} from '../../services/index.ts'
import { monotonicNow } from '../host/clock.ts'
import { Allowance } from './allowance.ts'
import { type Callers, callersOf } from './callers.ts'
import { type Asked, type HttpRefusal, type HttpRequest, isRefusal, readRequest } from './http-request.ts'
import type { IndexedServices } from './indexed-services.ts'
import type { DiscoverySettings } from './messages.ts'
import { type Place, Places, placesOf } from './places.ts'
import { Unread } from './unread.ts'

const shares = { ofAddress: 500, ofAll: 5000, addresses: 10_000 }
const mostConnections = 1000
const mostOfAddress = 100
const mostWaiting = 2000
const mostUnread = 1024 * 1024
const keepAliveMs = 15_000
const patienceMs = 10_000

const noLeader: HttpRefusal = { status: 500, text: 'No cluster leader' }

interface Waiting {
  /** Looks whether there is something to say now. */
  readonly look: () => void
  readonly leave: () => void
}

interface Open {
  readonly settings: DiscoverySettings
  readonly callers: Callers
}

export class HttpDoor {
  readonly #services: IndexedServices
  readonly #places: Places
  readonly #allowance = new Allowance(shares)
  /** One of a connection at most. */
  readonly #waiting = new Map<Socket, Waiting>()
  readonly #sockets = new Set<Socket>()
  readonly #connections = new Map<string, number>()
  readonly #unread = new Unread()
  #open: Open | undefined
  #quorateUntil = monotonicMs(Number.NEGATIVE_INFINITY)

  constructor(services: IndexedServices, onTroubles: () => void) {
    this.#services = services
    this.#places = new Places('HTTP', { open: async (at) => await this.#listen(at), onTroubles })
  }

  get troubles(): readonly string[] {
    return this.#places.troubles
  }

  set quorateUntil(until: MonotonicMs) {
    this.#quorateUntil = until
  }

  async use(settings: DiscoverySettings): Promise<void> {
    const { http, hosts } = settings
    this.#open = http && { settings, callers: callersOf(http, hosts) }
    // Whoever is not answered any more hears no more either, also on what is open.
    for (const socket of [...this.#sockets])
      if (this.#open?.callers.isAnswered(socket.remoteAddress ?? '') !== true) socket.destroy()
    await this.#places.use(http ? placesOf(http, settings.ownAddresses) : [])
  }

  /** Something has changed. */
  look(): void {
    for (const { look } of [...this.#waiting.values()]) look()
  }

  async #listen({ host, port }: Place): Promise<{ readonly close: () => Promise<void> }> {
    const server = createServer(
      { maxHeaderSize: 8192, headersTimeout: patienceMs, requestTimeout: patienceMs, keepAliveTimeout: patienceMs },
      (request, response) => this.#answer(request, response),
    )
    server.maxConnections = mostConnections
    this.#count(server)
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port, ipv6Only: true }, () => {
        server.off('error', reject)
        resolve()
      })
    })
    server.on('error', () => undefined)
    return {
      close: async () => {
        server.closeAllConnections()
        await new Promise<void>((resolve) => server.close(() => resolve()))
      },
    }
  }

  #count(server: Server): void {
    server.on('connection', (socket) => {
      const address = ownerOfAddress(socket.remoteAddress ?? '')
      const count = (this.#connections.get(address) ?? 0) + 1
      this.#connections.set(address, count)
      this.#sockets.add(socket)
      socket.on('close', () => {
        this.#sockets.delete(socket)
        this.#unread.leave(socket)
        // A response behind another one of its connection is not told of the end.
        this.#waiting.get(socket)?.leave()
        const left = (this.#connections.get(address) ?? 1) - 1
        if (left === 0) this.#connections.delete(address)
        else this.#connections.set(address, left)
      })
      if (count > mostOfAddress) socket.destroy()
    })
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    // The answer would come behind one that waits, and a connection could have any number of them.
    const { socket } = request
    if (this.#waiting.has(socket) || !this.#unread.hasRoom(socket)) return void socket.destroy()
    const read = this.#read(request)
    if (isRefusal(read)) {
      this.#sendText(response, read)
      return
    }
    if (read.asked.kind === 'events') this.#stream(read.asked, response)
    else this.#answerOrWait(read, response)
  }

  /** What is asked for, where it may be. */
  #read({ method = '', url = '', socket }: IncomingMessage): HttpRequest | HttpRefusal {
    const address = socket.remoteAddress ?? ''
    if (this.#open === undefined) return { status: 503, text: 'This node no longer answers by HTTP.' }
    const { callers, settings } = this.#open
    if (!callers.isAnswered(address)) return { status: 403, text: 'This address is not among those that are answered.' }
    const allowed = this.#allowance.take(address, { now: monotonicNow(), isKnown: callers.isKnown(address) })
    if (allowed !== 'answer' || this.#waiting.size >= mostWaiting) return { status: 429, text: 'Too many requests.' }
    const read = readRequest({ method, url }, settings.clusterName)
    return isRefusal(read) || this.#maySay(read) ? read : noLeader
  }

  #maySay({ stale }: HttpRequest): boolean {
    return this.#services.known !== undefined && (stale || this.#hasQuorum)
  }

  get #hasQuorum(): boolean {
    return monotonicNow() < this.#quorateUntil
  }

  #source({ clusterName, self }: DiscoverySettings): ConsulSelf | undefined {
    const { known, indexOf } = this.#services
    if (known === undefined) return undefined
    const version = process.env.SYSTOLE_VERSION ?? ''
    return { ...known, datacenter: clusterName, indexOf, self, version, leader: this.#hasQuorum ? known.dc : undefined }
  }

  #indexOf(asked: Asked): number {
    if (asked.kind === 'services') return this.#services.namesIndex
    if (asked.kind === 'catalog' || asked.kind === 'health') return this.#services.indexOf(asked.service)
    return asked.kind === 'checks' ? this.#services.indexOf(asked.of) : this.#services.last
  }

  #answerOrWait(read: HttpRequest, response: ServerResponse): void {
    const answer = (): void => {
      if (this.#maySay(read)) this.#send(read, response)
      else this.#sendText(response, noLeader)
    }
    // Another number than this node's is another node's, or of before: it says nothing about what this one knows.
    if (read.index === undefined || read.index !== this.#indexOf(read.asked)) {
      answer()
      return
    }
    const { socket } = response.req
    const leave = (): void => {
      clearTimeout(timer)
      this.#waiting.delete(socket)
    }
    const end = (): void => {
      leave()
      answer()
    }
    const waiting: Waiting = {
      look: () => {
        if (this.#indexOf(read.asked) !== read.index) end()
      },
      leave,
    }
    const timer = setTimeout(end, read.waitMs)
    this.#waiting.set(socket, waiting)
  }

  #send({ asked, pretty }: HttpRequest, response: ServerResponse): void {
    const settings = this.#open?.settings
    const source = settings && this.#source(settings)
    if (settings === undefined || source === undefined) {
      this.#sendText(response, noLeader)
      return
    }
    const body = JSON.stringify(bodyOf(asked, source, this.#indexOf(asked)), null, pretty ? 4 : undefined)
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'X-Consul-Index': String(this.#indexOf(asked)),
      'X-Consul-KnownLeader': String(this.#hasQuorum),
      'X-Consul-LastContact': '0',
      'X-Content-Type-Options': 'nosniff',
    })
    this.#unread.end(response, body)
  }

  #sendText(response: ServerResponse, { status, text }: HttpRefusal): void {
    const allow = status === 405 ? { Allow: 'GET, HEAD' } : {}
    response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', ...allow })
    this.#unread.end(response, `${text}\n`)
  }

  /** The present state of the services first, then each that changes. */
  #stream({ service }: Extract<Asked, { readonly kind: 'events' }>, response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
    const seen = new Map<string, number>()
    const write = (text: string): void => {
      // Whoever does not read is not waited for.
      if (response.writableLength > mostUnread) response.destroy()
      else response.write(text)
    }
    const look = (): void => {
      const services = this.#services.known?.catalogue.services ?? []
      const here = services.filter(({ definition }) => service === undefined || definition.name === service)
      for (const one of here) {
        const { name } = one.definition
        const index = this.#services.indexOf(name)
        if (seen.get(name) === index) continue
        seen.set(name, index)
        write(`event: service\nid: ${index}\ndata: ${JSON.stringify(eventOf(one))}\n\n`)
      }
      for (const name of [...seen.keys()].filter((one) => !here.some(({ definition }) => definition.name === one))) {
        seen.delete(name)
        write(`event: removed\nid: ${this.#services.last}\ndata: ${JSON.stringify({ service: name })}\n\n`)
      }
    }
    const timer = setInterval(
      () => write(this.#hasQuorum ? ':\n\n' : 'event: without-quorum\ndata: {}\n\n'),
      keepAliveMs,
    )
    const { socket } = response.req
    const leave = (): void => {
      clearInterval(timer)
      this.#waiting.delete(socket)
    }
    this.#waiting.set(socket, { look, leave })
    look()
  }
}

function bodyOf(asked: Asked, source: ConsulSelf, index: number): unknown {
  const { self } = source
  const near = (node: string | undefined): string | undefined => (node === '_agent' ? self : node)
  switch (asked.kind) {
    case 'services':
      return catalogServices(source)
    case 'catalog':
      return catalogService(source, asked.service, { ...asked.wanted, near: near(asked.wanted.near) })
    case 'health':
      return healthService(source, asked.service, { ...asked.wanted, near: near(asked.wanted.near) })
    case 'nodes':
      return catalogNodes(source, index, near(asked.near))
    case 'node':
      return catalogNode(source, asked.of, index)
    case 'health-node':
      return healthOfNode(source, asked.of)
    case 'checks':
      return healthChecks(source, asked.of)
    case 'state':
      return healthState(source, asked.of)
    case 'agent-self':
      return agentSelf(source)
    case 'agent-checks':
      return agentChecks(source)
    case 'leader':
      return statusLeader(source)
    case 'peers':
      return statusPeers(source)
    case 'datacenters':
      return [source.datacenter]
    case 'agent':
    case 'events':
      return agentServices(source, self)
  }
}
