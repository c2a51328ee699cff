import { deleteResources } from '../../../cib/index.ts'
import { besides, removalLines } from '../../as-pcs/removals.ts'
import { type Command, changeFlags } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'
import { takesLastFencing } from '../../change/fencing-left.ts'
import { describeRemoved } from '../../change/removed.ts'
import { stopConnections } from '../../change/stop-connections.ts'
import { expectWords } from '../../grammar/words.ts'

export const resourceDelete: Command = {
  path: ['resource', 'delete'],
  aliases: [
    ['resource', 'remove'],
    ['stonith', 'delete'],
    ['stonith', 'remove'],
  ],
  usage: '<resource>...',
  summary: 'Stop and delete resources, with all references to them',
  details:
    'A group, clone or bundle is deleted with its members. Constraints, tags and fencing levels that name the resource are deleted, too, and listed.',
  flags: changeFlags,
  completes: ['resource'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, usage: 'resource delete <resource>...' })
    await stopConnections(call, call.words)
    return await changeCib(call, {
      edit: (cib) => deleteResources(cib, { ids: call.words }),
      message: (edited) => `Deleted: ${call.words.join(', ')}.${describeRemoved(edited, call.words)}`,
      facts: ({ removed }) => ({ removed }),
      notices: ({ cib }, before) => besides(removalLines(before, cib, call.words)),
      advisesAgainst: (before, after) => takesLastFencing(call, before, after),
    })
  },
}
