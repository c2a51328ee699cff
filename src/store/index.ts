/** The replicated CIB: read, compare-and-swap, watch, lease. */
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
