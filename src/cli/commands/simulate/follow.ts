/**
 * `simulate --follow`: transition after transition, as a cluster goes on after a failure or a fencing, until there is nothing left to
 * do. An operation that is to fail fails every time.
 */
import { type SimulationQuestion, type SimulationText, simulateCib } from '../../../scheduler/index.ts'

export interface Following {
  /** After the first. */
  readonly later: readonly SimulationText[]
  /** False: it goes round in circles, and was left at that. */
  readonly settled: boolean
}

const mostTransitions = 20

export function follow(question: SimulationQuestion, first: SimulationText): Following {
  const { whatIf: _asked, edits: _made, original: _before, dateLine: _told, ...rest } = question
  const later: SimulationText[] = []
  let cib = first.simulation.result()
  while (later.length < mostTransitions) {
    const texts = simulateCib({ ...rest, cib, keepsResult: true, clearsFailures: true })
    if (texts.simulation.played.every(({ action }) => action.kind === 'pseudo')) return { later, settled: true }
    later.push(texts)
    cib = texts.simulation.result()
  }
  return { later, settled: false }
}

export function printFollowing({ later, settled }: Following): string {
  const parts = later.map(({ summary }, index) => {
    const plan = summary.slice(summary.indexOf('Transition Summary:'))
    return `\nTransition ${index + 2}:\n\n${plan}`
  })
  const end = settled
    ? '\nThen the cluster is settled.\n'
    : `\nThe cluster does not settle: after ${mostTransitions} more transitions, actions are still pending.\n`
  return [...parts, end].join('')
}
