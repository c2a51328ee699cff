/** `crm configure primitive …` and its kin: one statement in crmsh's words, typed as a command. */
import { elementWithId, loadElements } from '../../../cib/index.ts'
import { type Command, changeFlags, Refusal } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'
import { readStatement } from '../../crmsh/read.ts'
import { expectWords } from '../../grammar/words.ts'

const statements = [
  { keyword: 'primitive', usage: '<id> <agent> [params <name>=<value>...] [op <operation> <name>=<value>...]...' },
  { keyword: 'group', usage: '<id> <resource>... [meta <name>=<value>...]' },
  { keyword: 'clone', usage: '<id> <resource> [meta <name>=<value>...]' },
  { keyword: 'ms', usage: '<id> <resource> [meta <name>=<value>...]' },
  { keyword: 'location', usage: '<id> <resource> <score>: <node>' },
  { keyword: 'colocation', usage: '<id> <score>: <resource> <resource>' },
  { keyword: 'order', usage: '<id> <kind | score>: <resource> <resource>' },
  { keyword: 'rsc_ticket', usage: '<id> <ticket>: <resource> [loss-policy=<policy>]' },
  { keyword: 'tag', usage: '<id>: <resource>...' },
] as const

const settings = ['property', 'rsc_defaults', 'op_defaults'] as const

export const configureStatements: readonly Command[] = [
  ...statements.map(({ keyword, usage }) => command(keyword, usage, true)),
  ...settings.map((keyword) => command(keyword, '<name>=<value>...', false)),
]

function command(keyword: string, usage: string, isNew: boolean): Command {
  return {
    path: ['configure', keyword],
    usage,
    summary: isNew ? `Add a ${keyword} in crmsh syntax` : `Set a ${keyword} in crmsh syntax`,
    details: "The parameters are not checked against the agents. 'resource create' and 'constraint …' check more.",
    flags: changeFlags,
    completes: ['anything', 'resource'],
    run: async (call) => {
      expectWords(call.words, { atLeast: 1, usage: `configure ${keyword} ${usage}` })
      const statement = readStatement([keyword, ...call.words])
      const id = statement.element.attributes.id ?? ''
      return await changeCib(call, {
        edit: (cib) => {
          if (isNew && elementWithId(cib, id) !== undefined)
            throw new Refusal(`'${id}' already exists. Change it with 'configure load update'.`)
          return loadElements(cib, [statement])
        },
        message: () => (isNew ? `Added: ${id}.` : `Set: ${call.words.join(' ')}.`),
        facts: ({ created }) => ({ created }),
      })
    },
  }
}
