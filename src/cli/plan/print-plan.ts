/** A plan for people. */

import { alignColumns } from '../call/table.ts'
import { describeDifference } from '../change/difference.ts'
import { printLeftStopped } from '../change/left-stopped.ts'
import { printPlannedActions } from '../change/planned-actions.ts'
import type { Plan } from './make-plan.ts'

/** What has no counterpart with its line and what to do; what is not needed in one line. */
export function printLeftOut(leftOut: Plan['leftOut']): string {
  const [without, unneeded] = [
    leftOut.filter(({ why }) => why !== undefined),
    leftOut.filter(({ why }) => why === undefined),
  ]
  const words = [...new Set(unneeded.map(({ what }) => what))].sort()
  return [
    without.length === 0 ? '' : '\nThe cluster has no counterpart for these, and they are left out:\n',
    ...without.map(({ place, what, why = '' }) => `  ${place}: ${what}: ${why}\n`),
    words.length === 0 ? '' : `\nNot needed here: ${words.join(', ')}\n`,
  ].join('')
}

export function printPlan({
  changes,
  actions,
  leftStopped,
  untouched,
  interruptions,
  kept,
  notes,
  leftOut,
}: Plan): string {
  const told = [
    ...(kept.length === 0
      ? []
      : [
          '\nChanged in the cluster since the file was last applied, and left so (--overwrite takes the file’s):\n',
          ...kept.map((one) => `  ${one}\n`),
        ]),
    ...notes.map((note) => `\nNote: ${note}\n`),
    printLeftOut(leftOut),
  ].join('')
  if (changes.length === 0) return `Nothing to change.\n${told}`
  const actionsText =
    actions.length === 0 ? 'No resource is started, stopped or moved.\n' : `Actions:\n${printPlannedActions(actions)}`
  return [
    `Configuration:\n${describeDifference(changes)}\n${actionsText}`,
    `\nUntouched: ${untouched.length === 0 ? 'none' : untouched.join(', ')}\n`,
    leftStopped.length === 0 ? '' : `\nThis will not run:\n${printLeftStopped(leftStopped)}`,
    interruptions.length === 0
      ? ''
      : `\nInterruptions, by recorded times of operations:\n${alignColumns(
          interruptions.map(({ resource, ms, isUnknown }) => [
            resource,
            `${isUnknown ? 'more than ' : ''}${(ms / 1000).toFixed(1)} s`,
          ]),
          '  ',
        )}`,
    told,
  ].join('')
}
