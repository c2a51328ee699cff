/** A daemon's way to another daemon. The connection is kept, and made again when it broke. */
import { checkServerIdentity, type PeerCertificate, type SecureContext } from 'node:tls'
import { type ChannelOptions, Client, type ServiceError, status } from '@grpc/grpc-js'
import { currentCredentials, FreshClient } from '../channel/index.ts'
import { callerOf } from './caller.ts'
import { encode } from './forms/codec.ts'
import { readMessage } from './forms/grpc.ts'
import { nodeService, witnessService } from './generated/systole.ts'
import type { Callers, CallOptions, Method, Service } from './method.ts'
import { NoAnswerError, RemoteFailureError, refusalIn, reportKey, UnreachableError } from './report.ts'
import { contextOf, type TlsIdentity, tlsName } from './tls-identity.ts'

export interface PeerAddress {
  /** The name that the peer's certificate must have. */
  readonly node: string
  readonly host: string
  readonly port: number
  /** By which the list of nodes knows it now; undefined where the list is of an older build, and the name counts. Absent: whoever has the name. */
  readonly keys?: () => readonly string[] | undefined
}

/** Asked at each handshake where it may change. */
export type OwnIdentity = TlsIdentity | (() => TlsIdentity)

interface Closable {
  readonly close: () => void
}

export type PeerClient = Callers<typeof nodeService> & Closable
export type WitnessClient = Callers<typeof witnessService> & Closable

const defaultTimeoutMs = 5000
/** As long as a pulse's connection has: a host that is up answers sooner, even when it is busy. */
const handshakeMs = 2000
/** With TCP before and HTTP/2 after it. */
const connectingMs = 3000

export const connectPeer = (peer: PeerAddress, identity: OwnIdentity): PeerClient =>
  connect(nodeService, peer, identity)

export const connectWitness = (witness: PeerAddress, identity: OwnIdentity): WitnessClient =>
  connect(witnessService, witness, identity)

function connect<S extends Service>(service: S, peer: PeerAddress, identity: OwnIdentity): Callers<S> & Closable {
  const client = new FreshClient(() => makeClient(peer, identity), connectingMs)
  const calls = Object.entries(service).map(([name, method]: [string, Method]) => [
    name,
    (request: never, options?: CallOptions) => unary(client.get(), peer, { method, request }, options),
  ])
  const close = (): void => client.close()
  return { ...Object.fromEntries(calls), close } as unknown as Callers<S> & Closable
}

function makeClient(peer: PeerAddress, identity: OwnIdentity): Client {
  const host = peer.host.includes(':') ? `[${peer.host}]` : peer.host
  const options: ChannelOptions = {
    // Certificates name nodes, so a connection can only reach the node that is meant, whatever its address.
    'grpc.ssl_target_name_override': tlsName(peer.node),
    'grpc.default_authority': tlsName(peer.node),
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.min_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 500,
    'grpc.enable_http_proxy': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.max_receive_message_length': 64 * 1024 * 1024,
    'grpc.keepalive_time_ms': 2000,
    'grpc.keepalive_timeout_ms': 2000,
  }
  const context = (): SecureContext => contextOf(typeof identity === 'function' ? identity() : identity)
  const verify = { checkServerIdentity: (name: string, shown: PeerCertificate) => whyNotPeer(peer, name, shown) }
  return new Client(`${host}:${peer.port}`, currentCredentials(context, handshakeMs, verify), options)
}

/** Its name is not enough: whoever has one of its former keys is not that node any more. */
export function whyNotPeer(
  { node, keys }: Pick<PeerAddress, 'node' | 'keys'>,
  name: string,
  shown: PeerCertificate,
): Error | undefined {
  const otherName = checkServerIdentity(name, shown)
  if (otherName !== undefined) return otherName
  const known = keys?.()
  if (known === undefined) return undefined
  const caller = callerOf(shown)
  return caller.kind === 'node' && known.includes(caller.key)
    ? undefined
    : new Error(`${node} shows a key that the list of nodes does not know it by`)
}

function unary(
  client: Client,
  peer: PeerAddress,
  { method, request }: { readonly method: Method; readonly request: never },
  options: CallOptions = {},
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const call = client.makeUnaryRequest(
      method.path,
      (value: never) => encode(method.request, value),
      (bytes: Buffer) => readMessage(method.response, bytes),
      request,
      { deadline: Date.now() + (options.timeoutMs ?? defaultTimeoutMs) },
      (error, response) => (error ? reject(errorOf(error, peer)) : resolve(response)),
    )
    options.signal?.addEventListener('abort', () => call.cancel(), { once: true })
  })
}

function errorOf(error: ServiceError, peer: PeerAddress): Error {
  const report = error.metadata?.get(reportKey)[0]
  if (report !== undefined) return refusalIn(report.toString())
  // There was no connection yet, so that nothing was sent.
  if (error.code === status.UNAVAILABLE || /Waiting for LB pick/.test(error.details))
    return new UnreachableError(`The daemon on ${peer.node} cannot be reached.`, hostAnswered(error), error)
  if (error.code === status.DEADLINE_EXCEEDED || error.code === status.CANCELLED)
    return new NoAnswerError(`The daemon on ${peer.node} did not answer in time.`, error)
  return new RemoteFailureError(`The daemon on ${peer.node} failed: ${error.details}`, { cause: error })
}

/** grpc-js has the system's word for it only in the text of the status. */
function hostAnswered(error: ServiceError): boolean {
  return /ECONNREFUSED|ECONNRESET|EPIPE|socket hang up|RST_STREAM|GOAWAY/i.test(error.details)
}

/** The call failed because whoever answered shows a certificate of an authority that this host does not believe. Only in the text as well. */
export const showsOtherAuthority = (error: unknown): boolean =>
  error instanceof UnreachableError &&
  /self-signed certificate|unable to (?:verify|get local issuer)|certificate signature failure/i.test(
    String((error.cause as Partial<ServiceError> | undefined)?.details),
  )
