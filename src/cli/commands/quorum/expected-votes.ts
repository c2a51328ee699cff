/**
 * In Corosync this lowers the number of votes that a majority is counted of, on a cluster that has lost nodes. Votes of the store cannot be told away, but whoever types
 * this has lost nodes all the same: so the answer is the way on from where the cluster stands.
 */
import type { ClusterState, LocalClient } from '../../../rpc/index.ts'
import { type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster, startedCluster } from '../../call/live.ts'
import { expectWords } from '../../grammar/words.ts'

export const quorumExpectedVotes: Command = {
  path: ['quorum', 'expected-votes'],
  usage: '<votes>',
  summary: 'Check the number of votes, and show how a cluster that lost nodes can continue',
  details:
    "The votes are those of the store members, and more than half of them must be present. The cluster removes the vote of a node that was fenced or confirmed to be off. If too many nodes are lost at once, 'quorum unblock' lets the last voter continue.",
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'quorum expected-votes <votes>' })
    const [asked = ''] = call.words
    if (!/^[1-9]\d*$/.test(asked))
      throw new Refusal(`'${asked}' is not a number of votes. Specify a whole number above 0.`)
    const live = liveCluster(call)
    const state = await startedCluster(call)
    if (Number(asked) === state.votes.expected)
      return done(`Nothing to change: ${asked} ${Number(asked) === 1 ? 'vote is' : 'votes are'} already expected.\n`, {
        expected: Number(asked),
      })
    throw new Refusal(
      `${describeVotes(state)} ${state.quorate ? wayOnWithQuorum(state) : await wayOnWithout(live, state)}`,
    )
  },
}

type Judged = Pick<ClusterState, 'votes' | 'members' | 'localNode' | 'witness'>

const describeVotes = ({ votes: { present, expected, needed } }: Judged): string =>
  `The number of votes cannot be set, because the store members vote: ${present} of ${expected} are present, ${needed} are required.`

const lostVoters = ({ members }: Judged): readonly string[] =>
  members.flatMap(({ node, votes, state }) => (votes && state !== 'member' ? [node] : []))

export function wayOnWithQuorum(state: Judged): string {
  const lost = lostVoters(state)
  if (lost.length === 0) return 'To change the votes, add or remove nodes: cluster node add, cluster node remove.'
  const confirm = lost.map((node) => `systole stonith confirm ${node}`).join(', ')
  return `The cluster removes the votes of lost nodes once they are fenced or confirmed to be off (${confirm}). Remove nodes that will not return with 'cluster node remove'.`
}

/** The daemon knows whether this node may go on alone, and with whose loss. */
async function wayOnWithout(live: LocalClient, state: Judged): Promise<string> {
  const left = othersLeft(state)
  if (left !== undefined) return left
  try {
    const { nodes } = await live.unblockQuorum({ confirmed: [], onlyAsk: true })
    return `If ${nodes.join(', ')} cannot be started and ${nodes.length === 1 ? 'is' : 'are'} off, run 'systole quorum unblock' on this node.`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** With several voters left, too few for a majority, only one can go on alone: two that did so would not merge. Undefined where this one is the last. */
export function othersLeft(state: Judged): string | undefined {
  const { members, localNode, witness } = state
  const heard = members.flatMap(({ node, votes, state: here }) =>
    votes && here === 'member' && node !== localNode ? [node] : [],
  )
  const breaker = witness?.votes === true && witness.state === 'up' ? witness.name : undefined
  if (heard.length === 0 && breaker === undefined) return undefined
  const stop = [
    ...(heard.length === 0 ? [] : [`systole cluster stop ${heard.join(' ')}`]),
    ...(breaker === undefined ? [] : [`systole qdevice stop net on ${breaker}`]),
    'systole quorum unblock',
    ...(heard.length === 0 ? [] : [`systole cluster start ${heard.join(' ')}`]),
  ]
  return `Start ${lostVoters(state).join(' or ')} if you can. If they are off for good, one of the remaining voters can continue alone and the others join it. On the voter with the newest configuration (systole config history): ${stop.join(', then ')}.`
}
