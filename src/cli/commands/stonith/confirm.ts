import { type Command, done, Refusal } from '../../command.ts'
import { liveCluster } from '../../live.ts'
import { expectWords } from '../../words.ts'

export const stonithConfirm: Command = {
  path: ['stonith', 'confirm'],
  usage: '<node> [--yes]',
  summary: 'Give your word that a node is off, where fencing cannot prove it',
  details:
    'The cluster then recovers what the node ran. If the node is not off, its resources run twice and data is lost: look at the machine first.',
  flags: [
    { name: 'yes', summary: 'Do not ask' },
    { name: 'force', summary: 'The same as --yes' },
  ],
  completes: ['node'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'stonith confirm <node> [--yes]' })
    const target = call.words[0] ?? ''
    const live = liveCluster(call)
    const sure = call.flags.has('yes') || call.flags.has('force') || (await call.terminal.confirm(question(target)))
    if (sure === undefined)
      throw new Refusal(
        `Confirming that ${target} is off needs a person: answer at a terminal, or add --yes if you are sure.`,
      )
    if (!sure) throw new Refusal('Nothing was confirmed.')
    await live.confirmFencing({ target })
    return done(`Node ${target} counts as off.\n`, { target, confirmed: true })
  },
}

function question(target: string): string {
  return `If ${target} is not powered off or cut from its storage, data will be lost. Is it off?`
}
