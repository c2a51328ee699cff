/**
 * Whether a daemon that begins takes part in its cluster: where it did so before. `cluster disable` makes a difference after a boot
 * of the host only: a daemon that was killed comes back in any case, for its resources run.
 */
import { rmSync } from 'node:fs'
import { readBootId } from './boot-id.ts'
import { readIfThere, writeWhole } from './files.ts'
import type { Paths } from './paths.ts'

export function takesPart(paths: Paths): boolean {
  const madeIn = readIfThere(paths.startedMark)
  if (madeIn === undefined) return false
  return isEnabled(paths) || madeIn === '' || madeIn === readBootId()
}

/** A daemon that was killed finds its mark as it left it: it comes back on a disk that takes no change. */
export function markStarted({ startedMark }: Paths): void {
  const boot = readBootId() ?? ''
  if (readIfThere(startedMark) !== boot) writeWhole(startedMark, boot)
}

export function markStopped({ startedMark }: Paths): void {
  rmSync(startedMark, { force: true })
}

export function isEnabled({ disabledMark }: Paths): boolean {
  return readIfThere(disabledMark) === undefined
}

export function setEnabled({ disabledMark }: Paths, enabled: boolean): void {
  if (enabled) rmSync(disabledMark, { force: true })
  else writeWhole(disabledMark, '')
}
