/** What the discovery thread is told, and what it says. */
import type { MonotonicMs } from '../../base/index.ts'
import type { Catalogue, DnsSetting, HttpSetting, NodeAddress } from '../../services/index.ts'

export interface DiscoverySettings {
  readonly dns?: DnsSetting
  readonly http?: HttpSetting
  readonly clusterName: string
  readonly self: string
  /** Of this node, on all links. */
  readonly ownAddresses: readonly string[]
  /** Of all nodes, on all links: who asks from there is known. */
  readonly hosts: readonly string[]
}

export interface KnownServices {
  readonly catalogue: Catalogue
  readonly nodes: readonly NodeAddress[]
  /** Who decides for the cluster, as this node knows. */
  readonly dc?: string | undefined
}

export type ToDiscovery =
  | { readonly kind: 'settings'; readonly settings: DiscoverySettings }
  | ({ readonly kind: 'services' } & KnownServices)
  /** Until when this node has quorum, by its monotonic clock. */
  | { readonly kind: 'quorum'; readonly until: MonotonicMs }

export interface FromDiscovery {
  readonly kind: 'troubles'
  /** All of them, a sentence each. */
  readonly troubles: readonly string[]
}
