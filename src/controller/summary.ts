/** What the DC is doing, as `status` and `--wait` show it. Nothing is decided from it. */
import type { NodeName } from '../base/index.ts'
import { describeAction } from './describe-action.ts'
import type { TransitionRecord } from './effects.ts'
import { describeNeededVoters } from './needed-voters.ts'
import { isUnclean } from './node-states.ts'
import { describeOwing } from './owed-answers.ts'
import { type ControllerState, type DcState, type Turn, turn, withDcState } from './state.ts'
import { actionsUnderWay, isFencing } from './walk.ts'

/** What is pending changes with every action; people need not see more of it than this. */
const publishIntervalMs = 500
/** A short transition is over before this: what it writes would stand in line behind what is written for people. */
const busyIntervalMs = 100

export function publish(state: ControllerState, now: number): Turn {
  const { dcState } = state
  if (dcState === undefined) return turn(state)
  const record = summarize(state, dcState)
  const before = dcState.published
  const text = JSON.stringify(record)
  // A write that was lost, or overtaken by an older one, is repeated: people wait for what stands there.
  const stands = JSON.stringify(state.view.transition) === text
  if (JSON.stringify(before) === text && (stands || now < dcState.publishAt)) return turn(state)
  const sameState =
    before !== undefined &&
    isSameToPeople(before.state, record.state) &&
    before.computedVersion === record.computedVersion &&
    before.computedHolds === record.computedHolds &&
    before.blockedBy.length === record.blockedBy.length
  if (sameState && now < dcState.publishAt) return turn(state)
  const intervalMs = record.state === 'computing' ? busyIntervalMs : publishIntervalMs
  const next = withDcState(state, { published: record, publishAt: now + intervalMs })
  return turn(next, { kind: 'publish', record })
}

/** The cluster has something to do. */
function isSameToPeople(before: TransitionRecord['state'], after: TransitionRecord['state']): boolean {
  return before === after || (before === 'computing' && after === 'running')
}

function summarize(state: ControllerState, dcState: DcState): TransitionRecord {
  const scheduler = dcState.schedulerFailure === undefined ? [] : [`the scheduler failed: ${dcState.schedulerFailure}`]
  const stuckOn = [
    ...dcState.waitingFor,
    ...fencingFailures(state, dcState),
    ...describeOwing(state),
    ...describeNeededVoters(state),
    ...scheduler,
  ]
  return {
    number: state.lastTransition,
    term: dcState.term,
    state: phaseOf(dcState, stuckOn),
    computedVersion: dcState.computedVersion,
    computedHolds: dcState.computedHolds,
    pending: dcState.walks.flatMap(actionsUnderWay).slice(0, 20).map(describeAction),
    blockedBy: [...stuckOn, ...dcState.blocked.map(({ why }) => why)],
    blockedResources: dcState.blocked.map(({ resource }) => resource),
  }
}

/** Nothing is left to do for what the view shows, other than what waits for a person. */
export function isSettled(state: ControllerState): boolean {
  const { dcState, view } = state
  if (dcState === undefined || view.configuration === undefined) return false
  const { state: phase, blockedBy } = summarize(state, dcState)
  return (
    (phase === 'idle' || (phase === 'blocked' && blockedBy.length === dcState.blocked.length)) &&
    dcState.computedVersion >= view.configuration.version &&
    dcState.computedHolds >= view.holdsRevision
  )
}

/** What is on its way goes on beside a blocked resource, and not without what it is stuck on. */
function phaseOf(dcState: DcState, stuckOn: readonly string[]): TransitionRecord['state'] {
  // It passes by itself: whoever waits for the cluster to settle goes on waiting.
  if (dcState.waitingFor.length > 0) return 'computing'
  if (dcState.walks.length > 0)
    return dcState.walks.every(({ underWay }) => underWay.size === 0) && stuckOn.length > 0 ? 'blocked' : 'running'
  if (dcState.computing !== undefined || dcState.lookAgain !== undefined || dcState.writes.size > 0) return 'computing'
  return stuckOn.length > 0 || dcState.blocked.length > 0 ? 'blocked' : 'idle'
}

/** Failed attempts count for as long as the node is not fenced and not back. */
function fencingFailures(state: ControllerState, dcState: DcState): readonly string[] {
  return [...dcState.fencing]
    .filter(([node, { failures }]) => failures > 0 && awaitsFencing(state, dcState, node))
    .map(([node, { failures, message }]) => `fencing of ${node} failed ${times(failures)}: ${message}`)
}

/** A remote node that was never seen has no state: it is unclean for as long as a transition wants it fenced (startup-fencing). */
function awaitsFencing(state: ControllerState, { walks }: DcState, node: NodeName): boolean {
  const known = state.view.nodeStates.get(node)
  if (known !== undefined) return isUnclean(known)
  return walks.some(({ graph }) => graph.actions.some((action) => isFencing(action) && action.node === node))
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)
