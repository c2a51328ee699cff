import type { Entry, Revision, StoreEvent, WatchListener } from '../../src/store/index.ts'

export const bytes = (value: string): Uint8Array => new TextEncoder().encode(value)
export const text = (entry: Entry | undefined): string | undefined =>
  entry === undefined ? undefined : new TextDecoder().decode(entry.value)

/** Collects what a watch delivers, and waits for it. */
export class Recorder {
  readonly batches: (readonly StoreEvent[])[] = []
  readonly revisions: Revision[] = []
  lost = false
  #check: () => void = () => undefined

  readonly listener: WatchListener = {
    onEvents: (events, revision) => {
      this.batches.push(events)
      this.revisions.push(revision)
      this.#check()
    },
    onLost: () => {
      this.lost = true
      this.#check()
    },
  }

  until(condition: () => boolean, timeoutMs = 10_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`the watch delivered only ${this.batches.length} revisions`)),
        timeoutMs,
      )
      this.#check = () => {
        if (!condition()) return
        clearTimeout(timer)
        resolve()
      }
      this.#check()
    })
  }
}

/** Waits for a state of the world that nothing announces. */
export async function eventually(
  condition: () => Promise<boolean> | boolean,
  what: string | (() => string),
  timeoutMs = 15_000,
): Promise<void> {
  const end = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`It did not come to this: ${typeof what === 'string' ? what : what()}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
