/** A simulation as `crm_simulate` prints it: the status, what is supposed, what would be done, and the status that it leads to. */
import type { XmlElement } from '../../cib/index.ts'
import { type ClusterStatus, printClusterStatus, printSummaryHeader } from '../../status/index.ts'
import { printDot, printGraphXml, printSvg } from '../../transition/index.ts'
import { describeChanges } from '../actions/graph/summary.ts'
import { printScores } from '../print-scores.ts'
import { describeCounting, isCounted } from './count-failure.ts'
import { describePlayed, namesKnownTo, type PlayedAction } from './play.ts'
import { printAttributes, printFailCounts, printFailures } from './print-details.ts'
import { allocationsTitle, printAllocations } from './print-utilization.ts'
import { type Simulation, type SimulationInput, simulate, statusAfter, statusFor } from './simulate.ts'
import { suppose, type WhatIf } from './what-if.ts'

export interface SimulationQuestion extends SimulationInput {
  readonly whatIf?: WhatIf
  /** What else was changed in the CIB beforehand: told with what is supposed. */
  readonly edits?: readonly string[]
  /** The status from before those edits; that of the CIB where there were none. */
  readonly original?: XmlElement
  /** Which moment was taken, where it is not the present. */
  readonly dateLine?: string
  readonly show?: {
    readonly attributes?: boolean
    readonly failCounts?: boolean
    readonly utilization?: boolean
    readonly scores?: boolean
  }
  /** Stop before the transition is played: only what would be changed is told. */
  readonly planOnly?: boolean
}

export interface SimulationText {
  readonly summary: string
  // In a large cluster these are megabytes, so each is made when it is asked for.
  readonly scores: () => string
  readonly graph: () => string
  readonly drawn: () => { readonly dot: string; readonly svg: string }
  /** What was supposed, a line each. */
  readonly modifications: readonly string[]
  /** The CIB with what was supposed. */
  readonly input: XmlElement
  readonly before: ClusterStatus
  readonly simulation: Simulation
  /** The status that the transition leads to. */
  readonly after: () => ClusterStatus
}

export function simulateCib(question: SimulationQuestion): SimulationText {
  const supposed = question.whatIf ? suppose(question.cib, question.whatIf, question) : { cib: question.cib, lines: [] }
  // The order in which resources are assigned is that of their scores.
  const showScores = question.showScores || question.show?.scores === true || question.show?.utilization === true
  const simulation = simulate({ ...question, showScores, cib: supposed.cib })
  const modifications = [...(question.edits ?? []), ...supposed.lines]
  const isChanged = modifications.length > 0
  const before = isChanged ? statusFor(question, question.original ?? question.cib) : simulation.status
  const date = question.dateLine === undefined ? [] : [question.dateLine]
  const present = statusLines(question, before)
  const revised = (): readonly string[] => {
    const after = statusAfter(question, simulation)
    // Nothing was played and nothing is under way: it reads as it did.
    if (after === before && !isAnythingPending(before)) return present
    return statusLines(question, after, { tellsPending: false })
  }
  const lines = [
    ...(question.cib.attributes['validate-with'] === 'none' ? [notValidated] : []),
    ...date,
    ...printSummaryHeader(before).split('\n').slice(0, -1),
    'Current cluster status:',
    ...present,
    '',
    ...(isChanged ? ['Performing Requested Modifications:', ...listed(modifications), ...date, ''] : []),
    ...(question.show?.utilization === true || question.show?.scores === true
      ? [allocationsTitle(question.show), ...listed(printAllocations(simulation, question.show)), '']
      : []),
    'Transition Summary:',
    // As in Pacemaker's, what happens to a node is listed with its reason or not at all.
    ...listed(describeChanges(simulation.changes.filter(({ details, reason }) => (details ?? reason) !== undefined))),
    '',
    ...(question.planOnly === true
      ? []
      : [
          'Executing Cluster Transition:',
          ...playedLines(simulation),
          ...date,
          '',
          'Revised Cluster Status:',
          ...revised(),
        ]),
  ]
  const { assignment, status } = simulation
  return {
    summary: `${lines.join('\n').trimEnd()}\n`,
    scores: () => printScores(assignment.scores, status.nodes),
    graph: () => printGraphXml(simulation.graph),
    drawn: () => ({ dot: printDot(simulation.graph), svg: printSvg(simulation.graph) }),
    modifications,
    input: supposed.cib,
    before,
    simulation,
    after: () => statusAfter(question, simulation),
  }
}

const isAnythingPending = ({ primitivesById }: ClusterStatus): boolean =>
  [...primitivesById.values()].some(({ state }) => state.pending !== undefined)

const notValidated =
  'Schema validation of configuration is disabled ' +
  '(support for validate-with set to "none" is deprecated and will be removed in a future release)'

const listed = (lines: readonly string[]): readonly string[] => lines.map((line) => `  * ${line}`)

function statusLines(
  { show = {}, utcOffsetAt }: SimulationQuestion,
  status: ClusterStatus,
  told: Parameters<typeof printClusterStatus>[1] = {},
): readonly string[] {
  const attributes = show.attributes === true ? printAttributes(status) : []
  return [
    ...printClusterStatus(status, told).trimEnd().split('\n'),
    ...(attributes.length > 0 ? ['', ...attributes] : []),
    ...(show.failCounts === true ? ['', ...printFailCounts(status, utcOffsetAt)] : []),
    ...(show.failCounts === true && status.failures.length > 0 ? ['', ...printFailures(status, utcOffsetAt)] : []),
  ]
}

function playedLines(simulation: Simulation): readonly string[] {
  const { played, status } = simulation
  if (played.length === 0) return []
  const names = namesKnownTo(status)
  return played.flatMap((each) => [`  * ${describePlayed(each, names)}`, ...failureLines(simulation, each)])
}

function failureLines({ status, result }: Simulation, { action, exitCode, failed }: PlayedAction): readonly string[] {
  if (!failed || action.kind !== 'resource') return []
  const { resource, longId, operation, intervalMs, node, nodeId } = action
  const { now, options, primitivesById } = status
  const { startFailureIsFatal } = options
  const isKnown = [...primitivesById.values()].some(({ state }) => state.historyName === longId)
  const name = longId !== undefined && isKnown ? longId : resource
  return [
    `Pretending action ${action.id} failed with rc=${exitCode}`,
    ...(isCounted({ intervalMs, exitCode })
      ? listed(
          describeCounting({ name, operation, intervalMs, now, startFailureIsFatal }, { cib: result(), node, nodeId }),
        )
      : []),
  ]
}
