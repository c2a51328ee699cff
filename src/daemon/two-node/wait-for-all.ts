/** What is on this machine's disk of whom its node must meet before it takes part (`quorum/meeting.ts`), and of whether it has. */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { type NodeName, takesNoChange } from '../../base/index.ts'
import { meetsFirst } from '../../quorum/index.ts'
import type { Paths } from '../host/paths.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import { readJournal } from './alone-journal.ts'

/** Of a node that has not begun. */
export const mustMeetFirst = (list: ClusterFile, self: NodeName, paths: Paths): boolean =>
  meetsFirst({ list, self, ...metBefore(paths) }) !== undefined

export function metBefore(paths: Paths): { readonly met: boolean; readonly wasGoingAlone?: true } {
  const wasGoingAlone = readJournal(paths).granted === undefined ? {} : ({ wasGoingAlone: true } as const)
  return { met: existsSync(paths.metMark), ...wasGoingAlone }
}

/** In the folder of run-time files, which a boot empties. Where that takes no change, the next daemon of this boot waits for the others. */
export const noteMet = (paths: Paths): void => {
  if (existsSync(paths.metMark)) return
  try {
    writeFileSync(paths.metMark, '')
  } catch (error) {
    if (!takesNoChange(error)) throw error
  }
}

export const forgetMet = (paths: Paths): void => rmSync(paths.metMark, { force: true })
