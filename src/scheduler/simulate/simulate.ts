/**
 * What the cluster would do with a CIB, from its present state to the one that the transition leads to: the scheduler
 * itself, its graph played without touching anything. What is supposed beforehand is part of the question.
 */
import { onDemand } from '../../base/index.ts'
import { type Configuration, type Md5, readConfiguration, type XmlElement } from '../../cib/index.ts'
import { type ClusterStatus, readStatus, type StatusInput } from '../../status/index.ts'
import type { TransitionGraph } from '../../transition/index.ts'
import type { TransitionChange } from '../actions/graph/summary.ts'
import { planTransition } from '../actions/plan-transition.ts'
import { assignResources } from '../assign.ts'
import type { Assignment } from '../assigned/assignment.ts'
import { oncePerText } from '../once-per-text.ts'
import type { OperationSpec } from './operation-spec.ts'
import { namesKnownTo, type PlayedAction, playGraph } from './play.ts'
import { type Circumstances, recordResults } from './record-results.ts'

export interface Simulation {
  readonly status: ClusterStatus
  readonly assignment: Assignment
  readonly changes: readonly TransitionChange[]
  /** These three are made when they are first asked for, as they are large. */
  readonly graph: TransitionGraph
  readonly played: readonly PlayedAction[]
  /** The CIB as it is once everything was done. */
  readonly result: () => XmlElement
}

export interface SimulationInput {
  readonly cib: XmlElement
  /** Seconds since the epoch. */
  readonly now: number
  readonly md5: Md5
  readonly showScores: boolean
  /** Secrets may have been replaced by stars, as in a CIB saved for others: then they do not count as changed. */
  readonly isSanitized?: boolean
  /** The CIB that it leads to will be looked at again: it gets the digests of parameters. */
  readonly keepsResult?: boolean
  /** What comes after it will be asked: failures that it clears are gone then. */
  readonly clearsFailures?: boolean
  /** Operations that fail when the transition comes to them. */
  readonly failures?: readonly OperationSpec[]
  readonly utcOffsetAt?: StatusInput['utcOffsetAt']
}

export function simulate(input: SimulationInput): Simulation {
  const { cib, now } = input
  const md5 = oncePerText(input.md5)
  const status = statusFor({ ...input, md5 }, cib)
  const assignment = assignResources(status, {
    holds: status.ruleHolds,
    showScores: input.showScores,
    explain: false,
  })
  const planned = planTransition({ status, assignment, md5, isSanitized: input.isSanitized ?? false })
  const played = onDemand(() => playGraph(planned.graph, input.failures))
  const { startFailureIsFatal } = status.options
  const circumstances = (): Circumstances => ({
    now,
    startFailureIsFatal,
    knownNames: namesKnownTo(status),
    clearsFailures: input.clearsFailures ?? false,
    ...(input.keepsResult === true && { md5 }),
  })
  return {
    status,
    assignment,
    changes: planned.changes,
    get graph() {
      return planned.graph
    },
    get played() {
      return played()
    },
    result: onDemand(() => recordResults(cib, played(), circumstances())),
  }
}

/** The status of a CIB at the moment of the simulation. Whoever has read its configuration already hands it in. */
export function statusFor(
  { now, utcOffsetAt, md5 }: Pick<SimulationInput, 'now' | 'utcOffsetAt' | 'md5'>,
  cib: XmlElement,
  configuration: Configuration = readConfiguration(cib),
): ClusterStatus {
  return readStatus({ cib, configuration, now, md5, ...(utcOffsetAt && { utcOffsetAt }) })
}

/** The status that the played transition leads to. */
export function statusAfter(
  input: Pick<SimulationInput, 'now' | 'utcOffsetAt' | 'md5'>,
  done: Simulation,
): ClusterStatus {
  const { status, played, result } = done
  return played.length === 0 ? status : statusFor(input, result(), status.configuration)
}
