/**
 * The state of an action while orderings are applied. It tells of every change, so that what was counted from the states of many actions
 * need not be counted again while all of them stay as they are.
 */
import type { ActionState } from '../draft/action.ts'

export class WatchedState implements ActionState {
  pseudo: boolean
  migratable: boolean
  alwaysInGraph: boolean
  reason: ActionState['reason']
  cause: ActionState['cause']
  #optional: boolean
  #runnable: boolean
  readonly #changed: () => void

  constructor(drafted: Readonly<ActionState>, changed: () => void) {
    this.pseudo = drafted.pseudo
    this.migratable = drafted.migratable
    this.alwaysInGraph = drafted.alwaysInGraph
    this.reason = drafted.reason
    this.cause = drafted.cause
    this.#optional = drafted.optional
    this.#runnable = drafted.runnable
    this.#changed = changed
  }

  get optional(): boolean {
    return this.#optional
  }

  set optional(value: boolean) {
    if (value !== this.#optional) this.#changed()
    this.#optional = value
  }

  get runnable(): boolean {
    return this.#runnable
  }

  set runnable(value: boolean) {
    if (value !== this.#runnable) this.#changed()
    this.#runnable = value
  }
}
