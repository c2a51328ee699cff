/** Votes, as `quorum status` shows them. The store's majority decides; this counts the nodes that vote in it. */
import type { NodeName } from '../base/index.ts'

export interface QuorumVotes {
  readonly present: number
  readonly expected: number
  /** Half of the expected votes and one more. */
  readonly needed: number
}

export function quorumVotes(voters: readonly NodeName[], present: ReadonlySet<NodeName>): QuorumVotes {
  const expected = voters.length
  return {
    present: voters.filter((voter) => present.has(voter)).length,
    expected,
    needed: Math.floor(expected / 2) + 1,
  }
}
