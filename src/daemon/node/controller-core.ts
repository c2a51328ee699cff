/** The controller with this cluster's times. */
import type { NodeName } from '../../base/index.ts'
import { monotonicMs } from '../../base/index.ts'
import {
  type ControllerEffect,
  type ControllerInput,
  type ControllerState,
  controllerStep,
  defaultControllerTimings,
  initialController,
  nextControllerAt,
} from '../../controller/index.ts'
import { lossWait } from '../../quorum/index.ts'
import { monotonicNow } from '../host/clock.ts'
import type { Timings } from '../nodes/cluster-file.ts'
import type { Core } from './core-loop.ts'

export function controllerCore(
  self: NodeName,
  timings: Timings,
  perform: (effect: ControllerEffect) => void,
): Core<ControllerState, ControllerInput, ControllerEffect> {
  const { leaseTtlMs, leaseMarginMs, stopTimeMs, restartGraceMs } = timings
  const lossWaitMs = lossWait({ leaseTtlMs, leaseMarginMs, stopTimeMs })
  return {
    initial: initialController(self, { ...defaultControllerTimings, lossWaitMs, registrationMs: restartGraceMs }),
    step: controllerStep,
    perform,
    nextAt: (state) => monotonicMs(nextControllerAt(state, monotonicNow())),
    tick: { kind: 'tick' },
  }
}
