/** What the pulse thread and the main thread say to each other. Times are those of the process's monotonic clock. */
import type { MonotonicMs, NodeName } from '../../base/index.ts'
import type { HeartbeatTimings, PeerView } from '../../membership/index.ts'
import type { QuorumTimings } from '../../quorum/index.ts'
import type { TlsIdentity } from '../../rpc/index.ts'
import type { EndpointAddress, StoreConfig } from '../../store/index.ts'

export interface PulseSetup {
  readonly node: NodeName
  readonly incarnation: number
  readonly listen: { readonly host: string; readonly port: number }
  readonly peers: readonly PulsePeer[]
  readonly identity: TlsIdentity
  readonly timings: HeartbeatTimings & QuorumTimings
  readonly store: StoreConfig
  /** No lease before `release`: this node must meet the other of two first. */
  readonly held: boolean
}

export interface PulsePeer {
  readonly node: NodeName
  readonly host: string
  readonly port: number
}

export type ToPulse =
  | {
      readonly kind: 'nodes'
      readonly peers: readonly PulsePeer[]
      readonly members: readonly NodeName[]
      /** Of the store; empty where they never change. */
      readonly endpoints: readonly EndpointAddress[]
    }
  | { readonly kind: 'release' }
  /** Gives the lease back, so that everything under it goes at once, and ends. */
  | { readonly kind: 'leave' }

export type FromPulse =
  | { readonly kind: 'view'; readonly peers: readonly PeerView[]; readonly agreedSilent: readonly NodeName[] }
  /** This node stood still: what it believed of its lease before is doubted. */
  | { readonly kind: 'doubt-own-lease'; readonly pausedMs: number }
  /** Until when this node may act under which lease, if nothing else is heard. */
  | { readonly kind: 'quorum'; readonly lease: string | undefined; readonly until: MonotonicMs }
  | { readonly kind: 'quorum-lost'; readonly why: string }
  /** The store does not answer. */
  | { readonly kind: 'trouble'; readonly error: string }
  | { readonly kind: 'left' }
