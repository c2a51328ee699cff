/** Whether those that go on have a majority when nodes are stopped. A stopped node keeps its vote, since it may be started again. */
import type { ClusterState, Member } from '../../../rpc/index.ts'

type Votes = Pick<ClusterState, 'members' | 'votes' | 'store' | 'quorate' | 'twoNode' | 'witness'>

/** Not while it copies the store. */
const counts = ({ votes, joiningVote }: Pick<Member, 'votes' | 'joiningVote'>): boolean => votes && joiningVote !== true

/**
 * In one sentence, what would be lost; undefined where nothing is: nobody goes on, or nobody counts these votes. `state`: with
 * the votes that the store counts.
 */
export function quorumLostBy(state: Votes, stopped: ReadonlySet<string>): string | undefined {
  const { members, votes, store, quorate, twoNode, witness } = state
  // One of two goes on alone after a clean leave; without quorum there is none to lose.
  if (!quorate || store.kind !== 'etcd' || twoNode !== undefined) return undefined
  const staying = members.filter(({ node, state: membership }) => membership === 'member' && !stopped.has(node))
  const witnessVotes = witness?.state === 'up' && counts(witness)
  const left = staying.filter(counts).length + (witnessVotes ? 1 : 0)
  if (staying.length === 0 || left >= votes.needed) return undefined
  const names = staying.map(({ node }) => node).join(', ')
  return `Without ${[...stopped].join(', ')}, only ${left} of the ${votes.needed} required votes are left: ${names} would lose quorum and stop their resources. Start other nodes first, stop all nodes with --all, or add --force.`
}
