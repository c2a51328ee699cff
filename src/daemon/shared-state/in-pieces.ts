/** Work on a large document is done in pieces on the main thread, between which everything else has its turn. */
import { setImmediate as afterOthers } from 'node:timers/promises'
import type { Steps } from '../../base/index.ts'

export async function inPieces<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    await afterOthers()
  }
}
