/** A CIB in; where everything shall be, the transition that leads there, and why. The table of contents of this room. */
import { type Configuration, type Md5, readConfiguration, type XmlElement } from '../cib/index.ts'
import { type ClusterStatus, readStatus, type StatusInput } from '../status/index.ts'
import type { TransitionGraph } from '../transition/index.ts'
import type { TransitionChange } from './actions/graph/summary.ts'
import { planTransition } from './actions/plan-transition.ts'
import { assignResources } from './assign.ts'
import type { Assignment } from './assigned/assignment.ts'
import { oncePerText } from './once-per-text.ts'

export interface SchedulerInput {
  readonly cib: XmlElement
  /** Seconds since the epoch. */
  readonly now: number
  /** For the digests of parameters; this room computes nothing that Node.js has. */
  readonly md5: Md5
  /** Keep where every score comes from, for `explain`; the DC needs it not. */
  readonly explain: boolean
  readonly utcOffsetAt?: StatusInput['utcOffsetAt']
}

export interface Schedule {
  readonly configuration: Configuration
  readonly status: ClusterStatus
  readonly assignment: Assignment
  readonly graph: TransitionGraph
  /** What the transition changes, as the transition summary lists it, with reasons. */
  readonly changes: readonly TransitionChange[]
}

export function schedule({ cib, now, explain, utcOffsetAt, ...input }: SchedulerInput): Schedule {
  const md5 = oncePerText(input.md5)
  const configuration = readConfiguration(cib)
  const status = readStatus({ cib, configuration, now, md5, ...(utcOffsetAt && { utcOffsetAt }) })
  const assignment = assignResources(status, { holds: status.ruleHolds, showScores: false, explain })
  const { graph, changes } = planTransition({ status, assignment, md5, isSanitized: false })
  return { configuration, status, assignment, graph, changes }
}
