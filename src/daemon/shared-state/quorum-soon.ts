/**
 * A command that arrives in the moment in which a node's lease is confirmed late, or in which its connections to the store begin anew because
 * a certificate was revoked, waits for that moment to pass. One that arrives where quorum was lost for longer is refused at once.
 */
import type { MonotonicMs } from '../../base/index.ts'
import { monotonicNow } from '../host/clock.ts'
import { type HasState, untilState } from './until-state.ts'

export interface QuorumState extends HasState {
  readonly quorate: boolean
  /** By this node's own clock; in the past where it has no quorum now. */
  readonly quorateUntil: MonotonicMs
}

/** For so long after its end quorum is waited for. */
export const momentMs = 3000

export async function quorumSoon(node: QuorumState): Promise<boolean> {
  if (node.quorate) return true
  const leftMs = node.quorateUntil + momentMs - monotonicNow()
  return leftMs > 0 && (await untilState(node, () => node.quorate, leftMs))
}
