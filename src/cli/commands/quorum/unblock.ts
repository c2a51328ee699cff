import { type Command, done, Refusal } from '../../command.ts'
import { liveCluster } from '../../live.ts'
import { expectWords } from '../../words.ts'

export const quorumUnblock: Command = {
  path: ['quorum', 'unblock'],
  usage: '[--yes]',
  summary: 'Give your word that the other of two nodes is off, so that this one goes on alone',
  details:
    'For a cluster of two nodes: after both were down, the first one to return waits for the other, because the other may be running. This node then makes the store its own and starts the resources. If the other node is not off, they run twice and data is lost: look at the machine first.',
  flags: [
    { name: 'yes', summary: 'Do not ask' },
    { name: 'force', summary: 'The same as --yes' },
  ],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'quorum unblock [--yes]' })
    const live = liveCluster(call)
    const { configVersion } = await live.getState({})
    const sure =
      call.flags.has('yes') || call.flags.has('force') || (await call.terminal.confirm(question(configVersion)))
    if (sure === undefined)
      throw new Refusal('Going on alone needs a person: answer at a terminal, or add --yes if the other node is off.')
    if (!sure) throw new Refusal('Nothing was changed.')
    const { node } = await live.unblockQuorum({}, { timeoutMs: unblockTimeoutMs })
    return done(
      `Node ${node} counts as off. This node goes on without it, with version ${configVersion} of the configuration.\n`,
      { node, unblocked: true, configVersion },
    )
  },
}

const unblockTimeoutMs = 60_000
const question = (configVersion: number) =>
  `This node goes on with its version ${configVersion} of the configuration: if the other went on alone after that, its changes are lost when it joins again. If the other node is not powered off or cut from its storage, data will be lost. Is it off?`
