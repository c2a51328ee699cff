/** One etcd member as a client sees it: a channel, calls with a deadline, streams. It retries nothing; attempts.ts does. */
import { isIP } from 'node:net'
import { checkServerIdentity, createSecureContext, type PeerCertificate, type SecureContext } from 'node:tls'
import {
  type ChannelCredentials,
  Client,
  type ClientDuplexStream,
  connectivityState,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js'
import { currentCredentials, FreshClient } from '../../channel/index.ts'
import type { EndpointAddress } from '../port/endpoint-address.ts'
import type { Method } from './api.ts'

export type { EndpointAddress } from '../port/endpoint-address.ts'

export interface TlsFiles {
  readonly ca?: Buffer
  readonly certificate?: Buffer
  readonly key?: Buffer
  /** As the files are now: what connects anew shows the certificate of then. The same object as long as nothing has changed. */
  readonly now?: () => TlsFiles
}

export interface PendingCall<Response> {
  readonly answer: Promise<Response>
  readonly cancel: () => void
}

const channelOptions = {
  'grpc.initial_reconnect_backoff_ms': 50,
  'grpc.min_reconnect_backoff_ms': 50,
  'grpc.max_reconnect_backoff_ms': 200,
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  'grpc.enable_retries': 0,
  'grpc.service_config_disable_resolution': 1,
  // Clients in several threads and tests must not share a connection: one that hangs would hang all.
  'grpc.use_local_subchannel_pool': 1,
  // A member whose host lost its power closes nothing. etcd refuses clients that ask more often than every 5 s.
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 3000,
}

const handshakeMs = 2000
/** With TCP before and HTTP/2 after it. */
const connectingMs = 3000

export class Endpoint {
  /** `host:port`. */
  readonly address: string
  readonly #client: FreshClient

  constructor(endpoint: EndpointAddress, tls: TlsFiles | undefined) {
    this.address = typeof endpoint === 'string' ? endpoint : endpoint.address
    const host = new URL(`https://${this.address}`).hostname.replace(/^\[|\]$/g, '')
    const byAddress = typeof endpoint === 'string' && isIP(host) !== 0
    const serverName = typeof endpoint === 'string' ? (byAddress ? nobodysName : undefined) : endpoint.serverName
    const secrets = channelCredentials(tls, byAddress ? host : '')
    const options = {
      ...channelOptions,
      ...(serverName === undefined ? {} : { 'grpc.ssl_target_name_override': serverName }),
    }
    this.#client = new FreshClient(() => new Client(this.address, secrets, options), connectingMs)
  }

  call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    deadlineMs?: number,
  ): PendingCall<Response> {
    let cancel: () => void = () => undefined
    const answer = new Promise<Response>((resolve, reject) => {
      const call = this.#client
        .get()
        .makeUnaryRequest(
          method.path,
          method.encode,
          method.decode,
          request,
          new Metadata(),
          deadlineMs === undefined ? {} : { deadline: Date.now() + deadlineMs },
          (error, response) => {
            if (error !== null) reject(error)
            else if (response === undefined) reject(new Error(`${this.address} answered ${method.path} with nothing`))
            else resolve(response)
          },
        )
      cancel = () => call.cancel()
    })
    return { answer, cancel: () => cancel() }
  }

  /** One request on a stream that is ended at once, one answer: how a lease is kept alive. */
  exchange<Request, Response>(method: Method<Request, Response>, request: Request): PendingCall<Response> {
    const stream = this.stream(method, { hasLeader: false })
    const answer = new Promise<Response>((resolve, reject) => {
      stream.on('data', resolve)
      stream.on('error', reject)
      stream.on('end', () => reject(new Error(`${this.address} ended ${method.path} without an answer`)))
    })
    stream.write(request)
    stream.end()
    return { answer, cancel: () => stream.cancel() }
  }

  /** With `hasLeader`, a member that has lost its leader ends the stream instead of going silent. */
  stream<Request, Response>(
    method: Method<Request, Response>,
    options: { readonly hasLeader: boolean },
  ): ClientDuplexStream<Request, Response> {
    const metadata = new Metadata()
    if (options.hasLeader) metadata.set('hasleader', 'true')
    return this.#client.get().makeBidiStreamRequest(method.path, method.encode, method.decode, metadata)
  }

  /** Whether the connection is up; it is made where it is not. */
  isReady(): boolean {
    return this.#client.get().getChannel().getConnectivityState(true) === connectivityState.READY
  }

  close(): void {
    this.#client.close()
  }
}

/** TLS knows no server names that are addresses. Who is reached by its address is asked for under this one, and must show the address. */
const nobodysName = 'address.invalid'

/** Read once for all members that have names: it takes 10 ms. */
const readCredentials = new WeakMap<TlsFiles, Map<string, ChannelCredentials>>()

/** `address`: what the certificate must be made out to instead of a name; empty for a name. */
function channelCredentials(tls: TlsFiles | undefined, address: string): ChannelCredentials {
  if (tls === undefined) return credentials.createInsecure()
  const all = readCredentials.get(tls) ?? new Map<string, ChannelCredentials>()
  readCredentials.set(tls, all)
  const read = all.get(address)
  if (read) return read
  const verify =
    address === ''
      ? {}
      : { checkServerIdentity: (_: string, shown: PeerCertificate) => checkServerIdentity(address, shown) }
  const current = currentCredentials(() => contextOf(tls.now?.() ?? tls), handshakeMs, verify)
  all.set(address, current)
  return current
}

const contexts = new WeakMap<TlsFiles, SecureContext>()

function contextOf(tls: TlsFiles): SecureContext {
  const { ca, key, certificate: cert } = tls
  const context = contexts.get(tls) ?? createSecureContext({ ca, key, cert })
  contexts.set(tls, context)
  return context
}

export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && 'details' in error
}

/** What a failed call means for the next step. */
export type CallFailure =
  /** Nothing left this machine: the member was not reached. */
  | 'not-sent'
  /** Sent, and perhaps carried out. */
  | 'unknown'
  | 'lease-not-found'
  | 'lease-exists'
  | 'no-space'
  | 'too-large'
  /** Refused for good: wrong certificate, unknown method, invalid request. */
  | 'refused'

export function meaningOf(error: unknown): CallFailure {
  if (!isServiceError(error)) return 'unknown'
  const text = error.details
  if (text.includes('requested lease not found')) return 'lease-not-found'
  if (text.includes('lease already exists')) return 'lease-exists'
  if (text.includes('database space exceeded')) return 'no-space'
  if (text.includes('request is too large') || text.includes('too many operations')) return 'too-large'
  switch (error.code) {
    case status.UNAVAILABLE:
      return /No connection established|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/.test(text) ? 'not-sent' : 'unknown'
    case status.INVALID_ARGUMENT:
    case status.PERMISSION_DENIED:
    case status.UNAUTHENTICATED:
    case status.UNIMPLEMENTED:
      return 'refused'
    default:
      return 'unknown'
  }
}
