/**
 * A command of a rollout that stops the cluster on its node starts it again, however it ends. Where the host lost power in it, nobody is left who would:
 * the daemon does, once, when it begins. Otherwise the node stayed stopped, its command unanswered, and neither `resume` nor `abort` could go on.
 */
import { join } from 'node:path'
import { startsClusterAgain } from '../../rollout/index.ts'
import { argvOf, folders, hasBegun, isRunning, isSettled, readResult, settle, tasksFolder } from './task-files.ts'

export const isLeftStopped = (data: string): boolean => leftBehind(data).length > 0

/** The cluster is started: whoever stops it from now on means it. */
export function noteStarted(data: string): void {
  for (const folder of leftBehind(data)) settle(folder)
}

const leftBehind = (data: string): readonly string[] =>
  folders(tasksFolder(data))
    .map((id) => join(tasksFolder(data), id))
    .filter(
      (folder) =>
        hasBegun(folder) &&
        readResult(folder) === undefined &&
        !isRunning(folder) &&
        !isSettled(folder) &&
        startsClusterAgain(argvOf(folder)),
    )
