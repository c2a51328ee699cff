import { isoTime } from '../../../base/index.ts'
import {
  isSecretName,
  printXml,
  secretNames,
  textWithoutSecrets,
  withoutSecrets,
  type XmlElement,
} from '../../../cib/index.ts'
import type { ConfigVersion } from '../../../rpc/index.ts'
import { parseAnswer } from '../../access/live-access.ts'
import { type Call, type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { alignColumns } from '../../call/table.ts'
import { describeDifference, difference } from '../../change/difference.ts'
import { expectWords } from '../../grammar/words.ts'

export const configHistory: Command = {
  path: ['config', 'history'],
  aliases: [
    ['config', 'checkpoint'],
    ['config', 'checkpoint', 'list'],
    ['config', 'checkpoint', 'view'],
  ],
  usage: '[<version> [--show-secrets]]',
  summary: 'Show who changed the configuration, when and by which command; or one version as XML',
  flags: [{ name: 'show-secrets', summary: 'Show passwords and tokens in the XML' }],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'config history [<version>]' })
    const [wanted] = call.words
    if (wanted !== undefined) {
      const { entry, cib } = await configurationAt(call, wanted)
      const xml = printXml(call.flags.has('show-secrets') ? cib : withoutSecrets(cib, secretNames(cib)))
      return done(xml, { ...publicEntry(entry), xml })
    }
    const { versions: all } = await liveCluster(call).listConfigVersions({})
    const versions = all.map(publicEntry)
    const rows = versions.map((one) => [
      String(one.version),
      moment(one.time),
      `${one.user}@${one.node}`,
      `${one.command}${waitsNote(one)}`,
    ])
    return done(alignColumns([['Version', 'Time', 'By', 'Command'], ...rows]), versions)
  },
}

export const configDiff: Command = {
  path: ['config', 'diff'],
  aliases: [['config', 'checkpoint', 'diff']],
  usage: '[<version> [<version>]]',
  summary: 'Show what changed between two versions of the configuration',
  details: 'Without versions: show the last change. With one version: show all changes since then.',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 2, usage: 'config diff [<version> [<version>]]' })
    const { versions } = await liveCluster(call).listConfigVersions({})
    const latest = Math.max(...versions.map(({ version }) => version))
    const from = await configurationAt(call, call.words[0] ?? String(latest - 1))
    const to = await configurationAt(call, call.words[1] ?? String(latest))
    const changes = difference(from.cib, to.cib)
    const title = `From version ${from.entry.version} to ${to.entry.version} (${moment(to.entry.time)}, ${to.entry.user}@${to.entry.node}: ${publicEntry(to.entry).command}):\n`
    return done(title + describeDifference(changes), {
      from: publicEntry(from.entry),
      to: publicEntry(to.entry),
      changes,
    })
  },
}

export async function configurationAt(
  call: Call,
  word: string,
): Promise<{ readonly entry: ConfigVersion; readonly cib: XmlElement }> {
  const version = Number(word)
  if (!Number.isInteger(version))
    throw new Refusal(`'${word}' is not a version of the configuration. 'systole config history' lists the versions.`)
  const { found, entry, xml } = await liveCluster(call).getConfigVersion({ version })
  if (!found)
    throw new Refusal(
      `There is no version ${version} of the configuration. 'systole config history' lists the versions.`,
    )
  return { entry, cib: parseAnswer(xml) }
}

function waitsNote({ confirmUntil, undoFailed }: ConfigVersion): string {
  if (undoFailed !== undefined) return ` (not confirmed; could not be taken back: ${undoFailed})`
  return confirmUntil === undefined ? '' : ` (taken back at ${moment(confirmUntil)} unless confirmed)`
}

/** A former version, or another program, may have told the command with what is secret. */
export function publicEntry<Entry extends ConfigVersion>(entry: Entry): Entry {
  return { ...entry, command: textWithoutSecrets(entry.command, isSecretName) }
}

export const moment = (time: string): string => isoTime(Math.floor(Date.parse(time) / 1000))
