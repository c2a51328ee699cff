/**
 * `config undo`: the whole configuration as it was at a version, or at a time. What that takes back is named, by whoever made it, before it is done: others
 * may have made changes since that they want to keep.
 */
import { ok } from '../../../base/index.ts'
import { childElement, type XmlElement } from '../../../cib/index.ts'
import { timeIn } from '../../../journal/index.ts'
import type { ConfigVersion } from '../../../rpc/index.ts'
import { type Call, type Command, changeFlags, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { changeCib } from '../../change/change.ts'
import { expectWords } from '../../grammar/words.ts'
import { configurationAt, moment, publicEntry } from './history.ts'

const usage = '[<version> | --at=<time>]'

export const configUndo: Command = {
  path: ['config', 'undo'],
  aliases: [['config', 'checkpoint', 'restore']],
  usage,
  summary: 'Restore the configuration of a version or of a time (default: the version before the last change)',
  details:
    'Undo is a change like any other: it is recorded in the history, and can be undone. --preview shows which changes it takes back, what differs in the configuration, and the actions. ' +
    "A time is UTC unless it has a zone, as in 'config history'; the version of that time is restored. To take back one change and keep later ones, use 'config revert'.",
  examples: [
    'systole config undo --preview',
    'systole config undo 11',
    'systole config undo --at="2026-11-27 21:40" --preview',
  ],
  flags: [...changeFlags, { name: 'at', value: 'time', summary: 'Restore the version that was in force at this time' }],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: `config undo ${usage}` })
    const { versions } = await liveCluster(call).listConfigVersions({})
    const latest = Math.max(...versions.map(({ version }) => version))
    const { entry, cib } = await configurationAt(call, wantedVersion(call, versions, latest))
    const takenBack = versions.filter(({ version }) => version > entry.version).map(publicEntry)
    if (takenBack.length > 0) call.terminal.progress(describeTakenBack(takenBack))
    return await changeCib(call, {
      edit: (running) => ok({ cib: replaceConfiguration(running, cib), created: [], removed: [] }),
      message: () => `Restored version ${entry.version} of the configuration (${moment(entry.time)}).`,
      facts: () => ({ restored: publicEntry(entry), takesBack: takenBack }),
      showsDifference: true,
      shownOf: latest,
    })
  },
}

function wantedVersion(call: Call, versions: readonly ConfigVersion[], latest: number): string {
  const at = call.flags.get('at')
  const [word] = call.words
  if (typeof at !== 'string') return word ?? String(latest - 1)
  if (word !== undefined) throw new Refusal('Specify a version or --at, not both.')
  return String(versionAt(versions, at, call.terminal.now().getTime()))
}

/** What is typed as it is printed, without parts of a second, means all of that second. */
export function versionAt(versions: readonly ConfigVersion[], at: string, nowMs: number): number {
  const time = timeIn(at)
  if (time === undefined)
    throw new Refusal(
      `--at=${at}: This is not a time. Specify one such as '2026-11-27 21:40' or '2026-11-27 22:40 +01:00'.`,
    )
  if (time > nowMs)
    throw new Refusal(`--at=${at}: This time has not come yet; it is ${moment(new Date(nowMs).toISOString())}.`)
  const until = /\.\d+/.test(at) ? time : time + 999
  const found = versions.findLast((one) => Date.parse(one.time) <= until)
  if (found !== undefined) return found.version
  const [first] = versions
  throw new Refusal(
    `--at=${at}: The history begins with version ${first?.version ?? 0}, made at ${moment(first?.time ?? '')}. Specify a later time, or a version of 'systole config history'.`,
  )
}

const mostNamed = 20

function describeTakenBack(versions: readonly ConfigVersion[]): string {
  const left = versions.length - mostNamed
  return [
    'Takes back:',
    ...(left > 0 ? [`* ${left} older changes, which 'systole config history' lists`] : []),
    ...versions
      .slice(-mostNamed)
      .map((one) => `* version ${one.version}, ${moment(one.time)}, ${one.user}@${one.node}: ${one.command}`),
  ].join('\n')
}

function replaceConfiguration(cib: XmlElement, from: XmlElement): XmlElement {
  const configuration = from.name === 'configuration' ? from : childElement(from, 'configuration')
  if (!configuration) throw new Refusal('That version has no <configuration> section.')
  const others = cib.children.filter((child) => child.kind !== 'element' || child.name !== 'configuration')
  return { ...cib, children: [configuration, ...others] }
}
