import type { ClusterState } from '../../../rpc/index.ts'
import { type Command, done } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { alignColumns } from '../../call/table.ts'
import { expectWords } from '../../grammar/words.ts'
import { witnessFacts } from './device.ts'

export const quorumConfig: Command = {
  path: ['quorum', 'config'],
  bare: [['quorum']],
  usage: '',
  summary: 'Show which nodes vote, and how a node behaves when it loses the others',
  details:
    'These values are automatic: three nodes vote in clusters of three or four nodes, five in larger ones, and the vote of a lost node moves to another. Two nodes without a witness use two_node and wait_for_all.',
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
      ])}${facts.device === null ? '' : deviceText(facts.device)}`,
      facts,
    )
  },
}

/** As pcs prints it. */
const deviceText = ({ name, votes, algorithm }: ReturnType<typeof witnessFacts>): string =>
  `Device:\n  votes: ${votes ? 1 : 0}\n  Model: net\n    algorithm: ${algorithm}\n    host: ${name}\n`

function quorumFacts({ members, votes, twoNode, witness }: ClusterState) {
  const nodes = members.filter((member) => member.votes).map(({ node }) => node)
  return {
    voters: witness?.votes === true ? [...nodes, witness.name] : nodes,
    device: witness === undefined ? null : witnessFacts(witness),
    needed: votes.needed,
    twoNode: twoNode !== undefined,
    waitForAll: twoNode !== undefined,
  }
}
