/**
 * Who takes a command of a DC, on the node that it is sent to, and what the DC hears of it. `do_shutdown` is this node's leave to go; what another
 * node is to do goes through its connection; the rest is the executor's, which looks at the term itself. What the executor does not see
 * is refused here where its term is over: a former DC that wakes from a pause lets no node go.
 */
import type { NodeName } from '../base/index.ts'
import type { ControllerInput } from '../controller/index.ts'
import type { Answer, Command } from '../executor/index.ts'

export interface CommandAnswer {
  readonly accepted: boolean
  readonly done: boolean
  readonly why: string
  readonly highestTerm: number
  readonly message: string
}

export type CommandTaker =
  | { readonly kind: 'nobody'; readonly answer: CommandAnswer }
  | { readonly kind: 'presence'; readonly answer: CommandAnswer }
  | { readonly kind: 'connection'; readonly node: NodeName }
  | { readonly kind: 'executor' }

/** `highestTerm`: that the executor has seen; undefined: there is no executor yet. */
export function takerOf(self: NodeName, { action, term }: Command, highestTerm: number | undefined): CommandTaker {
  if (highestTerm === undefined) return { kind: 'nobody', answer: stillStarting }
  const isOver = term < highestTerm
  if (action.kind === 'cluster' && action.operation === 'do_shutdown')
    return isOver
      ? { kind: 'nobody', answer: oldTerm(highestTerm) }
      : { kind: 'presence', answer: { accepted: true, done: true, why: '', highestTerm: term, message: '' } }
  if (action.node === undefined || action.node === self) return { kind: 'executor' }
  return isOver ? { kind: 'nobody', answer: oldTerm(highestTerm) } : { kind: 'connection', node: action.node }
}

export function answerOf(answer: Answer, highestTerm: number): CommandAnswer {
  if (answer.kind === 'taken') return { accepted: true, done: answer.done, why: '', highestTerm, message: '' }
  return { accepted: false, done: false, why: answer.why, highestTerm: answer.highestTerm, message: answer.message }
}

/** What the controller of the DC hears: nothing where the command was taken and is not done, since its result comes through the store. */
export function heardFrom(answer: CommandAnswer, transitionKey: string): ControllerInput | undefined {
  if (answer.accepted) return answer.done ? { kind: 'acknowledged', transitionKey } : undefined
  const why = answer.why === 'old-term' ? 'old-term' : 'refused'
  return { kind: 'not-taken', transitionKey, why, message: answer.message }
}

const stillStarting: CommandAnswer = {
  accepted: false,
  done: false,
  why: 'closing',
  highestTerm: 0,
  message: 'This node is still starting.',
}

const oldTerm = (highestTerm: number): CommandAnswer => ({
  accepted: false,
  done: false,
  why: 'old-term',
  highestTerm,
  message: `The term has ended: this node has seen term ${highestTerm}.`,
})
