/**
 * What the cluster would do with a CIB, from its present state to the one that the transition leads to: the scheduler
 * itself, its graph played without touching anything, and the status read again.
 */
import { type Md5, readConfiguration, type XmlElement } from '../../cib/index.ts'
import {
  type ClusterStatus,
  printClusterStatus,
  printSummaryHeader,
  readStatus,
  type StatusInput,
} from '../../status/index.ts'
import { printDot, printGraphXml, printSvg, type TransitionGraph } from '../../transition/index.ts'
import { describeChange, type TransitionChange } from '../actions/graph/summary.ts'
import { planTransition } from '../actions/plan-transition.ts'
import { assignResources } from '../assign.ts'
import type { Assignment } from '../assignment.ts'
import { printScores } from '../print-scores.ts'
import { describePlayed, type Failure, type PlayedAction, playGraph } from './play.ts'
import { recordResults } from './record-results.ts'
import { settledStatus } from './settled-status.ts'

export interface Simulation {
  readonly status: ClusterStatus
  readonly assignment: Assignment
  readonly graph: TransitionGraph
  readonly changes: readonly TransitionChange[]
  readonly played: readonly PlayedAction[]
  /** The CIB as it is once everything was done. */
  readonly cib: XmlElement
}

export interface SimulationInput {
  readonly cib: XmlElement
  /** Seconds since the epoch. */
  readonly now: number
  readonly md5: Md5
  readonly showScores: boolean
  /** Secrets may have been replaced by stars, as in a CIB saved for others: then they do not count as changed. */
  readonly isSanitized?: boolean
  readonly failures?: readonly Failure[]
  readonly utcOffsetAt?: StatusInput['utcOffsetAt']
}

export function simulate(input: SimulationInput): Simulation {
  const { cib, now, md5 } = input
  const status = statusOf(input, cib)
  const assignment = assignResources(status, {
    holds: status.ruleHolds,
    showScores: input.showScores,
    explain: false,
  })
  const { graph, changes } = planTransition({ status, assignment, md5, isSanitized: input.isSanitized ?? false })
  const played = playGraph(graph, input.failures)
  return { status, assignment, graph, changes, played, cib: recordResults(cib, played, now) }
}

function statusOf({ now, utcOffsetAt, md5 }: SimulationInput, cib: XmlElement): ClusterStatus {
  const configuration = readConfiguration(cib)
  return readStatus({ cib, configuration, now, md5, ...(utcOffsetAt && { utcOffsetAt }) })
}

export interface SimulationText {
  readonly summary: string
  // In a large cluster these are megabytes, so each is made when it is asked for.
  readonly scores: () => string
  readonly graph: () => string
  readonly drawn: () => { readonly dot: string; readonly svg: string }
}

/** The simulation as `crm_simulate` prints it; `dateLine` says which moment was taken, where it is not the present. */
export function simulateCib(input: SimulationInput & { readonly dateLine?: string }): SimulationText {
  const simulation = simulate(input)
  const { status, assignment, graph, changes, played } = simulation
  const names = new Set<string>()
  for (const { id, state } of status.primitivesById.values()) {
    names.add(id)
    if (state.historyName !== undefined) names.add(state.historyName)
  }
  const date = input.dateLine === undefined ? [] : [input.dateLine]
  const lines = [
    ...(input.cib.attributes['validate-with'] === 'none' ? [notValidated] : []),
    ...date,
    ...printSummaryHeader(status).split('\n').slice(0, -1),
    'Current cluster status:',
    ...indented(printClusterStatus(status)),
    '',
    'Transition Summary:',
    ...changes.map((change) => `  * ${describeChange(change)}`),
    '',
    'Executing Cluster Transition:',
    ...played.map((result) => `  * ${describePlayed(result, names)}`),
    ...date,
    '',
    'Revised Cluster Status:',
    ...indented(printClusterStatus(settledStatus(statusOf(input, simulation.cib)))),
  ]
  return {
    summary: `${lines.join('\n').trimEnd()}\n`,
    scores: () => printScores(assignment.scores, status.nodes),
    graph: () => printGraphXml(graph),
    drawn: () => ({ dot: printDot(graph), svg: printSvg(graph) }),
  }
}

const notValidated =
  'Schema validation of configuration is disabled ' +
  '(support for validate-with set to "none" is deprecated and will be removed in a future release)'

const indented = (text: string): readonly string[] => text.trimEnd().split('\n')
