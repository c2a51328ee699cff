import { type Command, done, Refusal } from '../../command.ts'
import { liveCluster } from '../../live.ts'
import { expectWords } from '../../words.ts'

export const quorumUnblock: Command = {
  path: ['quorum', 'unblock'],
  usage: '[--yes]',
  summary: 'Give your word that the silent nodes are off, so that this one goes on without a majority',
  details:
    'In a cluster of two nodes, after both were down, the first one to return waits for the other, because the other may be running. In a larger one, a voter that is left without a majority waits for the other voters. With your word this node makes the store its own, counts every silent node as off and takes their votes; nodes that return discard their data and join again. If one of them is not off, resources run twice and data is lost: look at the machines first. Of several voters that are left, take the one with the newest configuration.',
  flags: [
    { name: 'yes', summary: 'Do not ask' },
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
        `Going on alone needs a person: answer at a terminal, or add --yes if ${silent.join(' and ')} ${silent.length === 1 ? 'is' : 'are'} off.`,
      )
    if (!sure) throw new Refusal('Nothing was changed.')
    const { nodes } = await live.unblockQuorum({ confirmed: silent, onlyAsk: false }, { timeoutMs: unblockTimeoutMs })
    const off = nodes.length === 1 ? `Node ${nodes[0]} counts` : `Nodes ${nodes.join(', ')} count`
    return done(
      `${off} as off. This node goes on without ${nodes.length === 1 ? 'it' : 'them'}, with version ${configVersion} of the configuration.\n`,
      { nodes, unblocked: true, configVersion },
    )
  },
}

const unblockTimeoutMs = 60_000
const question = (silent: readonly string[], configVersion: number) =>
  `This node goes on with its version ${configVersion} of the configuration: what others have changed since is lost when they join again. If a node is not powered off or cut from its storage, data will be lost. Off must be: ${silent.join(', ')}. ${silent.length === 1 ? 'Is it' : 'Are they'}?`
