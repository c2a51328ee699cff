import { emptiedConfiguration, loadElements } from '../../../cib/index.ts'
import { type Command, changeFlags, done, Refusal } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'
import { statementsOf } from '../../crmsh/print.ts'
import { readStatements } from '../../crmsh/read.ts'
import { chosen } from '../../grammar/chosen.ts'
import { expectWords } from '../../grammar/words.ts'

export const configureShow: Command = {
  path: ['configure', 'show'],
  bare: [['configure']],
  usage: '[<id>...]',
  summary: "Show the configuration in crmsh syntax, which 'configure load' can read",
  details:
    "Elements without crmsh syntax (bundles, resource sets, rules in parameters, ACLs, alerts) are shown as XML, as crmsh does. The output contains passwords, which 'configure load' needs.",
  completes: ['resource'],
  run: async (call) => {
    const { cib } = await call.cluster.readCib()
    const statements = chosen(statementsOf(cib), call.words, 'element')
    return done(statements.map(({ text }) => text).join(''), statements)
  },
}

export const configureLoad: Command = {
  path: ['configure', 'load'],
  usage: '[update | replace] [<file>]',
  summary: 'Load a configuration in crmsh syntax from a file or standard input',
  details:
    'update changes existing elements and adds new ones. replace replaces the whole configuration; nodes are kept if the text names none.',
  examples: ['systole configure show >saved.crm', 'systole configure load update saved.crm'],
  flags: changeFlags,
  completes: [{ words: ['update', 'replace'] }, 'file'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 2, usage: 'configure load [update | replace] [<file>]' })
    const [first, second] = call.words
    const hasMethod = first === 'update' || first === 'replace' || first === 'push'
    if (!hasMethod && second !== undefined)
      throw new Refusal(`'${first ?? ''}' is not a load method. Specify update or replace.`)
    const replaces = hasMethod && first !== 'update'
    const file = (hasMethod ? second : first) ?? '-'
    const elements = readStatements(await call.terminal.readFile(file === '-' ? '/dev/stdin' : file))
    const namesNodes = elements.some(({ section }) => section === 'nodes')
    return await changeCib(call, {
      edit: (cib) => loadElements(replaces ? emptiedConfiguration(cib, namesNodes ? [] : ['nodes']) : cib, elements),
      message: () => `Loaded ${elements.length} statements.`,
      facts: ({ created }) => ({ created, statements: elements.length }),
    })
  },
}
