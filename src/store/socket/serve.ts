/**
 * Shares an embedded store with other processes and threads of this machine. A client that lost its connection sends its
 * unanswered calls again under their old numbers; the host remembers what each became, so that none is carried out twice.
 */
import { randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { assertNever } from '../../base/index.ts'
import { messageOf, StoreTimeoutError, StoreUnavailableError } from '../port/errors.ts'
import type { Store, Watch } from '../port/store.ts'
import { type CallName, type Calls, receive, send, type ToClient, type ToHost } from './frames.ts'

/** A client that reads nothing while this much waits for it is cut off; it comes back and lists again. */
const maxUnreadBytes = 64 * 1024 * 1024
const rememberedCalls = 1000

type Call = Extract<ToHost, { kind: 'call' }>
type Answer = Extract<ToClient, { kind: 'answer' | 'failed' }>

export interface ServedStore {
  readonly close: () => Promise<void>
}

export async function serveStore(store: Store, options: { readonly path: string }): Promise<ServedStore> {
  mkdirSync(dirname(options.path), { recursive: true })
  if (await isListening(options.path))
    throw new StoreUnavailableError(`Another process already shares a store at ${options.path}.`)
  rmSync(options.path, { force: true })
  const host = new Host(store)
  const server = createServer((socket) => host.accept(socket))
  await listen(server, options.path)
  chmodSync(options.path, 0o600)
  return {
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      host.disconnect()
      await closed
    },
  }
}

class Host {
  readonly #store: Store
  readonly #identity = randomUUID()
  readonly #sockets = new Set<Socket>()
  /** By client, then by the call's number. */
  readonly #calls = new Map<string, Map<number, Promise<Answer>>>()

  constructor(store: Store) {
    this.#store = store
  }

  disconnect(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  accept(socket: Socket): void {
    const watches = new Map<number, Watch>()
    let calls = new Map<number, Promise<Answer>>()
    this.#sockets.add(socket)
    // The end of a client is no event for the host; its leases run out by themselves.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      this.#sockets.delete(socket)
      for (const watch of watches.values()) watch.close()
    })
    const reply = (message: ToClient) => {
      if (socket.destroyed) return
      send(socket, message)
      if (socket.writableLength > maxUnreadBytes) socket.destroy()
    }
    receive<ToHost>(socket, (message) => {
      switch (message.kind) {
        case 'hello':
          calls = this.#callsOf(message.client)
          return reply({ kind: 'welcome', host: this.#identity })
        case 'call':
          return void this.#once(calls, message).then(reply)
        case 'watch':
          return void watches.set(message.id, this.#watch(message, reply))
        case 'unwatch':
          watches.get(message.id)?.close()
          return void watches.delete(message.id)
        default:
          return assertNever(message)
      }
    })
  }

  #callsOf(client: string): Map<number, Promise<Answer>> {
    const calls = this.#calls.get(client) ?? new Map<number, Promise<Answer>>()
    this.#calls.delete(client)
    this.#calls.set(client, calls)
    // Clients of long ago: the map is in the order of their last connection.
    for (const old of this.#calls.keys()) {
      if (this.#calls.size <= rememberedCalls) break
      this.#calls.delete(old)
    }
    return calls
  }

  #once(calls: Map<number, Promise<Answer>>, call: Call): Promise<Answer> {
    const known = calls.get(call.id)
    if (known !== undefined) return known
    const answer = carryOut(this.#store, call).then(
      (value): Answer => ({ kind: 'answer', id: call.id, answer: value }),
      (error: unknown): Answer => ({
        kind: 'failed',
        id: call.id,
        timeout: error instanceof StoreTimeoutError,
        message: messageOf(error),
      }),
    )
    calls.set(call.id, answer)
    const oldest = calls.keys().next()
    if (calls.size > rememberedCalls && !oldest.done) calls.delete(oldest.value)
    return answer
  }

  #watch(asked: Extract<ToHost, { kind: 'watch' }>, reply: (message: ToClient) => void): Watch {
    return this.#store.watch(asked.prefix, asked.from, {
      onEvents: (events, revision) => reply({ kind: 'events', id: asked.id, revision, events }),
      onLost: () => reply({ kind: 'lost', id: asked.id }),
    })
  }
}

async function carryOut(store: Store, call: Call): Promise<Calls[CallName]['answer']> {
  switch (call.name) {
    case 'get': {
      const entry = await store.get(call.ask.key)
      return entry === undefined ? {} : { entry }
    }
    case 'list':
      return store.list(call.ask.prefix)
    case 'transaction':
      return store.transaction(call.ask)
    case 'grantLease':
      return store.grantLease(call.ask.ttlMs)
    case 'keepAlive': {
      const renewed = await store.keepAlive(call.ask.lease)
      return renewed === 'lost' ? {} : renewed
    }
    case 'revokeLease':
      await store.revokeLease(call.ask.lease)
      return {}
    default:
      return assertNever(call)
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path)
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => resolve(false))
  })
}
