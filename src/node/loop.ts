/**
 * Drives a node's core: takes inputs one after the other, has the effects of each performed before the next is taken, and ticks the core when it next
 * needs it. An effect that feeds back at once waits its turn. Both drivers use it; their clocks and hands are their own.
 *
 * What is due is told from the last tick on, and not from when it is asked for: performing effects takes a moment, and what falls due meanwhile
 * no part has seen.
 */
import type { MonotonicMs } from '../base/index.ts'
import { mayPerform, nextNodeAt, nodeStep, quorumIsOver } from './node.ts'
import type { NodeEffect, NodeInput, NodeState } from './state.ts'

export interface NodeDriver {
  /** Read anew each time. */
  readonly now: () => MonotonicMs
  readonly perform: (effect: NodeEffect) => void
  /** In [0, 1). */
  readonly random: () => number
  /** `tick` is to be called then, at the latest: at once where that has passed. It may be called for what was asked for before as well. */
  readonly wakeAt: (at: MonotonicMs | undefined) => void
}

export class NodeLoop {
  readonly #driver: NodeDriver
  readonly #step: typeof nodeStep
  readonly #inputs: NodeInput[] = []
  #state: NodeState
  #tickedAt: MonotonicMs
  #busy = false
  #ended = false

  /** `step`: another one where the product is to be broken on purpose. */
  constructor(initial: NodeState, driver: NodeDriver, step: typeof nodeStep = nodeStep) {
    this.#state = initial
    this.#tickedAt = initial.startedAt
    this.#driver = driver
    this.#step = step
  }

  get state(): NodeState {
    return this.#state
  }

  readonly tick = (): void => this.feed({ kind: 'tick' })

  readonly feed = (input: NodeInput): void => {
    if (this.#ended) {
      if (input.kind === 'quorum') this.#state = { ...this.#state, quorateUntil: input.until }
      return
    }
    this.#inputs.push(input)
    if (this.#busy) return
    this.#busy = true
    try {
      for (let next = this.#inputs.shift(); next !== undefined; next = this.#inputs.shift()) this.#take(next)
    } finally {
      this.#busy = false
    }
    if (!this.#ended) this.#driver.wakeAt(nextNodeAt(this.#state, this.#tickedAt))
  }

  /** Nothing is decided or performed any more. Until when this node may act is still known. */
  end(): void {
    this.#ended = true
    this.#inputs.length = 0
  }

  #take(input: NodeInput): void {
    const { now, perform } = this.#driver
    const at = now()
    const { state, effects } = this.#step(this.#state, input, at)
    this.#state = state
    if (input.kind === 'tick') this.#tickedAt = at
    for (const effect of effects) {
      if (this.#ended) return
      if (!mayPerform(this.#state, effect, now())) this.#inputs.push(quorumIsOver)
      else {
        perform(effect)
        this.#passOn(effect)
      }
    }
  }

  /** The controller's word to this node's own fencing: given where it may be performed, and taken in turn. */
  #passOn(effect: NodeEffect): void {
    if (effect.kind !== 'controller') return
    const asked = effect.effect
    if (asked.kind === 'fence')
      this.feed({ kind: 'fencing', input: { kind: 'fence', request: asked, random: this.#driver.random() } })
    else if (asked.kind === 'withdraw-fencing')
      this.feed({ kind: 'fencing', input: { kind: 'withdraw', id: asked.id } })
  }
}
