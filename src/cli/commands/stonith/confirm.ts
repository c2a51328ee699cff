import { type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { expectWords } from '../../grammar/words.ts'

export const stonithConfirm: Command = {
  path: ['stonith', 'confirm'],
  usage: '<node> [--yes]',
  summary: 'Confirm that a node is off when fencing cannot verify it',
  details:
    'The cluster then recovers the resources of the node. If the node is not off, its resources run twice and data is lost: check the machine first.',
  flags: [
    { name: 'yes', summary: 'Do not ask for confirmation' },
    { name: 'force', summary: 'The same as --yes' },
  ],
  completes: ['node'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'stonith confirm <node> [--yes]' })
    const target = call.words[0] ?? ''
    const live = liveCluster(call)
    const sure = call.flags.has('yes') || call.flags.has('force') || (await call.terminal.confirm(question(target)))
    if (sure === undefined)
      throw new Refusal(`Confirming that ${target} is off requires an answer at a terminal, or --yes if you are sure.`)
    if (!sure) throw new Refusal('Nothing was confirmed.')
    await live.confirmFencing({ target })
    return done(`Confirmed that node ${target} is off.\n`, { target, confirmed: true })
  },
}

function question(target: string): string {
  return `If ${target} is not powered off or cut off from its storage, data will be lost. Is it off?`
}
