/** How far a member is with the connection to a remote node, what comes from outside, and what is to be done for it. */
import type { MonotonicMs } from '../base/index.ts'

export const connectionTimes = {
  /** Between two attempts. */
  retryMs: 200,
  /** For the remote node to say whom it obeys, and for the store: it has nothing to do for this but to look, and to write a line. */
  stepMs: 5000,
  /**
   * As long as the daemon of a host that answers is given to come back. More than a member gets: services are only unmonitored meanwhile, and the host
   * may start it slowly.
   */
  graceMs: 10_000,
  /** A host that was silent is tried once more: dialling has a patience of its own. */
  silentGraceMs: 100,
  /** For the remote node to hear that nobody holds it any more. */
  releaseMs: 1000,
  /** A connection that held so long was a good one. */
  steadyMs: 5000,
  firstPauseMs: 200,
  longestPauseMs: 10_000,
} as const

/** What it is tried for, and until when. */
export interface Trial {
  readonly for: 'start' | 'earlier-life' | 'mending'
  readonly until: MonotonicMs
}

export type ConnectionPhase =
  | { readonly kind: 'idle' }
  | { readonly kind: 'claims' | 'dials'; readonly trial: Trial }
  /** Whom it obeys; then: that it is up, in the store. */
  | { readonly kind: 'asks' | 'records' | 'pauses'; readonly trial: Trial; readonly until: MonotonicMs }
  | { readonly kind: 'up'; readonly since: MonotonicMs }
  | { readonly kind: 'releases'; readonly until: MonotonicMs }
  | { readonly kind: 'records-down' }
  | { readonly kind: 'over'; readonly how: 'failed' | 'lost' | 'taken' | 'closed'; readonly why: string }

export interface RemoteConnectionState {
  readonly phase: ConnectionPhase
  /** The revision of this member's claim; 0: it has none. */
  readonly token: number
  /** Of the last link that was asked for. */
  readonly attempt: number
  /** Another member is about to take it: that is no loss. */
  readonly isHandedOver: boolean
  /** How many links in a row ended as soon as they had begun. */
  readonly brief: number
}

export const unopenedConnection: RemoteConnectionState = {
  phase: { kind: 'idle' },
  token: 0,
  attempt: 0,
  isHandedOver: false,
  brief: 0,
}

/** What the cluster wants of it now. */
export interface ConnectionWish {
  /** By the configuration, the connection is to be. */
  readonly isWanted: boolean
  /** The configuration names the remote node. */
  readonly isConfigured: boolean
  /** The store has the remote node as connected. */
  readonly isRecordedUp: boolean
}

export type ConnectionInput =
  | { readonly kind: 'start'; readonly timeoutMs: number }
  /** This daemon may have held it in an earlier life. */
  | { readonly kind: 'take-up' }
  | { readonly kind: 'claimed'; readonly token: number }
  | { readonly kind: 'not-claimed'; readonly why: string }
  | { readonly kind: 'dialled'; readonly attempt: number }
  /** `life`: what the remote node says of its daemon and its boot. */
  | {
      readonly kind: 'owned'
      readonly attempt: number
      readonly accepted: boolean
      readonly life: Readonly<Record<string, string>>
    }
  | { readonly kind: 'recorded'; readonly attempt: number; readonly applied: boolean }
  /** The attempt, or the link that came of it. `hostAnswered`: only its daemon is away. */
  | { readonly kind: 'failed'; readonly attempt: number; readonly why: string; readonly hostAnswered: boolean }
  | { readonly kind: 'taken'; readonly attempt: number; readonly by: string }
  | { readonly kind: 'hand-over' }
  | { readonly kind: 'close' | 'released' | 'recorded-down' }
  /** The daemon ends: the remote node waits for whoever comes. */
  | { readonly kind: 'abandon' }
  | { readonly kind: 'time' }

export type ConnectionEffect =
  /** Only a member may. `onlyIfOwn`: and only where the store has this member as its owner. */
  | { readonly kind: 'claim'; readonly onlyIfOwn: boolean }
  | { readonly kind: 'dial'; readonly attempt: number }
  | { readonly kind: 'own'; readonly attempt: number; readonly token: number }
  /** Where the token still holds: its history begins anew, and so what runs there is probed, whoever held the connection before. */
  | {
      readonly kind: 'record-up'
      readonly attempt: number
      readonly token: number
      readonly life: Readonly<Record<string, string>>
    }
  /** Where the token still holds; it is given back. */
  | { readonly kind: 'record-down'; readonly token: number; readonly forgets: boolean }
  | { readonly kind: 'release' | 'hang-up'; readonly attempt: number }
  | { readonly kind: 'connected' }
  | { readonly kind: 'broke' | 'lost'; readonly why: string }
  | { readonly kind: 'taken'; readonly by: string; readonly isLoss: boolean }
