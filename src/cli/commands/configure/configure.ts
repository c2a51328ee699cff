import { emptiedConfiguration, loadElements } from '../../../cib/index.ts'
import { changeCib } from '../../change.ts'
import { chosen } from '../../chosen.ts'
import { type Command, changeFlags, done, Refusal } from '../../command.ts'
import { statementsOf } from '../../crmsh/print.ts'
import { readStatements } from '../../crmsh/read.ts'
import { expectWords } from '../../words.ts'

export const configureShow: Command = {
  path: ['configure', 'show'],
  bare: [['configure']],
  usage: '[<id>...]',
  summary: 'Show the configuration in crmsh’s words, which configure load reads back',
  details:
    'What has no words there (bundles, sets of resources, rules in parameters, ACLs, alerts) is shown as XML, as crmsh does. Passwords are in it: configure load must have them.',
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
  summary: 'Read a configuration in crmsh’s words, from a file or from standard input',
  details:
    'update changes what is named and adds what is new. replace makes it the whole configuration; nodes stay where the text names none.',
  examples: ['systole configure show >saved.crm', 'systole configure load update saved.crm'],
  flags: changeFlags,
  completes: [{ words: ['update', 'replace'] }, 'file'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 2, usage: 'configure load [update | replace] [<file>]' })
    const [first, second] = call.words
    const hasMethod = first === 'update' || first === 'replace' || first === 'push'
    if (!hasMethod && second !== undefined)
      throw new Refusal(`'${first ?? ''}' is no way to load: there are update and replace.`)
    const replaces = hasMethod && first !== 'update'
    const file = (hasMethod ? second : first) ?? '-'
    const elements = readStatements(await call.terminal.readFile(file === '-' ? '/dev/stdin' : file))
    const namesNodes = elements.some(({ section }) => section === 'nodes')
    return await changeCib(call, {
      edit: (cib) => loadElements(replaces ? emptiedConfiguration(cib, namesNodes ? [] : ['nodes']) : cib, elements),
      message: () => `${elements.length} statements are in place.`,
      facts: ({ created }) => ({ created, statements: elements.length }),
    })
  },
}
