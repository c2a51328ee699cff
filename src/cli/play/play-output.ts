/** What the steps of a play print: of each task as it comes, a line each with its node and its step. */
import { setTimeout as delay } from 'node:timers/promises'
import type { PlayRecord } from '../../plays/index.ts'
import type { LocalClient } from '../../rpc/index.ts'
import { type FollowHow, readNode, silentMs } from '../commands/job/follow.ts'

export interface Wanted {
  readonly nodes?: readonly string[]
  readonly step?: string
}

export class PlayOutput {
  readonly #live: LocalClient
  readonly #wanted: Wanted
  readonly #how: Omit<FollowHow, 'nodes'>
  readonly #followed = new Map<string, Promise<void>>()
  readonly #over = new AbortController()
  #heard = performance.now()
  #failure: unknown

  constructor(live: LocalClient, wanted: Wanted, how: Omit<FollowHow, 'nodes'>) {
    this.#live = live
    this.#wanted = wanted
    this.#how = how
  }

  /** Whatever it has begun by now. A step that is tried again is followed again. */
  see({ id, steps }: PlayRecord): void {
    const { nodes, step: wanted } = this.#wanted
    for (const step of steps) {
      if (wanted !== undefined && step.id !== wanted) continue
      for (const { node, task } of step.hosts)
        if (task !== undefined && !this.#followed.has(task) && (nodes === undefined || nodes.includes(node)))
          this.#follow({ id, node, task, label: `${node} ${step.id}` })
    }
  }

  /** What a node that has ended has printed comes at once, or not at all. */
  async end(): Promise<void> {
    this.#heard = performance.now()
    let isOver = false
    const all = Promise.all(this.#followed.values()).then(() => {
      isOver = true
    })
    while (!isOver && performance.now() - this.#heard < silentMs) await Promise.race([all, delay(100)])
    this.#over.abort()
    if (this.#failure !== undefined) throw this.#failure
  }

  #follow(source: Parameters<typeof readNode>[1] & { readonly task: string }): void {
    const onData = (): void => {
      this.#heard = performance.now()
    }
    const read = readNode(this.#live, source, { ...this.#how, signal: this.#over.signal, onData })
    this.#followed.set(
      source.task,
      read.catch((error: unknown) => {
        if (!this.#over.signal.aborted) this.#failure ??= error
      }),
    )
  }
}
