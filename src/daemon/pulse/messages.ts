/** What the pulse thread and the main thread say to each other. Times are those of the process's monotonic clock. */
import type { MonotonicMs, NodeName } from '../../base/index.ts'
import type { HeartbeatTimings, LinkView, PeerView } from '../../membership/index.ts'
import type { DiskRule, QuorumTimings, WatchdogPermit } from '../../quorum/index.ts'
import type { DoorRule, TlsIdentity } from '../../rpc/index.ts'
import type { EndpointAddress, StoreConfig } from '../../store/index.ts'

export interface PulseSetup {
  readonly node: NodeName
  readonly incarnation: number
  readonly listen: readonly PulseListen[]
  /** Who is heard at all. */
  readonly door: DoorRule
  readonly peers: readonly PulsePeer[]
  readonly identity: TlsIdentity
  readonly timings: HeartbeatTimings & QuorumTimings
  readonly store: StoreConfig
  /** No lease before `release`: this node must meet the other of two first. */
  readonly held: boolean
}

/** On each link of this node. */
export interface PulseListen {
  readonly link: number
  readonly host: string
  readonly port: number
}

/** A peer on one of the links that it shares with this node. */
export interface PulsePeer extends PulseListen {
  readonly node: NodeName
  /** As the list of nodes has them: whoever shows another is not that node. */
  readonly keys?: readonly string[]
  /** This node's own address on the link. */
  readonly from: string
  /** Of its ports and this node's those on which connections are given up where the link is down. */
  readonly connections: readonly number[]
}

/** Where the store tells that this node is fenced through its disks, and its boot. */
export interface OwnDiskFencing {
  readonly key: string
  readonly bootId: string | undefined
}

export type ToPulse =
  | {
      readonly kind: 'nodes'
      readonly listen: readonly PulseListen[]
      readonly door: DoorRule
      readonly peers: readonly PulsePeer[]
      readonly members: readonly NodeName[]
      /** Their daemons restart, as they have announced. */
      readonly restarting: readonly NodeName[]
      /** Of the store; empty where they never change. */
      readonly endpoints: readonly EndpointAddress[]
      readonly timings: HeartbeatTimings
    }
  | { readonly kind: 'release' }
  /** Another certificate of this node's, or other authorities that it believes; answered with `identity-used`. */
  | { readonly kind: 'identity'; readonly identity: TlsIdentity }
  /** Opens the watchdog, which starts it; answered with `watchdog`. */
  | {
      readonly kind: 'watchdog-arm'
      readonly device: string
      readonly timeoutMs: number
      readonly disks?: DiskRule & OwnDiskFencing
    }
  /** Enough for this node to live until then. */
  | { readonly kind: 'watchdog-disk-read'; readonly disk: string; readonly until: MonotonicMs }
  | { readonly kind: 'watchdog-permit'; readonly permit: WatchdogPermit }
  /** Stops the watchdog; answered with `watchdog`. */
  | { readonly kind: 'watchdog-disarm' }
  /** Gives the lease back, so that everything under it goes at once, and ends. */
  | { readonly kind: 'leave' }

export type FromPulse =
  | { readonly kind: 'view'; readonly peers: readonly PeerView[]; readonly agreedSilent: readonly NodeName[] }
  /** Only of peers with several links. */
  | { readonly kind: 'links'; readonly links: readonly LinkView[] }
  /** Connections on a link that is down could not be given up: they end by themselves, which takes seconds. */
  | { readonly kind: 'connections-kept'; readonly error: string }
  /** Looked at when this node comes to have several links: it cannot give up any. */
  | { readonly kind: 'connections-stay'; readonly why: string }
  /** A peer said something that is no pulse of its own, so that its connection was ended. */
  | { readonly kind: 'bad-message'; readonly from: string; readonly link: number; readonly what: string }
  /** On one link of several, or at an address that this host does not have; tried again. */
  | { readonly kind: 'not-listening'; readonly link: number; readonly error: string }
  /** A node that hears nobody must not go on as if nobody spoke. */
  | { readonly kind: 'cannot-hear'; readonly why: string }
  /** This node stood still: what it believed of its lease before is doubted. */
  | { readonly kind: 'doubt-own-lease'; readonly pausedMs: number }
  /** Until when this node may act under which lease, if nothing else is heard. */
  | { readonly kind: 'quorum'; readonly lease: string | undefined; readonly until: MonotonicMs }
  | { readonly kind: 'quorum-lost'; readonly why: string }
  /** The store does not answer. */
  | { readonly kind: 'trouble'; readonly error: string }
  /** What became of `watchdog-arm` and `watchdog-disarm`; `error`: it could not be opened, or be written to. */
  | { readonly kind: 'watchdog'; readonly armed: boolean; readonly error?: string }
  | { readonly kind: 'watchdog-starving'; readonly why: string }
  /** No heartbeat shows the certificate of before any more. */
  | { readonly kind: 'identity-used' }
  | { readonly kind: 'left' }
