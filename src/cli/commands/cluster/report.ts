import { existsSync } from 'node:fs'
import { type Command, done, Refusal } from '../../command.ts'
import { runToolProgram } from '../../tool-program.ts'
import { expectWords } from '../../words.ts'

export const clusterReport: Command = {
  path: ['cluster', 'report'],
  usage: '[--from "YYYY-M-D H:M:S" [--to "YYYY-M-D H:M:S"]] <file> [--overwrite]',
  summary: 'Collect what somebody else needs to understand a problem, as one archive, without secrets',
  flags: [
    { name: 'from', value: 'moment', summary: 'The log from this moment on' },
    { name: 'to', value: 'moment', summary: 'The log up to this moment' },
    { name: 'overwrite', summary: 'Replace an archive that is there' },
  ],
  completes: ['file'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'cluster report <file>' })
    if (!call.cluster.live) throw new Refusal("'cluster report' needs a running cluster: leave out -f.")
    const file = call.words[0] ?? ''
    const archive = `${file}.tar.gz`
    if (existsSync(archive) && !call.flags.has('overwrite'))
      throw new Refusal(`${archive} is there already: add --overwrite to replace it.`)
    const moments = ['from', 'to'].flatMap((name) => {
      const moment = call.flags.get(name)
      return typeof moment === 'string' ? [`--${name}`, moment] : []
    })
    const said = await runToolProgram('crm_report', [...moments, '--dest', file])
    return done(said, { message: said.trim() })
  },
}
