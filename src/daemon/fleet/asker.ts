/** The main thread's handle on the thread that asks other clusters. It is started with the first question, and again after it has failed. */
import { Worker } from 'node:worker_threads'
import type { PartAnswer } from '../../rollout/index.ts'
import { programFile } from '../host/install-folder.ts'
import type { PartAsk, PlanAnswer } from './ask-part.ts'
import type { FromFleet, ToFleet } from './thread-messages.ts'
import type { FleetTarget, Told } from './told.ts'

export interface Asks {
  readonly status: (target: FleetTarget) => Promise<Told>
  readonly certificates: (address: string) => Promise<readonly string[]>
  readonly part: (target: FleetTarget, part: PartAsk) => Promise<PartAnswer>
  readonly plan: (target: FleetTarget, file: string) => Promise<PlanAnswer>
  readonly close: () => void
}

/** Of all its addresses; each of them has eight seconds, or twenty-five to change something. */
const withinMs = 240_000
const gone: Omit<FromFleet, 'id'> = { error: 'the thread that asks other clusters has ended' }

export class Asker implements Asks {
  readonly #start: () => Worker
  #worker: Worker | undefined
  readonly #waiting = new Map<number, (answer: Omit<FromFleet, 'id'>) => void>()
  #last = 0

  constructor(start: () => Worker = ownWorker) {
    this.#start = start
  }

  async status(target: FleetTarget): Promise<Told> {
    const { told, error = '' } = await this.#ask({ kind: 'status', target })
    return told ?? { kind: 'unreadable', why: error }
  }

  async certificates(address: string): Promise<readonly string[]> {
    const { chain, error = '' } = await this.#ask({ kind: 'certificates', address })
    if (chain === undefined) throw new Error(error)
    return chain
  }

  async part(target: FleetTarget, part: PartAsk): Promise<PartAnswer> {
    const { part: answer, error = '' } = await this.#ask({ kind: 'part', target, part })
    return answer ?? { kind: 'away', why: error }
  }

  async plan(target: FleetTarget, file: string): Promise<PlanAnswer> {
    const { plan, error = '' } = await this.#ask({ kind: 'plan', target, file })
    return plan ?? { kind: 'failed', why: error }
  }

  close(): void {
    void this.#worker?.terminate()
    this.#end()
  }

  async #ask(ask: ToFleet['ask']): Promise<Omit<FromFleet, 'id'>> {
    this.#last += 1
    const id = this.#last
    return await new Promise((resolve) => {
      const timer = setTimeout(() => this.close(), withinMs)
      timer.unref()
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer)
        this.#waiting.delete(id)
        resolve(answer)
      })
      this.#running().postMessage({ id, ask } satisfies ToFleet)
    })
  }

  #running(): Worker {
    if (this.#worker) return this.#worker
    const worker = this.#start()
    worker.on('message', ({ id, ...answer }: FromFleet) => this.#waiting.get(id)?.(answer))
    const ended = (): void => {
      if (this.#worker === worker) this.#end()
    }
    worker.on('error', ended).on('exit', ended)
    worker.unref()
    this.#worker = worker
    return worker
  }

  #end(): void {
    this.#worker = undefined
    for (const answer of [...this.#waiting.values()]) answer(gone)
  }
}

const ownWorker = (): Worker =>
  new Worker(programFile('fleet'), { resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 } })
