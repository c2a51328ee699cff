/**
 * What `resource move` would do: where the resource would go, what would go with it, and whether it would stay once the preference
 * that moves it is taken away again. The same edit as the command's, given to the scheduler and thrown away.
 */
import type { NodeName } from '../../base/index.ts'
import { banNode, clearCliConstraints, describeEditReport, preferNode, type XmlElement } from '../../cib/index.ts'
import { type Schedule, type SchedulerInput, schedule } from '../schedule.ts'
import { simulate } from '../simulate/simulate.ts'
import { type Cause, decidedCauses } from './causes.ts'
import { explainResource } from './explain-resource.ts'
import { primitivesNamed } from './instances.ts'
import { describePlace, disturbedBetween, type Moved, movedBetween } from './planned-difference.ts'
import { printCause } from './print-resource.ts'
import type { NodeExplanation } from './resource-explanation.ts'
import { describeTransitionChange } from './words.ts'

export interface MoveReport {
  readonly resource: string
  /** The node that was asked for; none: away from where it is. */
  readonly target?: string
  readonly from: readonly NodeName[]
  readonly moves: boolean
  readonly moved: readonly Moved[]
  /** What else is stopped, restarted, promoted … with it. */
  readonly others: readonly string[]
  /** Why it would not go there. */
  readonly causes: readonly Cause[]
  /** Where it would go back to without the preference; empty where it stays. */
  readonly returns: readonly string[]
  readonly text: string
}

export type MoveAnswer =
  | { readonly kind: 'report'; readonly report: MoveReport }
  | { readonly kind: 'refused'; readonly sentences: readonly string[] }

export function explainMove(input: SchedulerInput, resource: string, target: string | undefined): MoveAnswer {
  const before = schedule({ ...input, explain: true })
  const parts = primitivesNamed(before.status.resources, resource)
  const from = [...new Set(parts.flatMap(({ state }) => state.active.map(({ node }) => node)))]
  const [current] = from
  if (parts.length > 0 && target === undefined && current === undefined)
    return { kind: 'refused', sentences: [`'${resource}' is not running. Specify the node to move it to.`] }
  const edited =
    target === undefined
      ? banNode(input.cib, { resource, node: current ?? '' })
      : preferNode(input.cib, { resource, node: target })
  if (!edited.ok) return { kind: 'refused', sentences: edited.reports.map(describeEditReport) }
  const after = schedule({ ...input, cib: edited.value.cib, explain: true })
  const own = new Set<string>(parts.map(({ id }) => id))
  const moved = movedBetween(before, after)
  const facts = {
    resource,
    ...(target === undefined ? {} : { target }),
    from,
    moves: moved.some(({ resource: id }) => own.has(id)),
    moved,
    others: disturbedBetween(before, after).map((change) => `${change.subject}: ${describeTransitionChange(change)}`),
    causes: stays(moved, own) ? hindrances(after, resource, target) : [],
    returns: stays(moved, own) ? [] : returnsOf(input, edited.value.cib, resource),
  }
  return { kind: 'report', report: { ...facts, text: printMove(facts, own).join('\n') } }
}

function stays(moved: readonly Moved[], own: ReadonlySet<string>): boolean {
  return !moved.some(({ resource }) => own.has(resource))
}

/** What keeps it from the node that was asked for, or from every other one. */
function hindrances(after: Schedule, resource: string, target: string | undefined): readonly Cause[] {
  const general = primitivesNamed(after.status.resources, resource).flatMap((part) => decidedCauses(after, part))
  if (target === undefined || general.length > 0) return general
  const instances = explainResource(after, resource)?.instances ?? []
  return instances.flatMap(({ id, nodes }) =>
    nodes
      .filter(({ node }) => node === target)
      .map((node) => ({
        text: `${instances.length > 1 ? `${id}: ` : ''}${standing(node)}`,
        remedies: [],
        because: [],
      })),
  )
}

function standing({ node, unavailable, score, contributions }: NodeExplanation): string {
  if (unavailable !== undefined) return `${node} is ${unavailable}`
  if (score === undefined) return `it is not allowed on ${node}`
  const against = contributions.filter((part) => part.score < 0).map(({ text }) => text)
  return against.length === 0 ? `it is on ${node} already` : `${node}: ${against.join('; ')}`
}

/** What would happen after the move, once its preference has gone. */
function returnsOf(input: SchedulerInput, edited: XmlElement, resource: string): readonly string[] {
  const { now, md5, utcOffsetAt } = input
  const question = {
    cib: edited,
    now,
    md5,
    showScores: false,
    keepsResult: true,
    clearsFailures: true,
    ...(utcOffsetAt && { utcOffsetAt }),
  }
  const done = simulate(question).result()
  const cleared = clearCliConstraints(done, { resource })
  if (!cleared.ok) return []
  const [applied, later] = [done, cleared.value.cib].map((cib) => schedule({ ...input, cib, explain: false }))
  if (applied === undefined || later === undefined) return []
  return movedBetween(applied, later).map(({ resource: id, after }) => `${id} would go back: ${describePlace(after)}`)
}

function printMove(report: Omit<MoveReport, 'text'>, own: ReadonlySet<string>): readonly string[] {
  const { resource, target, from, moved, others, causes, returns } = report
  const goal = target === undefined ? `away from ${from.join(', ')}` : `to ${target}`
  const line = ({ resource: id, before, after }: Moved): string =>
    `  ${id}: ${describePlace(before)}, then ${describePlace(after)}`
  if (!report.moves) return [`${resource} would not move ${goal}:`, ...causes.flatMap((cause) => printCause(cause, 4))]
  const along = moved.filter(({ resource: id }) => !own.has(id))
  return [
    `To move ${resource} ${goal} would mean:`,
    ...moved.filter(({ resource: id }) => own.has(id)).map(line),
    ...(along.length === 0 && others.length === 0
      ? ['Nothing else would change.']
      : ['Besides:', ...along.map(line), ...others.map((text) => `  ${text}`)]),
    ...(returns.length === 0
      ? ['It would stay there once the move is over.']
      : ['It would not last: without the preference of the move,', ...returns.map((text) => `  ${text}`)]),
  ]
}
