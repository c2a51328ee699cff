/** Drives one of the real cores in virtual time, for as long as its daemon lives. */
import type { MonotonicMs, Step } from '../../src/base/index.ts'

/** The life that a core is part of. */
export interface CoreHost {
  readonly isAlive: boolean
  readonly now: () => MonotonicMs
  readonly after: (ms: number, run: () => void) => void
}

/** A state machine and what performs its effects; a tick comes when the core says that it needs one. */
export class Core<State, Input extends { readonly kind: string }, Effect> {
  state: State
  readonly #daemon: CoreHost
  readonly #step: (state: State, input: Input, now: MonotonicMs) => Step<State, Effect>
  readonly #perform: (effect: Effect) => void
  readonly #nextAt: (state: State) => MonotonicMs | undefined
  readonly #afterStep: (() => void) | undefined
  #timer = 0

  constructor(
    daemon: CoreHost,
    state: State,
    step: (state: State, input: Input, now: MonotonicMs) => Step<State, Effect>,
    perform: (effect: Effect) => void,
    nextAt: (state: State) => MonotonicMs | undefined,
    afterStep?: () => void,
  ) {
    this.#daemon = daemon
    this.state = state
    this.#step = step
    this.#perform = perform
    this.#nextAt = nextAt
    this.#afterStep = afterStep
  }

  feed(input: Input): readonly Effect[] {
    if (!this.#daemon.isAlive) return []
    const { state, effects } = this.#step(this.state, input, this.#daemon.now())
    this.state = state
    for (const effect of effects) this.#perform(effect)
    this.#afterStep?.()
    this.#setTimer()
    return effects
  }

  #setTimer(): void {
    const at = this.#nextAt(this.state)
    const timer = ++this.#timer
    if (at === undefined || !Number.isFinite(at)) return
    this.#daemon.after(Math.max(0.5, at - this.#daemon.now()), () => {
      // Every core takes a tick; a timer that was set anew is not for this one.
      if (timer === this.#timer) this.feed({ kind: 'tick' } as unknown as Input)
    })
  }
}
