/** Writes wait for each other where they are about one resource, and each is tried until it is done. */
import type { ResourceId } from '../base/index.ts'
import { attempt } from './made-sure.ts'
import type { ExecutorLog } from './operation-log.ts'

const retryMs = 300

export class WritingLine {
  readonly #log: ExecutorLog
  /** Of each resource: what has to be written before its next record. */
  readonly #last = new Map<ResourceId, Promise<void>>()
  #closing = false

  constructor(log: ExecutorLog) {
    this.#log = log
  }

  add(resource: ResourceId, work: () => Promise<void>): Promise<void> {
    const before = this.#last.get(resource) ?? Promise.resolve()
    const done = before.then(() => this.#untilDone(resource, work))
    this.#last.set(resource, done)
    void done.then(() => {
      if (this.#last.get(resource) === done) this.#last.delete(resource)
    })
    return done
  }

  /** Resolves when all that was to be written about the resource is. */
  async writtenOf(resource: ResourceId): Promise<void> {
    await this.#last.get(resource)
  }

  /** Resolves when nothing waits any more, what was added meanwhile included. */
  async flushed(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values())
  }

  /** Each write is tried once more at the most. What is not written when the daemon ends, the next one finds out by probes. */
  async close(): Promise<void> {
    this.#closing = true
    await Promise.all(this.#last.values())
  }

  async #untilDone(resource: ResourceId, work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        await work()
        return
      } catch (error) {
        attempt(() => this.#log.warn('a result could not be written yet', { resource, error }))
        if (this.#closing) return
      }
      await new Promise((resolve) => setTimeout(resolve, retryMs))
    }
  }
}
