import { addOperation, removeOperation } from '../../../cib/index.ts'
import { refuseOperationRoles } from '../../as-pcs/operations.ts'
import { judgesAsPcs } from '../../as-pcs/speech.ts'
import { type Command, changeFlags, Refusal } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'
import { readOperations } from '../../grammar/resource-words.ts'
import { expectWords, parsePairs } from '../../grammar/words.ts'

export const resourceOpAdd: Command = {
  path: ['resource', 'op', 'add'],
  aliases: [['stonith', 'op', 'add']],
  usage: '<resource> <operation> [<name>=<value>...]',
  summary: 'Add an operation, such as a monitor with another interval',
  examples: ['systole resource op add db monitor interval=60s OCF_CHECK_LEVEL=10'],
  flags: changeFlags,
  completes: ['resource', { words: ['monitor', 'start', 'stop', 'promote', 'demote'] }],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, usage: 'resource op add <resource> <operation> [<name>=<value>...]' })
    const [resource = '', ...words] = call.words
    const takesAny = judgesAsPcs(call.speech) && call.cluster.live === undefined
    // pcs passes over a word that is empty.
    const typed = judgesAsPcs(call.speech) ? words.filter((word) => word !== '') : words
    const [operation, ...more] = readOperations(typed, takesAny ? 'any' : 'pacemaker')
    if (!operation || more.length > 0) throw new Refusal('Add one operation at a time.')
    refuseOperationRoles(call, [operation])
    return await changeCib(call, {
      edit: (cib) =>
        addOperation(cib, {
          resource,
          operation: { name: operation.name, attributes: Object.fromEntries(operation.attributes) },
          force: call.flags.has('force'),
          anyDuration: takesAny,
        }),
      message: ({ created }) => `${resource} has the operation ${created[0] ?? operation.name}.`,
      facts: ({ created }) => ({ created }),
    })
  },
}

export const resourceOpRemove: Command = {
  path: ['resource', 'op', 'remove'],
  aliases: [
    ['resource', 'op', 'delete'],
    ['stonith', 'op', 'delete'],
    ['stonith', 'op', 'remove'],
  ],
  usage: '<operation id> | <resource> <operation> [interval=<interval>]',
  summary: 'Remove an operation',
  flags: changeFlags,
  completes: ['resource', { words: ['monitor', 'start', 'stop', 'promote', 'demote'] }],
  run: async (call) => {
    expectWords(call.words, {
      atLeast: 1,
      usage: 'resource op remove <operation id> | <resource> <operation> [interval=<interval>]',
    })
    const [first = '', name, ...words] = call.words
    const exact = judgesAsPcs(call.speech)
    const attributes = Object.fromEntries(parsePairs(words, 'options'))
    return await changeCib(call, {
      edit: (cib) =>
        removeOperation(
          cib,
          name === undefined ? { by: 'id', id: first } : { by: 'name', resource: first, name, attributes, exact },
        ),
      message: ({ removed }) => `Removed: ${removed.map(({ id }) => id).join(', ')}.`,
      facts: ({ removed }) => ({ removed }),
    })
  },
}
