/** Actions to be looked at again. What was added last comes first, so that a change is followed to its end. */
import type { PlannedAction } from '../draft/action.ts'

export class Worklist {
  readonly #stack: { readonly action: PlannedAction; readonly turn: number }[] = []
  /** The turn in which an action was added last: it is looked at once, however often it was added. */
  readonly #turns = new Map<PlannedAction, number>()
  #turn = 0

  add(action: PlannedAction): void {
    this.#turn++
    this.#turns.set(action, this.#turn)
    this.#stack.push({ action, turn: this.#turn })
  }

  take(): PlannedAction | undefined {
    for (let top = this.#stack.pop(); top; top = this.#stack.pop()) {
      if (this.#turns.get(top.action) !== top.turn) continue
      this.#turns.delete(top.action)
      return top.action
    }
    return undefined
  }
}
