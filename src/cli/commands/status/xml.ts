import { type Command, done, Refusal } from '../../command.ts'
import { runToolProgram } from '../../tool-program.ts'
import { expectWords } from '../../words.ts'

export const statusXml: Command = {
  path: ['status', 'xml'],
  usage: '',
  summary: 'Show the status as XML, in the form of crm_mon',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'status xml' })
    if (!call.cluster.live) throw new Refusal("'status xml' needs a running cluster: leave out -f.")
    const xml = await runToolProgram('crm_mon', ['-1', '-r', '--output-as=xml'])
    return done(xml, { xml })
  },
}
