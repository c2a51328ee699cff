/**
 * What travels over the embedded store's Unix socket: frames of a length (4 bytes) and JSON, bytes in base64. Host and clients
 * are always of one release on one machine, so the form is private to these two files' neighbours.
 */
import type { Socket } from 'node:net'
import { assert } from '../../base/index.ts'
import type { Entry, LeaseId, Revision, StoreEvent, Transaction, TransactionResult } from '../port/store.ts'

/** Calls, by name: what goes in and what comes out. */
export interface Calls {
  readonly get: { readonly ask: { readonly key: string }; readonly answer: { readonly entry?: Entry } }
  readonly list: {
    readonly ask: { readonly prefix: string }
    readonly answer: { readonly revision: Revision; readonly entries: readonly Entry[] }
  }
  readonly transaction: { readonly ask: Transaction; readonly answer: TransactionResult }
  readonly grantLease: {
    readonly ask: { readonly ttlMs: number }
    readonly answer: { readonly lease: LeaseId; readonly ttlMs: number }
  }
  readonly keepAlive: { readonly ask: { readonly lease: LeaseId }; readonly answer: { readonly ttlMs?: number } }
  readonly revokeLease: { readonly ask: { readonly lease: LeaseId }; readonly answer: Record<string, never> }
}

export type CallName = keyof Calls

export type ToHost =
  | { readonly kind: 'hello'; readonly client: string }
  | {
      readonly [Name in CallName]: {
        readonly kind: 'call'
        readonly id: number
        readonly name: Name
        readonly ask: Calls[Name]['ask']
      }
    }[CallName]
  | { readonly kind: 'watch'; readonly id: number; readonly prefix: string; readonly from: Revision }
  | { readonly kind: 'unwatch'; readonly id: number }

export type ToClient =
  /** A host process has one identity from start to end: what was asked of an earlier one got no answer. */
  | { readonly kind: 'welcome'; readonly host: string }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Calls[CallName]['answer'] }
  | { readonly kind: 'failed'; readonly id: number; readonly timeout: boolean; readonly message: string }
  | {
      readonly kind: 'events'
      readonly id: number
      readonly revision: Revision
      readonly events: readonly StoreEvent[]
    }
  | { readonly kind: 'lost'; readonly id: number }

const headerBytes = 4
const maxFrameBytes = 256 * 1024 * 1024

export function send(socket: Socket, message: ToHost | ToClient): void {
  const body = Buffer.from(JSON.stringify(message, bytesAsText))
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32BE(body.length)
  socket.cork()
  socket.write(header)
  socket.write(body)
  socket.uncork()
}

/** Calls back with each whole frame. The form is vouched for by the other side, which is this same file. */
export function receive<Message extends ToHost | ToClient>(socket: Socket, take: (message: Message) => void): void {
  let chunks: Buffer[] = []
  let bytes = 0
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes < headerBytes) return
    let rest = chunks.length === 1 ? chunk : Buffer.concat(chunks)
    while (rest.length >= headerBytes) {
      const length = rest.readUInt32BE(0)
      assert(length <= maxFrameBytes, 'a frame of the store socket has a sane length')
      if (rest.length < headerBytes + length) break
      take(JSON.parse(rest.toString('utf8', headerBytes, headerBytes + length), textAsBytes) as Message)
      rest = rest.subarray(headerBytes + length)
    }
    chunks = [rest]
    bytes = rest.length
  })
}

/** `JSON.stringify` has turned a Buffer into an object before it asks: so the original is looked up in its holder. */
function bytesAsText(this: unknown, name: string, value: unknown): unknown {
  const original: unknown = typeof this === 'object' && this !== null ? Reflect.get(this, name) : undefined
  return original instanceof Uint8Array ? { base64: Buffer.from(original).toString('base64') } : value
}

function textAsBytes(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('base64' in value)) return value
  return typeof value.base64 === 'string' ? Uint8Array.from(Buffer.from(value.base64, 'base64')) : value
}
