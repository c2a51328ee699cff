/** Where the API listens: HTTPS on each address of the node, within bounds that hold before a request is looked at. */
import { constants, X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Duplex } from 'node:stream'
import { listenBehindDoor, openDoor, type TlsIdentity } from '../rpc/index.ts'
import type { Pages } from './console-pages.ts'
import { Problem } from './problem.ts'
import { ApiServer, type Clients, type Report } from './server.ts'

export interface Said {
  readonly port: number
  readonly addresses: readonly string[]
  readonly identity: TlsIdentity
  /** Of the administrator's own, to be shown instead: PEM, with what leads to an authority. */
  readonly own?: Pick<TlsIdentity, 'certificate' | 'key'> | undefined
  /** Clients are asked for a certificate; of these authorities TLS looks at the way to them. Absent: none is asked. */
  readonly clientAuthorities?: readonly string[] | undefined
}

/** What became of it. */
export type Tell = (message: {
  readonly kind: 'listening'
  readonly addresses: readonly string[]
  readonly trouble?: string
}) => void

/** A request is small, or slow on purpose. Streams and long commands are answers, which have no end here. */
const limits = {
  headersTimeout: 5000,
  requestTimeout: 15_000,
  keepAliveTimeout: 10_000,
  connectionsCheckingInterval: 500,
  handshakeTimeout: 5000,
  maxHeaderSize: 8192,
  // Whoever names none is told so, instead of being left without a word.
  requireHostHeader: false,
} as const
const mostStrangers = 512
const againMs = 1000

export class Web {
  readonly #api: ApiServer
  #open = new Map<string, { readonly server: Server; readonly close: () => Promise<void> }>()
  #turn: Promise<void> = Promise.resolve()
  #again: NodeJS.Timeout | undefined

  readonly #tell: Tell
  /** As the servers that are open do. */
  #asksClients = false

  constructor(
    clients: Clients,
    report: Report,
    { tell, pages, ...more }: { readonly tell: Tell; readonly pages: Pages; readonly commandWithinMs?: number },
  ) {
    this.#api = new ApiServer(clients, report, { version: process.env.SYSTOLE_VERSION ?? '', pages, ...more })
    this.#tell = tell
  }

  async close(): Promise<void> {
    clearTimeout(this.#again)
    await this.#turn
    this.#api.close()
    for (const { close } of this.#open.values()) await close()
  }

  obey(said: Said): void {
    clearTimeout(this.#again)
    this.#turn = this.#turn.then(async () => await this.#obey(said))
  }

  async #obey(said: Said): Promise<void> {
    const { port, addresses, identity } = said
    this.#api.authorities = certificatesIn(identity.authority).map((one) => new X509Certificate(one).fingerprint256)
    const wanted = addresses.map((host) => `${host} ${port}`)
    const asksClients = said.clientAuthorities !== undefined
    const isOtherwise = asksClients !== this.#asksClients
    this.#asksClients = asksClients
    for (const [at, { close }] of this.#open)
      if (isOtherwise || !wanted.includes(at)) {
        this.#open.delete(at)
        await close()
      }
    const shown = shownBy(said)
    const troubles: string[] = []
    for (const host of addresses) {
      const at = `${host} ${port}`
      const open = this.#open.get(at)
      if (open) open.server.setSecureContext(shown)
      else {
        const server = createServer({ ...shown, ...limits, ...(asksClients && asking) }, this.#api.answer)
        server.maxRequestsPerSocket = 10_000
        server.on('clientError', refuseUnreadable)
        server.on('connect', refuseTunnel)
        const listening = listenBehindDoor(server, { host, port, door: { ...openDoor, mostStrangers } })
        const closed = await listening.catch((error: unknown) => {
          troubles.push(
            `port ${port} of ${host} cannot be opened (${error instanceof Error ? error.message : String(error)})`,
          )
        })
        if (closed) this.#open.set(at, { server, close: async () => await end(server, closed.close) })
      }
    }
    // Such as the port of the process before this one, or an address that this host does not have yet.
    if (troubles.length > 0) this.#again = setTimeout(() => this.obey(said), againMs)
    this.#tell({
      kind: 'listening',
      addresses: [...this.#open.keys()].map((at) => at.replace(' ', ':')),
      ...(troubles.length > 0 && { trouble: `${troubles.join('; ')}.` }),
    })
  }
}

const certificatesIn = (bundle: string): readonly string[] =>
  bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []

/** HTTP that cannot be read, or does not come to its end. */
function refuseUnreadable(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const isSlow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const problem = isSlow
    ? new Problem(408, 'The request has not come to its end in time.')
    : error.code === 'HPE_HEADER_OVERFLOW'
      ? new Problem(431, 'The headers of the request are too long.')
      : new Problem(400, 'This is not a request of HTTP/1.1.')
  endWith(problem, socket)
}

/** Without this, the connection of whoever asks for a tunnel would end without a word. */
function refuseTunnel(_: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => socket.destroy())
  endWith(new Problem(405, 'This server leads to no other: CONNECT is not taken.'), socket)
}

function endWith(problem: Problem, socket: Duplex): void {
  const { status, title, ...rest } = problem.body() as { readonly status: number; readonly title: string }
  const body = JSON.stringify({ status, title, ...rest })
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nConnection: close\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}

async function end(server: Server, close: () => Promise<void>): Promise<void> {
  const closed = close()
  server.closeAllConnections()
  await closed
}

/** A client without a certificate, or with one that is not accepted, is answered in words. */
const asking = { requestCert: true, rejectUnauthorized: false } as const

function shownBy({ identity, own, clientAuthorities }: Said) {
  const { certificate, key, authority } = identity
  const shown =
    own === undefined ? { key, cert: `${certificate}\n${authority}` } : { key: own.key, cert: own.certificate }
  return {
    ...shown,
    minVersion: 'TLSv1.2',
    ...(clientAuthorities !== undefined && {
      ca: [...clientAuthorities],
      // A session that is taken up again would not show what leads to the authority.
      secureOptions: constants.SSL_OP_NO_TICKET,
    }),
  } as const
}
