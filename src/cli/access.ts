/**
 * How a command reaches a cluster: the running one, through the local daemon, or a CIB in a file (`-f`). What only a
 * running cluster can do is in `live`, so that a command either has it or says that it needs it.
 */
import type { XmlElement } from '../cib/index.ts'

export interface CibSnapshot {
  /** The whole CIB, status included. */
  readonly cib: XmlElement
  /** The version of the configuration; 0 for a file. */
  readonly version: number
}

export type PushAnswer =
  | { readonly kind: 'saved'; readonly version: number }
  /** Somebody else has changed the configuration since it was read. */
  | { readonly kind: 'conflict'; readonly version: number }

export interface ClusterAccess {
  readonly readCib: () => Promise<CibSnapshot>
  /** Replaces the configuration, if its version is still the expected one. `cib` may carry a status, which is ignored. */
  readonly push: (change: {
    readonly cib: XmlElement
    readonly expectedVersion: number
    readonly command: string
  }) => Promise<PushAnswer>
  readonly live: LiveCluster | undefined
}

export interface ConfigVersion {
  readonly version: number
  /** ISO 8601. */
  readonly time: string
  readonly node: string
  readonly user: string
  readonly command: string
}

export interface ClusterState {
  readonly clusterName: string
  readonly localNode: string
  readonly quorate: boolean
  readonly votes: { readonly present: number; readonly expected: number; readonly needed: number }
  readonly dc: string | undefined
  readonly term: number | undefined
  readonly members: readonly {
    readonly node: string
    readonly address: string
    readonly state: 'joining' | 'member' | 'leaving' | 'lost' | 'offline'
    readonly votes: boolean
    readonly daemonVersion?: string
  }[]
  readonly transition: {
    readonly state: 'idle' | 'computing' | 'running' | 'blocked'
    readonly number: number
    /** The configuration's version that the last finished computation has seen. */
    readonly computedVersion: number
    readonly pending: readonly string[]
    readonly blockedBy: readonly string[]
  }
  readonly fencing: readonly FencingRecord[]
  readonly store: { readonly kind: string; readonly healthy: boolean; readonly message?: string }
}

export interface FencingRecord {
  readonly id: string
  readonly target: string
  readonly action: string
  readonly device?: string
  readonly executedBy?: string
  readonly client?: string
  readonly begun: string
  readonly ended?: string
  readonly outcome: 'pending' | 'succeeded' | 'failed'
  readonly message?: string
}

export interface LiveCluster {
  readonly state: () => Promise<ClusterState>
  /** Calls back at once and after every change until the signal ends it. */
  readonly watchState: (onState: (state: ClusterState) => void, signal: AbortSignal) => Promise<void>
  readonly configVersions: () => Promise<readonly ConfigVersion[]>
  readonly configVersion: (
    version: number,
  ) => Promise<{ readonly entry: ConfigVersion; readonly cib: XmlElement } | undefined>
  readonly setTransientAttribute: (change: {
    readonly node: string
    readonly name: string
    readonly value: string | undefined
  }) => Promise<void>
  /** Forgets recorded operations (and fail counts) so that resources are probed again. */
  readonly deleteHistory: (what: {
    readonly resource?: string
    readonly node?: string
    readonly operation?: string
    readonly intervalMs?: number
    /** Only resources with failures (`cleanup`), or all (`refresh`). */
    readonly onlyFailed: boolean
  }) => Promise<{ readonly deleted: readonly { readonly resource: string; readonly node: string }[] }>
  /** Resolves when the fencing has ended. */
  readonly fence: (request: { readonly target: string; readonly action: 'off' | 'on' | 'reboot' }) => Promise<{
    readonly succeeded: boolean
    readonly message: string
  }>
  readonly confirmFencing: (target: string) => Promise<void>
  readonly startCluster: (nodes: readonly string[] | 'all') => Promise<readonly NodeAnswer[]>
  readonly stopCluster: (
    nodes: readonly string[] | 'all',
    options: { readonly force: boolean },
  ) => Promise<readonly NodeAnswer[]>
}

export interface NodeAnswer {
  readonly node: string
  readonly ok: boolean
  readonly message: string
}
