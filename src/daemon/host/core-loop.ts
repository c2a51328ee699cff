/**
 * Drives one core: feeds inputs one after the other, performs the effects of each before the next is taken, and ticks when
 * the core next needs it. An effect that feeds back at once waits its turn.
 */
import type { MonotonicMs, Step } from '../../base/index.ts'
import { Alarm } from './alarm.ts'
import { monotonicNow } from './clock.ts'

export interface Core<State, Input, Effect> {
  readonly initial: State
  readonly step: (state: State, input: Input, now: MonotonicMs) => Step<State, Effect>
  readonly perform: (effect: Effect) => void
  /** When the core must be ticked, at the latest; undefined: not before the next input. */
  readonly nextAt: (state: State) => MonotonicMs | undefined
  readonly tick: Input
}

export class CoreLoop<State, Input, Effect> {
  readonly #core: Core<State, Input, Effect>
  readonly #inputs: Input[] = []
  #state: State
  #busy = false
  #ended = false
  readonly #alarm: Alarm

  constructor(core: Core<State, Input, Effect>) {
    this.#core = core
    this.#state = core.initial
    this.#alarm = new Alarm(() => this.feed(core.tick))
  }

  get state(): State {
    return this.#state
  }

  feed(input: Input): void {
    if (this.#ended) return
    this.#inputs.push(input)
    if (this.#busy) return
    this.#busy = true
    try {
      for (let next = this.#inputs.shift(); next !== undefined; next = this.#inputs.shift()) {
        const { state, effects } = this.#core.step(this.#state, next, monotonicNow())
        this.#state = state
        for (const effect of effects) this.#core.perform(effect)
      }
    } finally {
      this.#busy = false
    }
    if (!this.#ended) this.#alarm.set(this.#core.nextAt(this.#state))
  }

  end(): void {
    this.#ended = true
    this.#alarm.cancel()
  }
}
