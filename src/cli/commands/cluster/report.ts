import { existsSync } from 'node:fs'
import { type Command, done, Refusal } from '../../call/command.ts'
import { expectWords } from '../../grammar/words.ts'
import { runToolProgram } from '../../host/tool-program.ts'

export const clusterReport: Command = {
  path: ['cluster', 'report'],
  usage: '[--from "YYYY-M-D H:M:S" [--to "YYYY-M-D H:M:S"]] <file> [--overwrite]',
  summary: 'Collect logs, configuration and status for troubleshooting in one archive, without secrets',
  flags: [
    { name: 'from', value: 'moment', summary: 'Include the log from this time on' },
    { name: 'to', value: 'moment', summary: 'Include the log up to this time' },
    { name: 'overwrite', summary: 'Overwrite an existing archive' },
  ],
  completes: ['file'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'cluster report <file>' })
    if (!call.cluster.live) throw new Refusal("'cluster report' needs a running cluster. Omit -f.")
    const file = call.words[0] ?? ''
    const archive = `${file}.tar.gz`
    if (existsSync(archive) && !call.flags.has('overwrite'))
      throw new Refusal(`${archive} already exists. Add --overwrite to replace it.`)
    const moments = ['from', 'to'].flatMap((name) => {
      const moment = call.flags.get(name)
      return typeof moment === 'string' ? [`--${name}`, moment] : []
    })
    const said = await runToolProgram('crm_report', [...moments, '--dest', file])
    return done(said, { message: said.trim() })
  },
}
