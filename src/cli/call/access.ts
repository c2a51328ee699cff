/**
 * How a command reaches a cluster: the running one, through the local daemon, or a CIB in a file (`-f`). What only a
 * running cluster can do is in `live`, so that a command either has it or says that it needs it.
 */
import type { XmlElement } from '../../cib/index.ts'
import type { LocalClient, PushAnswer } from '../../rpc/index.ts'

export interface CibSnapshot {
  /** The whole CIB, status included. */
  readonly cib: XmlElement
  /** The version of the configuration; 0 for a file. */
  readonly version: number
}

export interface PushedChange {
  readonly cib: XmlElement
  readonly expectedVersion: number
  readonly command: string
  /** The description that it comes from, to be remembered with it. */
  readonly applied?: { readonly name: string; readonly xml: string }
  /** It is taken back after that time unless it is confirmed. */
  readonly confirmWithinMs?: number
}

export interface ClusterAccess {
  readonly readCib: () => Promise<CibSnapshot>
  /** Replaces the configuration, if its version is still the expected one. A status in the CIB is ignored. */
  readonly push: (change: PushedChange) => Promise<PushAnswer>
  /** For what only shows the change: refused as it would be. Absent where nobody's rights are asked, as of a file. */
  readonly refuseWhoMayNotPush?: (change: PushedChange) => Promise<void>
  readonly live: LocalClient | undefined
  /** A copy to try commands on: nobody is told what a change would cause, agents are not asked, mistakes stay. */
  readonly isScratch?: boolean
  readonly close: () => void
}
