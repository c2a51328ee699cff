/** Stopping by this node's own decision, stage by stage: later stages hold what earlier ones depend on. */
import type { ResourceId } from '../base/index.ts'
import type { Operation, ReportedResult } from './operation.ts'

export interface LocalStop {
  readonly stages: readonly (readonly Operation[])[]
  /** The call ids of the stage that is under way. */
  readonly running: ReadonlySet<number>
  readonly failed: readonly ResourceId[]
}

/** A failed stop is told but does not hold up the rest: whoever decided to stop has no time for retries. */
export function localStopAfter(stop: LocalStop, result: ReportedResult): LocalStop {
  const running = new Set(stop.running)
  running.delete(result.callId)
  const worked = result.status === 'done' && result.exitCode === result.key.expectedExitCode
  return { ...stop, running, failed: worked ? stop.failed : [...stop.failed, result.resource] }
}
