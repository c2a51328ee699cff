/** The times of a node and of its controller, from those of its cluster. */
import { defaultControllerTimings } from '../controller/index.ts'
import { lossWait } from '../quorum/index.ts'
import type { NodeSetup } from './state.ts'

export interface ClusterTimings {
  readonly leaseTtlMs: number
  readonly leaseMarginMs: number
  readonly stopTimeMs: number
  readonly restartGraceMs: number
}

/** `controller`: what is different from the shipped times beside that. */
export function nodeTimings(
  timings: ClusterTimings,
  controller: Partial<typeof defaultControllerTimings> = {},
): NodeSetup['timings'] {
  const { leaseTtlMs, leaseMarginMs, restartGraceMs } = timings
  const composed = { lossWaitMs: lossWait(timings), registrationMs: restartGraceMs }
  return { leaseTtlMs, leaseMarginMs, controller: { ...defaultControllerTimings, ...composed, ...controller } }
}
