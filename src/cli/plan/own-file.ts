/** A saved plan is a whole configuration, programs that run as root among it: one that another user could have written is not applied. */
import { closeSync, fstatSync, openSync } from 'node:fs'
import { reasonOf } from '../../base/index.ts'
import { textUpTo } from '../../tools/index.ts'
import { Refusal } from '../call/command.ts'

/** What is checked is what is read: both by one descriptor. */
export function readOwnPlan(file: string): string {
  const opened = open(file)
  try {
    const { uid, mode } = fstatSync(opened)
    if (uid !== 0 && uid !== process.geteuid?.())
      throw new Refusal(
        `${file} belongs to another user, who may have changed it. Make the plan yourself with 'systole plan'.`,
      )
    if ((mode & 0o022) !== 0)
      throw new Refusal(`${file} can be written by other users. Make the plan again with 'systole plan'.`)
    return textUpTo(opened)
  } finally {
    closeSync(opened)
  }
}

function open(file: string): number {
  try {
    return openSync(file, 'r')
  } catch (error) {
    throw new Refusal(`${file} cannot be read: ${reasonOf(error)}.`)
  }
}
