/** The main thread's handle on the pulse thread. */
import { Worker } from 'node:worker_threads'
import type { TlsIdentity } from '../../rpc/index.ts'
import { programFile } from '../host/install-folder.ts'
import type { FromPulse, PulseSetup, ToPulse } from './messages.ts'

export interface Pulse {
  readonly incarnation: number
  readonly say: (message: ToPulse) => void
  /** Messages that came before are delivered at once. */
  readonly listen: (onMessage: (message: FromPulse) => void, onFailure: (error: unknown) => void) => void
  /** Resolves when the heartbeats show it, and none the one before. */
  readonly useIdentity: (identity: TlsIdentity) => Promise<void>
  /** Resolves when the lease is given back and the thread has ended. */
  readonly leave: () => Promise<void>
  /** Ends the thread and leaves the lease to run out. */
  readonly abandon: () => Promise<void>
}

const leavePatienceMs = 3000

/** A thread that fails takes the daemon with it: a node without a pulse must not go on as if it had one. */
export function startPulse(setup: PulseSetup): Pulse {
  const worker = new Worker(programFile('pulse'), {
    workerData: setup,
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 },
  })
  const early: FromPulse[] = []
  let receive = (message: FromPulse): void => void early.push(message)
  let fail = (error: unknown): void => {
    throw error
  }
  let ended: () => void = () => undefined
  const end = new Promise<void>((resolve) => {
    ended = resolve
  })
  let leaving = false
  const renewed: (() => void)[] = []
  worker.on('message', (message: FromPulse) => {
    if (message.kind === 'left') ended()
    else if (message.kind === 'identity-used') renewed.shift()?.()
    else receive(message)
  })
  worker.on('error', (error) => fail(error))
  worker.on('exit', (code) => {
    ended()
    if (!leaving) fail(new Error(`The pulse thread ended by itself with code ${code}.`))
  })
  return {
    incarnation: setup.incarnation,
    say: (message) => worker.postMessage(message),
    listen: (onMessage, onFailure) => {
      fail = onFailure
      receive = onMessage
      for (const message of early.splice(0)) onMessage(message)
    },
    useIdentity: async (identity) => {
      const used = new Promise<void>((resolve) => renewed.push(resolve))
      worker.postMessage({ kind: 'identity', identity } satisfies ToPulse)
      await Promise.race([used, end])
    },
    leave: async () => {
      leaving = true
      worker.postMessage({ kind: 'leave' } satisfies ToPulse)
      const patience = setTimeout(ended, leavePatienceMs)
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
