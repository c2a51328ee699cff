/** `config revert`: takes one change back and keeps what was changed later. The inverse of the change is merged by three sides, as a cluster file is. */
import { ok } from '../../../base/index.ts'
import {
  configurationElement,
  type Divergence,
  hiddenValue,
  type IsSecret,
  mergeThreeWays,
  secretNames,
} from '../../../cib/index.ts'
import { type Command, changeFlags, Refusal } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'
import { expectWords } from '../../grammar/words.ts'
import { configurationAt } from './history.ts'

export const configRevert: Command = {
  path: ['config', 'revert'],
  usage: '<version>',
  summary: 'Take back the change of one version of the configuration, and keep all later changes',
  details:
    'Elements and options that the version added are removed, those that it removed are added again, and those that it changed get their former values. If a later version changed the same thing, nothing is done and the conflict is named. ' +
    "'config undo' restores a whole version instead. A revert is a change like any other: it can be previewed, is recorded in the history, and can be reverted.",
  examples: ['systole config revert 12 --preview', 'systole config revert 12 --wait'],
  flags: changeFlags,
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'config revert <version>' })
    const [word = ''] = call.words
    const after = await configurationAt(call, word)
    const { version } = after.entry
    if (version <= 1) throw new Refusal('Version 1 is the first configuration. There is nothing before it.')
    const before = await configurationAt(call, String(version - 1))
    const isSecret = secretNames(before.cib, after.cib)
    return await changeCib(call, {
      edit: (running) => {
        const { cib, conflicts } = mergeThreeWays(running, {
          base: configurationElement(after.cib),
          wanted: configurationElement(before.cib),
        })
        if (conflicts.length > 0) throw inTheWay(version, conflicts, isSecret)
        return ok({ cib, created: [], removed: [] })
      },
      message: () => `Took back the change of version ${version}.`,
      showsDifference: true,
    })
  },
}

function inTheWay(version: number, conflicts: readonly Divergence[], isSecret: IsSecret): Refusal {
  return new Refusal(
    ...conflicts.map((one) => describeConflict(version, one, isSecret)),
    `Later versions changed the same things as version ${version}. Nothing was changed. Revert those versions first ('systole config diff ${version}' shows what they changed), or change it by hand.`,
  )
}

function describeConflict(
  version: number,
  { id, what, base, running, wanted }: Divergence,
  isSecret: IsSecret,
): string {
  if (what === '') return `${id} was ${running === undefined ? 'removed' : 'changed'} after version ${version}.`
  const shown = (value: string | undefined): string =>
    value === undefined ? 'not set' : isSecret(what) ? hiddenValue : `'${value}'`
  return `${id}: ${what} is ${shown(running)} now. Version ${version} changed it from ${shown(wanted)} to ${shown(base)}.`
}
