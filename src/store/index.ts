/**
 * The replicated CIB: read, compare-and-swap, watch, lease. `createStore` opens the store that the configuration names, and
 * everybody else knows only the port, `Store`. `serveStore` shares an embedded one with other processes and threads of this
 * machine. `EtcdMember` keeps this node's etcd running; `EtcdAdmin` is for who sets up, grows and mends the group of
 * members.
 */

export { createStore, readTlsFiles, type StoreConfig } from './create-store.ts'
export { EmbeddedStore, type EmbeddedStoreOptions } from './embedded/embedded-store.ts'
export { EtcdAdmin, sameUrls } from './etcd/admin.ts'
export type { Member as EtcdMemberEntry } from './etcd/api.ts'
export type { EndpointAddress, TlsFiles } from './etcd/endpoint.ts'
export { type AloneOptions, discardMember, isCompleteMember, restartAlone } from './etcd/member/alone.ts'
export { EtcdMember, type MemberEvents, type MemberStatus } from './etcd/member/etcd-member.ts'
export { believesAsConfigured, listensAsConfigured, missingEtcd, readsRevocations } from './etcd/member/process.ts'
export type { Refusal } from './etcd/member/refusal.ts'
export { revocationList } from './etcd/member/revoked.ts'
export { type MemberAddress, type MemberSettings, peerUrls } from './etcd/member/settings.ts'
export { type Clock, machineClock } from './port/clock.ts'
export { isStoreFailure, StoreTimeoutError, StoreUnavailableError } from './port/errors.ts'
export {
  type Comparison,
  type Entry,
  type LeaseId,
  type Revision,
  type Snapshot,
  type Store,
  type StoreEvent,
  type Transaction,
  type TransactionResult,
  unchanged,
  type Watch,
  type WatchListener,
  type Write,
} from './port/store.ts'
export { type ServedStore, serveStore } from './socket/serve.ts'
