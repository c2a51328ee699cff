/** On which disks of SBD this boot has had a slot. In the folder of run-time files, which a boot empties. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere, writeWhole } from '../host/files.ts'
import type { Paths } from '../host/paths.ts'

const markOf = (paths: Paths): string => join(paths.run, 'sbd-slots')

/** By their UUIDs; undefined: on none since this boot, or it has stopped in order since. */
export function slotsOfBoot(paths: Paths): readonly string[] | undefined {
  return readIfThere(markOf(paths))
    ?.split('\n')
    .filter((line) => line !== '')
}

export function noteSlot(paths: Paths, uuid: string): void {
  const had = slotsOfBoot(paths) ?? []
  if (!had.includes(uuid)) writeWhole(markOf(paths), `${[...had, uuid].join('\n')}\n`)
}

/** What was written to the slots of a node that has stopped in order is not meant for what it runs later. */
export const forgetSlots = (paths: Paths): void => rmSync(markOf(paths), { force: true })
