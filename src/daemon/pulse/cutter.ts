/** The pulse thread's handle on the thread that ends connections. */
import { Worker } from 'node:worker_threads'
import { programFile } from '../host/install-folder.ts'
import type { DeadEnd } from './cut-connections.ts'
import type { FromPulse } from './messages.ts'

export type FromCutter = Extract<FromPulse, { readonly kind: 'connections-kept' | 'connections-stay' }>

export class Cutter {
  readonly #tell: (message: FromCutter) => void
  #worker: Worker | undefined

  constructor(tell: (message: FromCutter) => void) {
    this.#tell = tell
  }

  /** Long before it is needed: when a link fails, the disk may have failed with it. */
  prepare(): void {
    this.#running()
  }

  /** All of them, each time. */
  set(ends: readonly DeadEnd[]): void {
    if (this.#worker || ends.length > 0) this.#running().postMessage(ends)
  }

  close(): void {
    void this.#worker?.terminate()
    this.#worker = undefined
  }

  #running(): Worker {
    if (this.#worker) return this.#worker
    const worker = new Worker(programFile('cutter'), {
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 1 },
    })
    worker.on('message', this.#tell)
    // A node lives on without it: the next link that fails starts another one.
    worker.on('error', (error) => this.#tell({ kind: 'connections-kept', error: String(error) }))
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined
    })
    this.#worker = worker
    return worker
  }
}
