import { type Command, done } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { waitUntilSettled } from '../../change/wait.ts'
import { expectWords } from '../../grammar/words.ts'

export const statusWait: Command = {
  path: ['status', 'wait'],
  usage: '[<seconds>]',
  summary: 'Wait until the cluster has settled',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'status wait [<seconds>]' })
    const { configVersion } = await liveCluster(call).getState({})
    const settled = await waitUntilSettled(call, {
      wait: call.words[0] ?? true,
      version: configVersion,
      concerned: 'all',
    })
    return done(`${settled.message}\n`, settled, settled.settled ? 0 : 1)
  },
}
