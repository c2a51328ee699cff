/** What the disk says of whether this node takes part in its cluster, and what becomes of it at a start. */
import { takesNoChange } from '../../base/index.ts'
import { refuse } from '../../rpc/index.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { isEnabled, markStarted, takesPart } from '../host/takes-part.ts'
import { isLeftStopped, noteStarted } from '../jobs/left-stopped.ts'

/** At the start of the daemon. */
export function mustTakePart(paths: Paths, log: Log): boolean {
  if (takesPart(paths)) return true
  // By a command of a rollout, which would have started the cluster again.
  if (!isEnabled(paths) || !isLeftStopped(paths.data)) return false
  log.info('a command of a rollout was lost in which the cluster was stopped here: it is started', {})
  return true
}

/** A disk that takes no change does not keep a node out that took part before: its resources run, and the others may have a store. */
export function noteStart(paths: Paths, log: Log): void {
  try {
    markStarted(paths)
    noteStarted(paths.data)
  } catch (error) {
    if (!takesNoChange(error)) throw error
    const why = `${paths.startedMark} cannot be written (${String(error)})`
    if (!takesPart(paths)) throw refuse('disk-takes-no-change', `${why}: free some space there, then start again.`)
    log.warn('the start of this node is not noted on its disk', { why })
  }
}
