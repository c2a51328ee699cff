import { deleteConstraints } from '../../../cib/index.ts'
import { besides, removalLines } from '../../as-pcs/removals.ts'
import { type Command, changeFlags } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'
import { expectWords } from '../../grammar/words.ts'

export const constraintDelete: Command = {
  path: ['constraint', 'delete'],
  aliases: [
    ['constraint', 'remove'],
    ['constraint', 'location', 'delete'],
    ['constraint', 'location', 'remove'],
  ],
  usage: '<constraint>...',
  summary: 'Delete constraints by id',
  flags: changeFlags,
  completes: ['constraint'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, usage: 'constraint delete <constraint>...' })
    return await changeCib(call, {
      edit: (cib) => deleteConstraints(cib, { ids: call.words }),
      message: () => `Deleted: ${call.words.join(', ')}.`,
      facts: ({ removed }) => ({ removed }),
      notices: ({ cib }, before) => besides(removalLines(before, cib, call.words)),
    })
  },
}
