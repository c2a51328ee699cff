import { type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { expectWords } from '../../grammar/words.ts'

export const quorumUnblock: Command = {
  path: ['quorum', 'unblock'],
  usage: '[--yes]',
  summary: 'Confirm that the unreachable nodes are off, so that this node continues without a majority',
  details:
    'In a cluster of two nodes, after both were down, the first one to return waits for the other, because the other may be running. In a larger cluster, a voter without a majority waits for the other voters. With your confirmation this node takes over the store, treats every unreachable node as off and removes their votes; nodes that return discard their data and join again. If one of them is not off, resources run twice and data is lost: check the machines first. If several voters are left, use the one with the newest configuration.',
  flags: [
    { name: 'yes', summary: 'Do not ask for confirmation' },
    { name: 'force', summary: 'The same as --yes' },
  ],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'quorum unblock [--yes]' })
    const live = liveCluster(call)
    const { configVersion } = await live.getState({})
    const { nodes: silent } = await live.unblockQuorum({ confirmed: [], onlyAsk: true })
    const sure =
      call.flags.has('yes') || call.flags.has('force') || (await call.terminal.confirm(question(silent, configVersion)))
    if (sure === undefined)
      throw new Refusal(
        `Continuing without a majority requires confirmation: answer at a terminal, or add --yes if ${silent.join(' and ')} ${silent.length === 1 ? 'is' : 'are'} off.`,
      )
    if (!sure) throw new Refusal('Nothing was changed.')
    const { nodes } = await live.unblockQuorum({ confirmed: silent, onlyAsk: false }, { timeoutMs: unblockTimeoutMs })
    const off = nodes.length === 1 ? `Node ${nodes[0]} counts` : `Nodes ${nodes.join(', ')} count`
    return done(
      `${off} as off. This node continues without ${nodes.length === 1 ? 'it' : 'them'}, with version ${configVersion} of the configuration.\n`,
      { nodes, unblocked: true, configVersion },
    )
  },
}

const unblockTimeoutMs = 60_000
const question = (silent: readonly string[], configVersion: number) =>
  `This node continues with its version ${configVersion} of the configuration; later changes by other nodes are lost when they join again. If a node is not powered off or cut off from its storage, data will be lost. These nodes must be off: ${silent.join(', ')}. ${silent.length === 1 ? 'Is it' : 'Are they'}?`
