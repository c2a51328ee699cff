/** One step under way: the record as it is by now, and what is to be done. */
import { assert, type NodeName } from '../base/index.ts'
import type { RolloutEffect, RolloutInput } from './effects.ts'
import type { NodeVersion, RolloutNode, RolloutRecord } from './record.ts'

type Effect = RolloutEffect
type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }
type Droppable =
  | 'before'
  | 'task'
  | 'stale'
  | 'isFirst'
  | 'retryAt'
  | 'bootId'
  | 'why'
  | 'tail'
  | 'failedIn'
  | 'begun'
  | 'ended'
  | 'leftOut'

export class Turn {
  readonly input: RolloutInput
  readonly now: number
  #record: RolloutRecord
  readonly #effects: Effect[] = []

  constructor(record: RolloutRecord, input: RolloutInput, now: number) {
    this.#record = record
    this.input = input
    this.now = now
  }

  get record(): RolloutRecord {
    return this.#record
  }

  get effects(): readonly Effect[] {
    return this.#effects
  }

  set(change: Partial<RolloutRecord>): void {
    this.#record = { ...this.#record, ...change }
  }

  node(name: NodeName): RolloutNode {
    const found = this.#record.nodes.find(({ node }) => node === name)
    assert(found !== undefined, 'a step is about a node of the rollout')
    return found
  }

  replace(record: RolloutRecord): void {
    this.#record = record
  }

  setNode(name: NodeName, change: Partial<RolloutNode>, drop: readonly Droppable[] = []): void {
    const changed = (one: RolloutNode): RolloutNode => {
      const next: Mutable<RolloutNode> = { ...one, ...change }
      for (const field of drop) delete next[field]
      return next
    }
    this.set({ nodes: this.#record.nodes.map((one) => (one.node === name ? changed(one) : one)) })
  }

  do(effect: Exclude<Effect, { readonly kind: 'journal' }>): void {
    this.#effects.push(effect)
  }

  tell(text: string, node?: NodeName): void {
    this.#effects.push({ kind: 'journal', line: this.#record.lines, text, ...(node !== undefined && { node }) })
    this.set({ lines: this.#record.lines + 1 })
  }

  version(node: NodeName, version: NodeVersion, tail?: string): void {
    this.do({ kind: 'version', node, version, ...(tail !== undefined && { tail }) })
  }
}
