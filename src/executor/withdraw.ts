/** What was asked for and does not begin any more. */
import { finishCurrent, withoutRecurring } from './line.ts'
import { needsQuorum } from './operation.ts'
import { type ExecutorState, mapLines } from './state.ts'

/** Without quorum what would start something is dropped, as long as it has not begun. */
export function setQuorum(state: ExecutorState, quorate: boolean): ExecutorState {
  if (quorate) return { ...state, quorate }
  const lines = mapLines(state.lines, (line) => {
    const waiting = line.waiting.filter(({ operation }) => !needsQuorum(operation))
    const { current } = line
    if (current?.phase !== 'announcing' || !needsQuorum(current.operation)) return { ...line, waiting }
    return { ...line, waiting, current: { ...current, phase: 'withdrawn' as const } }
  })
  return { ...state, quorate, lines }
}

/** Recurring operations go on: they change nothing. */
export function withdraw(state: ExecutorState): ExecutorState {
  const lines = mapLines(state.lines, (line) => {
    const { current } = line
    if (current?.phase !== 'announcing') return { ...line, waiting: [] }
    return { ...line, waiting: [], current: { ...current, phase: 'withdrawn' as const } }
  })
  return { ...state, lines }
}

export function close(state: ExecutorState): ExecutorState {
  const lines = mapLines(state.lines, (line) => {
    const quiet = { ...withoutRecurring(line), waiting: [] }
    return line.current === undefined || line.current.phase === 'running' ? quiet : finishCurrent(quiet)
  })
  return { ...state, closing: true, lines }
}
