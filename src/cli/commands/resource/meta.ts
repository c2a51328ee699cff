import { setResourceMeta } from '../../../cib/index.ts'
import { changeCib } from '../../change.ts'
import { type Command, changeFlags } from '../../command.ts'
import { expectWords, parsePairs } from '../../words.ts'

export const resourceMeta: Command = {
  path: ['resource', 'meta'],
  aliases: [['stonith', 'meta']],
  usage: '<resource> <name>=<value>...',
  summary: 'Set meta-attributes of a resource; an empty value unsets one',
  examples: ['systole resource meta web priority=10 migration-threshold='],
  flags: changeFlags,
  completes: ['resource', 'anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, usage: 'resource meta <resource> <name>=<value>...' })
    const [id = '', ...words] = call.words
    const meta = Object.fromEntries(parsePairs(words, 'meta-attributes'))
    return await changeCib(call, {
      edit: (cib) => setResourceMeta(cib, { id, meta, force: call.flags.has('force') }),
      message: () => `Meta-attributes of ${id}: ${words.join(' ')}.`,
    })
  },
}
