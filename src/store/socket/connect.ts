/**
 * The store of another process of this machine, through its Unix socket. The connection is made again for as long as the
 * store is open; calls wait for it within their time limit, and watches go on after the last revision that they delivered.
 */
import { randomUUID } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { assert, assertNever } from '../../base/index.ts'
import { type Clock, machineClock } from '../port/clock.ts'
import { StoreTimeoutError, StoreUnavailableError } from '../port/errors.ts'
import type { LeaseId, Revision, Store, Transaction, Watch, WatchListener } from '../port/store.ts'
import { assertTransaction } from '../port/transaction.ts'
import { type CallName, type Calls, receive, send, type ToClient, type ToHost } from './frames.ts'

const defaultTimeoutMs = 5000
const reconnectEveryMs = 50

interface PendingCall {
  readonly message: ToHost
  readonly changes: boolean
  readonly settle: (answer: Calls[CallName]['answer']) => void
  readonly fail: (error: Error) => void
  /** The identity of the host that it was sent to. */
  sentTo: string | undefined
}

interface OpenWatch {
  readonly prefix: string
  readonly listener: WatchListener
  delivered: Revision
}

export interface SocketStoreOptions {
  readonly path: string
  readonly clock?: Clock
}

export function connectStore(options: SocketStoreOptions): Store {
  return new SocketStore(options)
}

class SocketStore implements Store {
  readonly #path: string
  readonly #clock: Clock
  readonly #client = randomUUID()
  readonly #calls = new Map<number, PendingCall>()
  readonly #watches = new Map<number, OpenWatch>()
  #nextId = 0
  #socket: Socket | undefined
  /** Undefined while there is no connection. */
  #host: string | undefined
  #cancelReconnect: () => void = () => undefined
  #closed = false

  constructor(options: SocketStoreOptions) {
    this.#path = options.path
    this.#clock = options.clock ?? machineClock
    this.#connect()
  }

  async get(key: string) {
    return (await this.#call('get', { key })).entry
  }

  list(prefix: string) {
    return this.#call('list', { prefix })
  }

  transaction(transaction: Transaction) {
    assertTransaction(transaction)
    return this.#call('transaction', transaction, transaction.timeoutMs)
  }

  watch(prefix: string, from: Revision, listener: WatchListener): Watch {
    const id = this.#nextId++
    this.#watches.set(id, { prefix, listener, delivered: from })
    this.#sendIfConnected({ kind: 'watch', id, prefix, from })
    return {
      close: () => {
        if (this.#watches.delete(id)) this.#sendIfConnected({ kind: 'unwatch', id })
      },
    }
  }

  grantLease(ttlMs: number) {
    assert(ttlMs > 0, 'a lease has a time to live')
    return this.#call('grantLease', { ttlMs })
  }

  async keepAlive(lease: LeaseId) {
    const { ttlMs } = await this.#call('keepAlive', { lease })
    return ttlMs === undefined ? 'lost' : { ttlMs }
  }

  async revokeLease(lease: LeaseId) {
    await this.#call('revokeLease', { lease })
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#cancelReconnect()
    this.#socket?.destroy()
    for (const call of this.#calls.values())
      call.fail(new StoreUnavailableError('The connection to the store was closed.'))
    this.#calls.clear()
    this.#watches.clear()
  }

  #call<Name extends CallName>(
    name: Name,
    ask: Calls[Name]['ask'],
    timeoutMs = defaultTimeoutMs,
  ): Promise<Calls[Name]['answer']> {
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new StoreUnavailableError('The connection to the store was closed.'))
      const cancel = this.#clock.after(timeoutMs, () => {
        const call = this.#calls.get(id)
        this.#calls.delete(id)
        reject(this.#overdue(call?.changes === true && call.sentTo !== undefined, timeoutMs))
      })
      const call: PendingCall = {
        // The compiler can't see that the name and what is asked belong together; this method's signature says it.
        message: { kind: 'call', id, name, ask } as ToHost,
        changes: name === 'transaction' || name === 'grantLease' || name === 'revokeLease',
        settle: (answer) => {
          cancel()
          resolve(answer as Calls[Name]['answer'])
        },
        fail: (error) => {
          cancel()
          reject(error)
        },
        sentTo: undefined,
      }
      this.#calls.set(id, call)
      this.#sendCall(call)
    })
  }

  #overdue(unknown: boolean, timeoutMs: number): Error {
    return unknown
      ? new StoreTimeoutError(
          `The store behind ${this.#path} did not answer within ${timeoutMs} ms. The change may be saved: read, then repeat.`,
        )
      : new StoreUnavailableError(
          `The store behind ${this.#path} did not answer within ${timeoutMs} ms. Is the process that shares it running?`,
        )
  }

  #sendCall(call: PendingCall): void {
    if (this.#host === undefined) return
    call.sentTo = this.#host
    this.#sendIfConnected(call.message)
  }

  #sendIfConnected(message: ToHost): void {
    if (this.#host !== undefined && this.#socket !== undefined) send(this.#socket, message)
  }

  #connect(): void {
    if (this.#closed) return
    const socket = connect(this.#path)
    this.#socket = socket
    socket.on('connect', () => send(socket, { kind: 'hello', client: this.#client }))
    // A refused connection is tried again below; the calls that wait for it have their own time limits.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      this.#host = undefined
      if (!this.#closed) this.#cancelReconnect = this.#clock.after(reconnectEveryMs, () => this.#connect())
    })
    receive<ToClient>(socket, (message) => this.#take(message))
  }

  #take(message: ToClient): void {
    switch (message.kind) {
      case 'welcome':
        this.#resume(message.host)
        return
      case 'answer':
        this.#calls.get(message.id)?.settle(message.answer)
        this.#calls.delete(message.id)
        return
      case 'failed': {
        const error = message.timeout
          ? new StoreTimeoutError(message.message)
          : new StoreUnavailableError(message.message)
        this.#calls.get(message.id)?.fail(error)
        return void this.#calls.delete(message.id)
      }
      case 'events': {
        const watch = this.#watches.get(message.id)
        if (watch === undefined || message.revision <= watch.delivered) return
        watch.delivered = message.revision
        watch.listener.onEvents(message.events, message.revision)
        return
      }
      case 'lost': {
        const watch = this.#watches.get(message.id)
        this.#watches.delete(message.id)
        watch?.listener.onLost()
        return
      }
      default:
        assertNever(message)
    }
  }

  #resume(host: string): void {
    this.#host = host
    for (const [id, call] of this.#calls) {
      if (!call.changes || call.sentTo === undefined || call.sentTo === host) {
        this.#sendCall(call)
        continue
      }
      this.#calls.delete(id)
      call.fail(
        new StoreTimeoutError(
          `The process that shares the store at ${this.#path} was restarted before it answered. The change may be saved: read, then repeat.`,
        ),
      )
    }
    for (const [id, { prefix, delivered }] of this.#watches)
      this.#sendIfConnected({ kind: 'watch', id, prefix, from: delivered })
  }
}
