import type { ClusterState } from '../../../rpc/index.ts'
import { type Command, done } from '../../command.ts'
import { liveCluster } from '../../live.ts'
import { alignColumns } from '../../table.ts'
import { expectWords } from '../../words.ts'

export const quorumConfig: Command = {
  path: ['quorum', 'config'],
  bare: [['quorum']],
  usage: '',
  summary: 'Show who votes, and what a node does that has lost the others',
  details:
    'Nothing here has to be set: three of three or four nodes vote, five of five or more, and a vote is moved when its node is lost. A cluster of two nodes has two_node and wait_for_all by itself.',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'quorum config' })
    const state = await liveCluster(call).getState({})
    const facts = quorumFacts(state)
    return done(
      `${alignColumns([
        ['Voters:', facts.voters.join(', ')],
        ['Needed votes:', String(facts.needed)],
        ['two_node:', facts.twoNode ? 'yes' : 'no'],
        ['wait_for_all:', facts.waitForAll ? 'yes' : 'no'],
      ])}`,
      facts,
    )
  },
}

function quorumFacts({ members, votes, twoNode }: ClusterState) {
  return {
    voters: members.filter((member) => member.votes).map(({ node }) => node),
    needed: votes.needed,
    twoNode: twoNode !== undefined,
    waitForAll: twoNode !== undefined,
  }
}
