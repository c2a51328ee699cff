/** What a node shows the others, and what it believes: PEM texts. */
export interface TlsIdentity {
  readonly certificate: string
  readonly key: string
  /** The cluster's own authority, the only one that is believed. */
  readonly authority: string
}
