/** Serves typed handlers over gRPC: on TCP with mutual TLS, or on a Unix socket whose file permissions are the lock. */

import type { EventEmitter } from 'node:events'
import { chmodSync, chownSync, rmSync } from 'node:fs'
import { createServer, isIP, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import {
  type ConnectionInjector,
  Metadata,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServerOptions,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type StatusObject,
  type sendUnaryData,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { OutsideError } from '../base/index.ts'
import { type CallRule, ruleOf } from './call-rules.ts'
import { type CallerIdentity, callerOf, type NodeCaller } from './caller.ts'
import type { DoorRule } from './doorman.ts'
import { decode, encode } from './forms/codec.ts'
import { longestMessage, readMessage } from './forms/grpc.ts'
import { BadMessageError } from './forms/words.ts'
import { haclientGroup } from './haclient-group.ts'
import { isOwnOrRoot, LocalCallers, userOf } from './local-callers.ts'
import type { CallContext, Method, Service } from './method.ts'
import type { PeerCredentials } from './peer-credentials.ts'
import { RefusedError, refuse, reportKey } from './report.ts'
import { shareOfUsers } from './thread-share.ts'
import type { TlsIdentity } from './tls-identity.ts'
import { serveTls } from './tls-server.ts'
import { uncompressed } from './uncompressed.ts'
import { fromKey, relayProtocol, tokenKey } from './web-metadata.ts'

export interface GrpcServer {
  readonly close: () => Promise<void>
  /** Every connection is made anew by whoever may: what was called before is given some time to end, and each call from now on is asked for again who makes it. */
  readonly endConnections: () => void
  readonly port: number
  readonly replaceDoor: (door: DoorRule) => void
  /** For connections from now on. */
  readonly replaceIdentity: (identity: TlsIdentity) => void
}

export interface LocalServer extends Pick<GrpcServer, 'close'> {
  /** A connection of the process of the HTTPS API, whose calls say who has called it. `through`: of the witness of this name, which passes on what it is asked. */
  readonly serveWeb: (socket: Socket, through?: string) => void
  /** Ends all connections of a witness. */
  readonly endRelays: () => void
}

export interface ServedMethods {
  readonly service: Service
  /** By the method's name; a Handlers<typeof service>. */
  readonly handlers: Readonly<Record<string, unknown>>
}

/** Throws a RefusedError for a node that may not call: whether it is a member, the daemon knows. `path`: of the call, where there is one already. */
export type Admit = (caller: NodeCaller, path?: string) => Promise<void>

/** What a handler threw besides a refusal: for the log. */
export type OnFailure = (method: string, error: unknown) => void

export async function serveTcp(
  options: {
    readonly host: string
    readonly port: number
    readonly identity: TlsIdentity
    readonly admit: Admit
    /** Whether somebody may call, as far as this host knows now. Absent: everybody with a certificate. */
    readonly knows?: (caller: NodeCaller) => boolean
    /** Who is known by address; the others are strangers, who may knock as well. */
    readonly door?: DoorRule
    /** A witness that passes on calls of its HTTPS API. It may be none of this cluster any more. */
    readonly relay?: ((socket: TLSSocket, witness: NodeCaller) => void) | undefined
  },
  methods: readonly ServedMethods[],
  onFailure: OnFailure,
): Promise<GrpcServer> {
  const door = { onFailure, admit: options.admit, localCaller: () => undefined }
  const server = grpcServer(methods, door)
  const admitUnknown: Admit = async (caller, path) => {
    await options.admit(caller, path)
    // It is known by now, and connects anew without their limits.
    const before = refuser
    refuser = begin(refusing)
    before.drain(endConnectionsMs)
  }
  const refusing = grpcServer(methods, { ...door, admit: admitUnknown }, ofUnknown)
  // Whose certificate is no node's does not get as far as HTTP/2, whose server would take any number of them.
  const begin = (of = server): ConnectionInjector => of.createConnectionInjector(ServerCredentials.createInsecure())
  let injector = begin()
  let refuser = begin(refusing)
  const { port, replaceDoor, replaceIdentity, close } = await serveTls(
    { ...options, protocols: options.relay === undefined ? ['h2'] : ['h2', relayProtocol], hearsWitness: true },
    async (socket) => {
      // Until gRPC listens itself; one that breaks before must not end the daemon.
      socket.on('error', () => socket.destroy())
      const caller = callerOf(socket.getPeerCertificate())
      if (socket.alpnProtocol === relayProtocol) return relayed(socket, caller, options.relay)
      const isMember = await mayCall(caller, options)
      if (!socket.destroyed) (isMember ? injector : refuser).injectConnection(socket)
    },
  )
  return {
    port,
    replaceDoor,
    replaceIdentity,
    endConnections: () => {
      // Those that come from now on belong to another one: the old one ends all that it has.
      const before = injector
      injector = begin()
      before.drain(endConnectionsMs)
    },
    close: async () => {
      await endedWithin(Promise.all([closed(server), closed(refusing)]), close)
    },
  }
}

/**
 * A node that was removed and a witness have good certificates, and are refused in words. gRPC reads a message before it asks who has sent it: theirs
 * must not fill this host's memory.
 */
const ofUnknown = {
  'grpc.max_receive_message_length': 64 * 1024,
  'grpc.max_concurrent_streams': 8,
  'grpc-node.max_session_memory': 1,
} as const

function relayed(
  socket: TLSSocket,
  caller: CallerIdentity,
  relay: ((socket: TLSSocket, witness: NodeCaller) => void) | undefined,
): void {
  if (relay === undefined || caller.kind !== 'node' || caller.role !== 'witness') socket.destroy()
  else relay(socket, caller)
}

/** As long as a node that this host does not know yet waits for HTTP/2 at most. */
const lookUpMs = 1000

async function mayCall(
  caller: CallerIdentity,
  { admit, knows = () => true }: Pick<Parameters<typeof serveTcp>[0], 'admit' | 'knows'>,
): Promise<boolean> {
  if (caller.kind !== 'node' || caller.role !== 'member') return false
  if (knows(caller)) return true
  const looked = admit(caller).then(
    () => true,
    () => false,
  )
  return await Promise.race([looked, delay(lookUpMs, false, { ref: false })])
}

/**
 * `credentials`: how a connection's user is known. Without them the socket is for the user that the daemon runs as alone, root: whoever else
 * connected could say of himself what he likes.
 */
export async function serveUnixSocket(
  path: string,
  credentials: PeerCredentials | undefined,
  methods: readonly ServedMethods[],
  onFailure: OnFailure,
): Promise<LocalServer> {
  // A daemon that was killed leaves its socket behind; a live one would hold the daemon's lock, which was taken before.
  rmSync(path, { force: true })
  const callers = new LocalCallers((socket) => credentials?.of(socket) ?? (credentials ? unknownCaller : ownUser()))
  const localCaller = (peer: string): CallerIdentity | undefined => callers.of(peer)
  const begin = (peer: string, bytes: number): (() => void) | undefined => callers.begin(peer, bytes)
  const answers = (peer: string, bytes: () => number): void => callers.answers(peer, bytes)
  const inTurn: Door['inTurn'] = async (caller, handle) =>
    isOwnOrRoot(caller) ? await handle() : await shareOfUsers.take(userOf(caller), handle)
  const door = { onFailure, admit: async () => refuseNode(), localCaller, begin, answers, inTurn }
  const counted: ServerInterceptor = (_method, call) => {
    callers.begun(call.getPeer())
    return new ServerInterceptingCall(call)
  }
  const server = grpcServer(methods, door, { 'grpc.max_concurrent_streams': 32, interceptors: [counted] })
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure())
  // One connection for all clients of the HTTPS API, each of which may follow the cluster: its process bounds them, and a witness those of a user.
  const web = grpcServer(methods, door, { 'grpc.max_concurrent_streams': mostOfWeb, interceptors: [counted] })
  const webInjector = web.createConnectionInjector(ServerCredentials.createInsecure())
  const relays = new Set<Socket>()
  const listener = createServer((socket) => {
    // Descriptors are for all: a user takes some of them, and root always gets one.
    if (callers.note(socket)) injector.injectConnection(socket)
    else socket.destroy()
  })
  const oldMask = process.umask(0o177)
  try {
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject)
      listener.listen(path, resolve)
    })
  } finally {
    process.umask(oldMask)
  }
  const group = credentials && haclientGroup()
  if (group !== undefined && process.getuid?.() === 0) {
    chownSync(path, 0, group)
    chmodSync(path, 0o660)
  }
  return {
    serveWeb: (socket, through) => {
      const caller = { kind: 'web', token: '', from: '', ...(through === undefined ? {} : { through }) } as const
      if (!callers.note(socket, caller)) return void socket.destroy()
      if (through !== undefined) relays.add(socket.once('close', () => relays.delete(socket)))
      webInjector.injectConnection(socket)
    },
    endRelays: () => {
      for (const socket of relays) socket.destroy()
    },
    close: async () => {
      listener.close()
      await Promise.all([closed(server), closed(web)])
    },
  }
}

/** Streams and requests, as src/web has them at most, and some more. */
const mostOfWeb = 512

const unknownCaller: CallerIdentity = { kind: 'unknown' }

/** Nobody else can connect. */
const ownUser = (): CallerIdentity => ({
  kind: 'user',
  uid: process.getuid?.() ?? 0,
  gid: process.getgid?.() ?? 0,
  pid: process.pid,
})

/** Fencing is the longest call. */
const endConnectionsMs = 60_000

interface Door {
  readonly admit: Admit
  readonly onFailure: OnFailure
  /** Who is behind a connection that has no certificate. */
  readonly localCaller: (peer: string) => CallerIdentity | undefined
  /** What to do when the call has ended; undefined: its caller has too many under way. */
  readonly begin?: (peer: string, bytes: number) => (() => void) | undefined
  readonly answers?: (peer: string, bytes: () => number) => void
  /** When it may begin. Absent: at once. */
  readonly inTurn?: <T>(caller: CallerIdentity, handle: () => Promise<T>) => Promise<T>
}

function grpcServer(methods: readonly ServedMethods[], door: Door, limits: ServerOptions = {}): Server {
  const server = new Server({
    'grpc.max_receive_message_length': 64 * 1024 * 1024,
    'grpc.max_send_message_length': 64 * 1024 * 1024,
    'grpc.so_reuseport': 0,
    'grpc-node.max_session_memory': 64,
    ...limits,
    interceptors: [uncompressed, ...(limits.interceptors ?? [])],
  })
  for (const { service, handlers } of methods)
    server.addService(definition(service), implementation(service, handlers, door))
  return server
}

const forceMs = 200

/** gRPC waits for whoever has connected and says nothing: those end with their sockets. */
async function endedWithin(ended: Promise<unknown>, destroy: () => unknown): Promise<void> {
  await Promise.race([ended, delay(2 * forceMs, undefined, { ref: false })])
  await destroy()
  await ended
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.forceShutdown(), forceMs)
    server.tryShutdown(() => {
      clearTimeout(force)
      resolve()
    })
  })
}

function definition(service: Service): ServiceDefinition {
  return Object.fromEntries(
    Object.entries(service).map(([name, method]) => [
      name,
      {
        path: method.path,
        requestStream: method.requestStream,
        responseStream: method.responseStream,
        requestSerialize: (value: unknown) => encode(method.request, value as never),
        requestDeserialize: (bytes: Buffer) => readOrWhyNot(method, bytes),
        responseSerialize: (value: unknown) => encode(method.response, value as never),
        responseDeserialize: (bytes: Buffer) => decode(method.response, bytes),
      },
    ]),
  )
}

/** A message that cannot be read is no mistake of gRPC's: it is refused with a sentence, and logged. */
function readOrWhyNot(method: Method, bytes: Buffer): unknown {
  try {
    const most = longestMessage(method.request)
    if (bytes.length > most) throw new BadMessageError(`a message of ${bytes.length} bytes; at most ${most}`)
    const message = readMessage(method.request, bytes)
    if (typeof message === 'object' && message !== null) sizes.set(message, bytes.length)
    return message
  } catch (error) {
    if (error instanceof BadMessageError) return error
    throw error
  }
}

/** Of messages, in bytes, as they came. */
const sizes = new WeakMap<object, number>()

const sizeOf = (message: unknown): number =>
  typeof message === 'object' && message !== null ? (sizes.get(message) ?? 0) : 0

/** Calls the handler and notes that it is under way, where that has a limit. */
async function underWay<T>(
  call: AnyCall,
  { begin, inTurn, caller }: Door & { readonly caller: CallerIdentity },
  handle: () => Promise<T>,
): Promise<T> {
  const end = begin === undefined ? () => undefined : begin(call.getPeer(), sizeOf(call.request))
  if (end === undefined)
    throw refuse('too-many-calls', 'This user has too many calls under way: wait for some of them.')
  try {
    return inTurn === undefined ? await handle() : await inTurn(caller, handle)
  } finally {
    end()
  }
}

function noteAnswer(call: AnyCall, method: Method, value: unknown, { answers }: Door): void {
  answers?.(call.getPeer(), () => encode(method.response, value as never).length)
}

function asked(request: unknown): unknown {
  if (request instanceof BadMessageError) throw request
  return request
}

type UnaryHandler = (request: unknown, context: CallContext) => Promise<unknown>
type StreamHandler = (request: unknown, send: (response: unknown) => void, context: CallContext) => Promise<void>
function implementation(
  service: Service,
  handlers: Readonly<Record<string, unknown>>,
  door: Door,
): UntypedServiceImplementation {
  const entries = Object.entries(service).map(([name, method]) => {
    const handler = handlers[name]
    if (method.responseStream) return [name, streaming(method, handler as StreamHandler, door)] as const
    return [name, unary(method, handler as UnaryHandler, door)] as const
  })
  return Object.fromEntries(entries)
}

function unary(method: Method, handler: UnaryHandler, door: Door): UntypedServiceImplementation[string] {
  return (call: ServerUnaryCall<unknown, unknown>, answer: sendUnaryData<unknown>) => {
    const context = contextOf(call, door)
    letIn(method, context.caller, door)
      .then(
        async () =>
          await underWay(
            call,
            { ...door, caller: context.caller },
            async () => await handler(asked(call.request), context),
          ),
      )
      .then(
        (value) => {
          noteAnswer(call, method, value, door)
          answer(null, value)
        },
        (error: unknown) => answer(statusOf(error, method, door.onFailure)),
      )
  }
}

function streaming(method: Method, handler: StreamHandler, door: Door): UntypedServiceImplementation[string] {
  // It goes on for as long as somebody watches.
  const { inTurn: _, ...atOnce } = door
  return (call: ServerWritableStream<unknown, unknown>) => {
    const context = contextOf(call, door)
    const send = (response: unknown): void => {
      if (context.signal.aborted) return
      noteAnswer(call, method, response, door)
      call.write(response)
    }
    letIn(method, context.caller, door)
      .then(
        async () =>
          await underWay(
            call,
            { ...atOnce, caller: context.caller },
            async () => await handler(asked(call.request), send, context),
          ),
      )
      .then(
        () => call.end(),
        (error: unknown) => call.emit('error', statusOf(error, method, door.onFailure)),
      )
  }
}

/** Before every handler, of every service: whether this caller may call this at all. */
async function letIn(method: Method, caller: CallerIdentity, { admit }: Door): Promise<void> {
  const rule: CallRule | undefined = ruleOf(method.path)
  if (rule === undefined) throw refuse('no-rule', `Nothing says who may call ${method.path}: nobody may.`)
  if (rule.who === 'local') {
    if (caller.kind === 'node') refuseNode()
    return
  }
  if (caller.kind !== 'node')
    throw refuse('unknown-caller', 'Only nodes of the cluster call this, by their certificates.')
  if (caller.role === 'witness' && rule.who !== 'witness')
    throw refuse('witness', 'A witness calls no daemon of the cluster.')
  if (caller.role === 'remote') throw refuse('remote-node', 'A remote node calls no daemon of the cluster.')
  // One that was removed is to hear that, and nothing else.
  if (rule.who === 'witness') return caller.role === 'witness' ? undefined : refuseOtherThanWitness()
  await admit(caller, method.path)
}

const refuseOtherThanWitness = (): never => {
  throw refuse('not-witness', 'Only a witness asks this.')
}

const refuseNode = (): never => {
  throw refuse('not-local', 'Only processes of this host call this.')
}

type AnyCall = ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown>

function contextOf(call: AnyCall, { localCaller }: Door): CallContext {
  const gone = new AbortController()
  const emitter: EventEmitter = call
  emitter.on('cancelled', () => gone.abort())
  const caller = localCaller(call.getPeer()) ?? callerOf(call.getAuthContext()?.sslPeerCertificate)
  if (caller.kind !== 'web') return { caller, signal: gone.signal }
  const said = (key: string): string => String(call.metadata.get(key)[0] ?? '')
  return { caller: { ...caller, token: said(tokenKey), from: addressIn(said(fromKey)) }, signal: gone.signal }
}

/** A witness says it, which may say what it likes. */
const addressIn = (said: string): string => (isIP(said.replace(/%.*$/, '')) === 0 ? 'unknown' : said)

function statusOf(error: unknown, method: Method, onFailure: OnFailure): Partial<StatusObject> {
  if (error instanceof RefusedError) {
    const metadata = new Metadata()
    const report = { code: error.code, sentences: error.sentences }
    metadata.set(reportKey, Buffer.from(JSON.stringify(report)))
    return { code: status.FAILED_PRECONDITION, details: error.message, metadata }
  }
  onFailure(method.path, error)
  if (error instanceof BadMessageError)
    return statusOf(refuse('bad-message', `This call is not understood: ${error.message}.`), method, onFailure)
  return { code: status.INTERNAL, details: detailsOf(error) }
}

/** A failure of the world outside has a sentence for people; of anything else, the kind of mistake helps whoever looks for it. */
export function detailsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error instanceof OutsideError ? error.message : `${error.name}: ${error.message}`
}
