/** `export`: the configuration as a cluster file. */
import { secretNames, secretValues } from '../../../cib/index.ts'
import { withoutHolds } from '../../../holds/index.ts'
import { type Command, done } from '../../call/command.ts'
import { expectWords } from '../../grammar/words.ts'
import { exportConfiguration } from '../../plan/export.ts'
import { writeClusterFile } from '../../plan/write-file.ts'

export const exportFile: Command = {
  path: ['export'],
  usage: '[<file>] [--show-secrets]',
  summary: 'Write the configuration as a cluster file (YAML), for apply',
  details:
    'Elements without fields in the format are in it as XML. Passwords and tokens are left to environment variables, which the file names, unless --show-secrets is given. ' +
    'Applied again, the file changes nothing.',
  examples: ['systole export', 'systole export cluster.yaml --show-secrets'],
  flags: [{ name: 'show-secrets', summary: 'Write passwords and tokens into the file' }],
  completes: ['file'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'export [<file>]' })
    const { cib, version } = await call.cluster.readCib()
    const stored = withoutHolds(cib)
    const hidden = call.flags.has('show-secrets') ? [] : secretValues(stored, secretNames(stored))
    const values = exportConfiguration(stored)
    const { text, secrets } = writeClusterFile(values, new Set(hidden))
    const [file] = call.words
    if (file === undefined)
      return done(text, { version, file: text, secrets, values: secrets.length === 0 ? values : undefined })
    await call.terminal.writeFile(file, text, call.flags.has('show-secrets') ? { writerOnly: true } : {})
    const needs = secrets.length === 0 ? '' : ` It needs the environment variables ${secrets.join(', ')}.`
    return done(`Wrote version ${version} of the configuration to ${file}.${needs}\n`, { version, file, secrets })
  },
}
