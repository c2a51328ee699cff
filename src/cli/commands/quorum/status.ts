import type { ClusterState, ClusterStateTwoNode } from '../../../rpc/index.ts'
import { type Command, done } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { alignColumns } from '../../call/table.ts'
import { expectWords } from '../../grammar/words.ts'
import { describeVote, witnessFacts } from './device.ts'

export const quorumStatus: Command = {
  path: ['quorum', 'status'],
  aliases: [['status', 'quorum']],
  usage: '',
  summary: 'Show whether this node has quorum, the votes and the members',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'quorum status' })
    const state = await liveCluster(call).getState({ askStore: true })
    return done(describeQuorum(state), {
      quorate: state.quorate,
      votes: state.votes,
      dc: state.dc ?? null,
      term: state.term ?? null,
      members: state.members.map(({ joiningVote = false, ...member }) => ({
        ...member,
        votes: member.votes && !joiningVote,
        joiningVote,
      })),
      store: state.store,
      twoNode: state.twoNode ?? null,
      witness: state.witness === undefined ? null : witnessFacts(state.witness),
    })
  },
}

function describeQuorum(state: ClusterState): string {
  const { votes, store, twoNode, witness } = state
  const facts = alignColumns([
    ['Quorate:', state.quorate ? 'yes' : 'no'],
    ['Votes:', `${votes.present} of ${votes.expected} (${votes.needed} needed)`],
    ['DC:', state.dc ? `${state.dc} (term ${state.term ?? '?'})` : 'none'],
    ['Store:', `${store.kind}, ${store.healthy ? 'healthy' : (store.message ?? 'not healthy')}`],
    ...(twoNode === undefined ? [] : [['Two nodes:', describeTwoNode(twoNode)]]),
  ])
  const fed = state.members.some(({ watchdogMs }) => watchdogMs !== undefined)
  const rows = state.members.map(({ node, state: membership, address, votes: voter, joiningVote, watchdogMs }) => [
    node,
    membership,
    joiningVote ? 'joining' : voter ? 'votes' : 'does not vote',
    address,
    ...(fed ? [watchdogMs === undefined ? 'none' : `${watchdogMs / 1000} s`] : []),
  ])
  const heads = ['Node', 'State', 'Vote', 'Address', ...(fed ? ['Watchdog'] : [])]
  const last = witness === undefined ? [] : [[witness.name, 'witness', describeVote(witness), witness.address]]
  return `${facts}\n${alignColumns([heads, ...rows, ...last])}`
}

/** Who may go on, in a cluster in which neither has a majority without the other. */
function describeTwoNode({ alone, fencingEnabled, message }: ClusterStateTwoNode): string {
  if (message !== undefined) return message
  if (alone) return 'one of them votes alone; the other votes again after it has rejoined'
  return fencingEnabled
    ? 'a node that loses the other fences it and continues alone'
    : 'fencing is disabled, so neither continues without the other'
}
