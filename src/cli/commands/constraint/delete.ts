import { type Constraint, deleteConstraints, readConfiguration } from '../../../cib/index.ts'
import { changeCib } from '../../change.ts'
import { type Command, changeFlags, done } from '../../command.ts'
import { describeConstraints } from '../../describe-constraint.ts'
import { expectWords } from '../../words.ts'

const kinds = ['location', 'colocation', 'order', 'ticket'] as const

export const constraintDelete: Command = {
  path: ['constraint', 'delete'],
  aliases: [
    ['constraint', 'remove'],
    ...kinds.flatMap((kind) => ['delete', 'remove'].map((verb) => ['constraint', kind, verb])),
  ],
  usage: '<constraint>...',
  summary: 'Delete constraints by their ids',
  flags: changeFlags,
  completes: ['constraint'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, usage: 'constraint delete <constraint>...' })
    return await changeCib(call, {
      edit: (cib) => deleteConstraints(cib, { ids: call.words }),
      message: () => `Deleted: ${call.words.join(', ')}.`,
      facts: ({ removed }) => ({ removed }),
    })
  },
}

export const constraintConfig: Command = {
  path: ['constraint', 'config'],
  aliases: [
    ['constraint', 'list'],
    ['constraint', 'show'],
  ],
  usage: '',
  summary: 'Show all constraints',
  flags: [
    { name: 'full', summary: 'Accepted for pcs’s sake: ids are always shown' },
    { name: 'all', summary: 'Accepted for pcs’s sake: expired constraints are always shown' },
  ],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'constraint config' })
    return show(readConfiguration((await call.cluster.readCib()).cib).constraints)
  },
}

/** `constraint location config` and its kin show one kind. */
export const constraintKindConfigs: readonly Command[] = kinds.map((kind) => ({
  path: ['constraint', kind, 'config'],
  aliases: [
    ['constraint', kind, 'show'],
    ['constraint', kind, 'list'],
  ],
  usage: '',
  summary: `Show ${kind} constraints`,
  flags: [{ name: 'full', summary: 'Accepted for pcs’s sake: ids are always shown' }],
  run: async (call) => {
    const { constraints } = readConfiguration((await call.cluster.readCib()).cib)
    return show(constraints.filter((constraint) => constraint.kind === kind))
  },
}))

function show(constraints: readonly Constraint[]): ReturnType<typeof done> {
  const text = describeConstraints(constraints)
  return done(text === '' ? 'There are no constraints.\n' : text, constraints)
}
