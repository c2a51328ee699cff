/** What another cluster of the fleet says of itself, or why it does not. */

/** By which its nodes are believed. */
export type Anchor =
  | { readonly kind: 'authority'; readonly certificate: string }
  | { readonly kind: 'certificate'; readonly fingerprint: string }

export interface FleetTarget {
  readonly addresses: readonly string[]
  readonly token: string
  readonly anchor: Anchor
}

export interface Sentence {
  readonly level: 'critical' | 'warning'
  readonly text: string
}

export interface News {
  /** As it calls itself. */
  readonly cluster: string
  readonly quorate: boolean
  readonly nodesOnline: number
  readonly nodes: number
  /** How many things need attention there, and the most urgent of them. */
  readonly urgent: number
  readonly worst: readonly Sentence[]
}

export type Told =
  | {
      readonly kind: 'news'
      readonly news: News
      /** SHA-256 of the authorities that it believes itself: another than the one it was added with will be shown next. */
      readonly authorities?: readonly string[]
    }
  | { readonly kind: 'unreachable' | 'refused' | 'untrusted' | 'unreadable'; readonly why: string }

export type FleetWord = 'well' | 'warning' | 'critical' | Exclude<Told['kind'], 'news'>

export function wordOf(told: Told): FleetWord {
  if (told.kind !== 'news') return told.kind
  const { quorate, worst } = told.news
  if (!quorate) return 'critical'
  return worst[0]?.level ?? 'well'
}
