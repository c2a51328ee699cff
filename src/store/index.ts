/**
 * The replicated CIB: read, compare-and-swap, watch, lease. `createStore` opens the store that the configuration names;
 * `serveStore` shares an embedded one with other processes of this machine; everybody else knows only the port, `Store`.
 */
export { type Clock, machineClock } from './clock.ts'
export { createStore, type StoreConfig } from './create-store.ts'
export { EmbeddedStore, type EmbeddedStoreOptions } from './embedded/embedded-store.ts'
export { StoreTimeoutError, StoreUnavailableError } from './errors.ts'
export { type ServedStore, serveStore } from './socket/serve.ts'
export type {
  Comparison,
  Entry,
  LeaseId,
  Revision,
  Snapshot,
  Store,
  StoreEvent,
  Transaction,
  TransactionResult,
  Watch,
  WatchListener,
  Write,
} from './store.ts'
