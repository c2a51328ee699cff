/** Waits until something holds of a node's state, which is looked at after each of its changes. */
import { timerMs } from '../../base/index.ts'

export interface HasState {
  readonly onState: (listener: () => void) => () => void
}

/** False where it does not hold within the time. */
export async function untilState(node: HasState, holds: () => boolean, timeoutMs: number): Promise<boolean> {
  if (holds()) return true
  return await new Promise((resolve) => {
    const end = (outcome: boolean) => {
      clearTimeout(timer)
      stop()
      resolve(outcome)
    }
    const timer = setTimeout(() => end(false), timerMs(timeoutMs))
    const stop = node.onState(() => {
      if (holds()) end(true)
    })
  })
}
