/** What is written under the term: each write has a purpose, which its answer finds by its id. */
import type { ControllerEffect, Edit } from './effects.ts'
import { withLostArrivals } from './lost-arrivals.ts'
import { type ControllerState, type Turn, turn, type WritePurpose, withDcState } from './state.ts'

export function write(state: ControllerState, edits: readonly Edit[], purpose: WritePurpose): Turn {
  const all = withLostArrivals(state.view, edits)
  return askToWrite(state, purpose, (asked) => ({ kind: 'write', ...asked, edits: all }))
}

export function askToWrite(
  state: ControllerState,
  purpose: WritePurpose,
  effectOf: (asked: { readonly id: number; readonly term: number }) => ControllerEffect,
): Turn {
  const { dcState } = state
  if (dcState === undefined) return turn(state)
  const id = state.lastId + 1
  const next = withDcState({ ...state, lastId: id }, { writes: new Map(dcState.writes).set(id, purpose) })
  return turn(next, effectOf({ id, term: dcState.term }))
}
