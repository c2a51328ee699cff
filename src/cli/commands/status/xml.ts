import { type Command, done } from '../../call/command.ts'
import { expectWords } from '../../grammar/words.ts'
import { runToolProgram } from '../../host/tool-program.ts'

export const statusXml: Command = {
  path: ['status', 'xml'],
  usage: '',
  summary: 'Show the status as XML, in the form of crm_mon',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'status xml' })
    const file = call.flags.get('file')
    const xml = await runToolProgram(
      'crm_mon',
      ['-1', '-r', '--output-as=xml'],
      typeof file === 'string' ? { CIB_file: file } : {},
    )
    return done(xml, { xml })
  },
}
