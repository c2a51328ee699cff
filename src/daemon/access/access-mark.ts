/** That access control is on stays known on a node that does not take part, or has not read the configuration yet. */
import { rmSync } from 'node:fs'
import { aclIsOn, type Configuration } from '../../cib/index.ts'
import { readIfThere, writeWhole } from '../host/files.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'

export function markAccessControl(
  { accessControlMark: mark }: Paths,
  log: Log,
  configuration: Pick<Configuration, 'options'>,
): void {
  const isMarked = readIfThere(mark) !== undefined
  const isOn = aclIsOn(configuration)
  try {
    if (isOn && !isMarked) writeWhole(mark, '')
    if (!isOn && isMarked) rmSync(mark, { force: true })
  } catch (error) {
    // A node whose disk is full still takes part.
    log.warn('whether access control is on is not noted on the disk', { error })
  }
}
