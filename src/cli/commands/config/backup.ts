import { childElement, printXml } from '../../../cib/index.ts'
import { timeIn } from '../../../journal/index.ts'
import { type Call, type Command, changeFlags, done, Refusal } from '../../call/command.ts'
import { expectWords } from '../../grammar/words.ts'

export const configBackup: Command = {
  path: ['config', 'backup'],
  usage: '[<file>]',
  summary: 'Save the configuration into a file, or print it',
  details:
    "Saves the configuration as XML for 'config restore'. Certificates and the node list are not included: they belong to the hosts.",
  completes: ['file'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'config backup [<file>]' })
    const { cib, version } = await call.cluster.readCib()
    const configuration = childElement(cib, 'configuration')
    if (!configuration) throw new Refusal('The CIB has no <configuration>: there is nothing to save.')
    const xml = printXml({ ...cib, children: [configuration] })
    const [file] = call.words
    if (file === undefined) return done(xml, { version, xml })
    await call.terminal.writeFile(file, xml)
    return done(`Saved version ${version} of the configuration to ${file}.\n`, { version, file })
  },
}

export const configRestore: Command = {
  path: ['config', 'restore'],
  usage: '<file> [--wait[=<seconds>]]',
  summary: "Restore a configuration that 'config backup' saved",
  flags: [
    ...changeFlags,
    {
      name: 'local',
      summary: 'Without effect, accepted for compatibility with pcs: the configuration is the same on all nodes',
      withoutEffect: 'the configuration is the same on all nodes.',
    },
  ],
  completes: ['file'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'config restore <file>' })
    const [file = ''] = call.words
    await readOrUndo(call, file)
    const flags = [...call.flags]
      .filter(([name]) => changeFlags.some((flag) => flag.name === name))
      .map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`))
    return await call.runOn(['cluster', 'cib-push', file, '--config', ...flags], call.cluster)
  },
}

/** A version or a time in place of a file is for `config undo`. */
async function readOrUndo({ terminal }: Call, word: string): Promise<void> {
  const way = /^\d+$/.test(word) ? word : timeIn(word) === undefined ? undefined : `--at='${word}'`
  if (way === undefined) return
  try {
    await terminal.readFile(word)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const what = way === word ? `version ${word}` : `the version of ${word}`
    throw new Refusal(`There is no file '${word}'. To restore ${what}, run: systole config undo ${way}`)
  }
}
