import {
  deleteConstraints,
  type EditResult,
  readConfiguration,
  removeColocations,
  removeFromOrders,
  type XmlElement,
} from '../../../cib/index.ts'
import { judgesAsPcs } from '../../as-pcs/speech.ts'
import { type Call, type Command, changeFlags, type Outcome } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'
import { expectWords } from '../../grammar/words.ts'

export const constraintOrderDelete: Command = {
  path: ['constraint', 'order', 'delete'],
  aliases: [['constraint', 'order', 'remove']],
  usage: '<resource>... | <constraint>...',
  summary: 'Remove resources from all orders, or delete orders by id',
  flags: changeFlags,
  completes: ['resource'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, usage: 'constraint order delete <resource>...' })
    return await remove(call, (cib) => removeFromOrders(cib, { resources: call.words }))
  },
}

export const constraintColocationDelete: Command = {
  path: ['constraint', 'colocation', 'delete'],
  aliases: [['constraint', 'colocation', 'remove']],
  usage: '<resource> <other resource> | <constraint>...',
  summary: 'Delete the colocations of a resource with another, or colocations by id',
  flags: changeFlags,
  completes: ['resource', 'resource'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, usage: 'constraint colocation delete <resource> <other resource>' })
    const [dependent = '', primary] = call.words
    return await remove(call, (cib) =>
      primary === undefined
        ? deleteConstraints(cib, { ids: call.words })
        : removeColocations(cib, { dependent, primary, eitherWay: call.speech.program === 'pcs' }),
    )
  },
}

/** Words that are ids of constraints, all of them, mean those. */
async function remove(call: Call, byResources: (cib: XmlElement) => EditResult): Promise<Outcome> {
  return await changeCib(call, {
    edit: (cib) => {
      // pcs 0.12 takes no ids here.
      if (judgesAsPcs(call.speech)) return byResources(cib)
      const ids = readConfiguration(cib).constraints.map(({ id }) => id)
      return call.words.every((word) => ids.includes(word))
        ? deleteConstraints(cib, { ids: call.words })
        : byResources(cib)
    },
    message: ({ removed }) =>
      `Deleted: ${removed.map(({ id, from }) => (from === undefined ? id : `${id} out of ${from}`)).join(', ')}.`,
    facts: ({ removed }) => ({ removed }),
  })
}
