/** The main thread's handle on the pulse thread. */
import { Worker } from 'node:worker_threads'
import type { FromPulse, PulseSetup, ToPulse } from './messages.ts'

export interface Pulse {
  readonly say: (message: ToPulse) => void
  /** Resolves when the lease is given back and the thread has ended. */
  readonly leave: () => Promise<void>
  /** Ends the thread and leaves the lease to run out. */
  readonly abandon: () => Promise<void>
}

/** A thread that fails takes the daemon with it: a node without a pulse must not go on as if it had one. */
export function startPulse(
  setup: PulseSetup,
  onMessage: (message: FromPulse) => void,
  onFailure: (error: unknown) => void,
): Pulse {
  const worker = new Worker(new URL('./pulse.mjs', import.meta.url), {
    workerData: setup,
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 },
    stdout: false,
    stderr: false,
  })
  let ended: (() => void) | undefined
  const end = new Promise<void>((resolve) => {
    ended = resolve
  })
  let leaving = false
  worker.on('message', (message: FromPulse) => {
    if (message.kind === 'left') ended?.()
    else onMessage(message)
  })
  worker.on('error', onFailure)
  worker.on('exit', (code) => {
    ended?.()
    if (!leaving) onFailure(new Error(`The pulse thread ended by itself with code ${code}.`))
  })
  return {
    say: (message) => worker.postMessage(message),
    leave: async () => {
      leaving = true
      worker.postMessage({ kind: 'leave' } satisfies ToPulse)
      const patience = setTimeout(() => ended?.(), 3000)
      await end
      clearTimeout(patience)
      await worker.terminate()
    },
    abandon: async () => {
      leaving = true
      await worker.terminate()
    },
  }
}
