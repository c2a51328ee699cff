import { findResource, isPromotable, setResourceMeta } from '../../../cib/index.ts'
import { judgesAsPcs } from '../../as-pcs/speech.ts'
import { type Command, changeFlags, Refusal } from '../../call/command.ts'
import { changeCib, takesAnyValue } from '../../change/change.ts'
import { refuseNodesByTheWay } from '../../grammar/guest-and-remote.ts'
import { expectWords, parsePairs } from '../../grammar/words.ts'
import { refuseUnpromotable } from '../../host/clone-options.ts'

export const resourceMeta: Command = {
  path: ['resource', 'meta'],
  aliases: [['stonith', 'meta']],
  usage: '<resource> <name>=<value>...',
  summary: 'Set meta-attributes of a resource; an empty value removes one',
  examples: ['systole resource meta web priority=10 migration-threshold='],
  flags: changeFlags,
  completes: ['resource', 'anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, usage: 'resource meta <resource> <name>=<value>...' })
    const [id = '', ...words] = call.words
    const written = parsePairs(words, 'meta-attributes')
    refuseNodesByTheWay(call, { meta: written })
    const meta = Object.fromEntries(written)
    const { cib } = await call.cluster.readCib()
    if (call.speech.program === 'pcs' && findResource(cib, id)?.name === 'bundle')
      throw new Refusal(`unable to find a resource/clone/group: ${id}`)
    const kind = findResource(cib, id)?.name ?? ''
    if (['clone', 'master'].includes(kind) && isPromotable({ promotable: false, cloneMeta: meta }))
      await refuseUnpromotable(call, cib, id)
    return await changeCib(call, {
      edit: (cib) =>
        setResourceMeta(cib, { id, meta, force: takesAnyValue(call), modernizes: judgesAsPcs(call.speech) }),
      message: () => `Meta-attributes of ${id}: ${words.join(' ')}.`,
    })
  },
}
