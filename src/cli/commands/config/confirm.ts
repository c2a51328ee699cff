/** `config confirm`: keeps what a command with `--confirm-within` changed. */
import { type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { expectWords } from '../../grammar/words.ts'

export const configConfirm: Command = {
  path: ['config', 'confirm'],
  usage: '[<version>]',
  summary: 'Keep a change that was made with --confirm-within',
  details:
    'Without a version: the one change that waits. Every command that changes the configuration takes --confirm-within=<time>; if nobody confirms the change in that time, for example because it cut the administrator off, the DC takes it back. ' +
    "Later changes of other things are kept. 'status' and 'config history' show what waits.",
  examples: ['systole resource update vip ip=10.0.0.101 --confirm-within=5m', 'systole config confirm'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'config confirm [<version>]' })
    const live = liveCluster(call)
    const [word] = call.words
    const version = word === undefined ? onlyOne((await live.listConfigVersions({})).versions) : versionOf(word)
    await live.confirmChange({ version, also: [] })
    return done(`Confirmed version ${version} of the configuration.\n`, { version })
  },
}

function versionOf(word: string): number {
  if (/^[1-9]\d{0,14}$/.test(word)) return Number(word)
  throw new Refusal(`'${word}' is not a version of the configuration. 'systole config history' lists the versions.`)
}

function onlyOne(
  versions: readonly { readonly version: number; readonly confirmUntil?: string | undefined }[],
): number {
  const [one, ...others] = versions
    .filter(({ confirmUntil }) => confirmUntil !== undefined)
    .map(({ version }) => version)
  if (one === undefined)
    throw new Refusal(
      "No change of the configuration waits for confirmation. 'systole config history' shows whether one was taken back.",
    )
  if (others.length > 0)
    throw new Refusal(`Versions ${[one, ...others].join(', ')} wait for confirmation. Specify one of them.`)
  return one
}
