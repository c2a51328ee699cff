/**
 * etcd's messages, as far as they are used, and the methods that carry them. This is the edge where protobuf becomes typed
 * values: 64-bit numbers are text here (a lease id does not fit a JavaScript number), and only `decode` vouches for a form.
 */
import protobuf from 'protobufjs/light.js'
import { descriptor } from './generated/descriptor.ts'

export interface ResponseHeader {
  readonly cluster_id: string
  readonly member_id: string
  readonly revision: string
  readonly raft_term: string
}

export interface KeyValue {
  readonly key: Uint8Array
  readonly create_revision: string
  readonly mod_revision: string
  readonly value: Uint8Array
  readonly lease: string
}

export interface RangeRequest {
  readonly key: Uint8Array
  readonly range_end?: Uint8Array
  readonly limit?: number
  readonly serializable?: boolean
  readonly keys_only?: boolean
  readonly count_only?: boolean
}

export interface RangeResponse {
  readonly header: ResponseHeader
  readonly kvs: readonly KeyValue[]
}

export interface Compare {
  readonly result: 'EQUAL' | 'NOT_EQUAL' | 'GREATER' | 'LESS'
  readonly target: 'CREATE' | 'MOD' | 'VALUE'
  readonly key: Uint8Array
  readonly create_revision?: string
  readonly mod_revision?: string
  readonly value?: Uint8Array
}

export type RequestOp =
  | { readonly request_range: RangeRequest }
  | { readonly request_put: { readonly key: Uint8Array; readonly value: Uint8Array; readonly lease?: string } }
  | { readonly request_delete_range: { readonly key: Uint8Array; readonly range_end?: Uint8Array } }
  | { readonly request_txn: TxnRequest }

export interface ResponseOp {
  readonly response_range?: RangeResponse
  readonly response_txn?: TxnResponse
}

export interface TxnRequest {
  readonly compare: readonly Compare[]
  readonly success: readonly RequestOp[]
  readonly failure: readonly RequestOp[]
}

export interface TxnResponse {
  readonly header: ResponseHeader
  readonly succeeded: boolean
  readonly responses: readonly ResponseOp[]
}

export type WatchRequest =
  | {
      readonly create_request: {
        readonly key: Uint8Array
        readonly range_end: Uint8Array
        readonly start_revision: string
      }
    }
  | { readonly progress_request: Record<string, never> }

export interface WatchResponse {
  readonly header: ResponseHeader
  readonly watch_id: string
  readonly created: boolean
  readonly canceled: boolean
  readonly compact_revision: string
  readonly cancel_reason: string
  readonly events: readonly { readonly type: 'PUT' | 'DELETE'; readonly kv: KeyValue }[]
}

export interface Member {
  readonly ID: string
  /** Empty until the member has started once. */
  readonly name: string
  readonly peerURLs: readonly string[]
  readonly clientURLs: readonly string[]
  readonly isLearner: boolean
}

export interface MemberList {
  readonly header: ResponseHeader
  readonly members: readonly Member[]
}

export interface Alarm {
  readonly memberID: string
  readonly alarm: 'NOSPACE' | 'CORRUPT'
}

export interface StatusResponse {
  readonly header: ResponseHeader
  readonly version: string
  readonly dbSize: string
  readonly dbSizeInUse: string
  /** '0' where the member knows no leader. */
  readonly leader: string
  readonly raftTerm: string
  readonly isLearner: boolean
  /** That there is no leader, and the alarms: `memberID:… alarm:NOSPACE`. */
  readonly errors: readonly string[]
}

export interface Method<Request, Response> {
  readonly path: string
  readonly encode: (request: Request) => Buffer
  readonly decode: (bytes: Buffer) => Response
}

type Header = { readonly header: ResponseHeader }

const root = protobuf.Root.fromJSON(descriptor)

export const api = {
  range: method<RangeRequest, RangeResponse>('KV', 'Range'),
  txn: method<TxnRequest, TxnResponse>('KV', 'Txn'),
  compact: method<{ readonly revision: string; readonly physical: boolean }, Header>('KV', 'Compact'),
  watch: method<WatchRequest, WatchResponse>('Watch', 'Watch'),
  leaseGrant: method<{ readonly TTL: number; readonly ID: string }, Header & { readonly TTL: string }>(
    'Lease',
    'LeaseGrant',
  ),
  leaseRevoke: method<{ readonly ID: string }, Header>('Lease', 'LeaseRevoke'),
  leaseKeepAlive: method<{ readonly ID: string }, Header & { readonly TTL: string }>('Lease', 'LeaseKeepAlive'),
  memberAdd: method<
    { readonly peerURLs: readonly string[]; readonly isLearner: boolean },
    MemberList & { readonly member: Member }
  >('Cluster', 'MemberAdd'),
  memberRemove: method<{ readonly ID: string }, MemberList>('Cluster', 'MemberRemove'),
  memberUpdate: method<{ readonly ID: string; readonly peerURLs: readonly string[] }, MemberList>(
    'Cluster',
    'MemberUpdate',
  ),
  memberList: method<Record<string, never>, MemberList>('Cluster', 'MemberList'),
  memberPromote: method<{ readonly ID: string }, MemberList>('Cluster', 'MemberPromote'),
  alarm: method<
    { readonly action: 'GET' | 'DEACTIVATE'; readonly memberID?: string; readonly alarm?: 'NOSPACE' | 'CORRUPT' },
    Header & { readonly alarms: readonly Alarm[] }
  >('Maintenance', 'Alarm'),
  status: method<Record<string, never>, StatusResponse>('Maintenance', 'Status'),
  defragment: method<Record<string, never>, Header>('Maintenance', 'Defragment'),
  moveLeader: method<{ readonly targetID: string }, Header>('Maintenance', 'MoveLeader'),
} as const

function method<Request extends object, Response>(service: string, name: string): Method<Request, Response> {
  const described = root.lookupService(service).methods[name]
  if (described === undefined) throw new Error(`etcd's ${service} has no method ${name}`)
  const request = root.lookupType(described.requestType)
  const response = root.lookupType(described.responseType)
  return {
    path: `/etcdserverpb.${service}/${name}`,
    encode: (value) => Buffer.from(request.encode(request.fromObject({ ...value })).finish()),
    decode: (bytes) => {
      const message = response.decode(bytes)
      // The parser at the edge: `Response` is the form that the descriptor gives every message of this type.
      return response.toObject(message, { longs: String, enums: String, defaults: true }) as Response
    },
  }
}

const utf8 = new TextEncoder()

export function keyBytes(key: string): Uint8Array {
  return utf8.encode(key)
}

/** The first key after all those with the prefix; a zero byte stands for "to the end". */
export function prefixEnd(prefix: string): Uint8Array {
  const end = utf8.encode(prefix)
  for (let i = end.length - 1; i >= 0; i--) {
    const byte = end[i] ?? 0xff
    if (byte === 0xff) continue
    end[i] = byte + 1
    return end.slice(0, i + 1)
  }
  return Uint8Array.of(0)
}

export function keyText(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString('utf8')
}
