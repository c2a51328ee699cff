/**
 * What the loss of a node would mean: why it would be fenced, with which devices, what runs there, and where each of it would
 * be recovered. The scheduler itself is asked, for the cluster without the node.
 */
import type { NodeName } from '../../base/index.ts'
import type { NodeStatus } from '../../status/index.ts'
import { type Schedule, type SchedulerInput, schedule } from '../schedule.ts'
import { connectionLoss, suppose } from '../simulate/what-if.ts'
import { type Cause, decidedCauses } from './causes.ts'
import { activeOn, fencingReasons, type ResourceThere } from './explain-node.ts'
import type { Explained } from './explained.ts'
import { canBeFenced, describeDevices, type FenceTopology, fenceTopologyOf } from './fence-devices.ts'
import { primitivesNamed } from './instances.ts'
import { describePlace, disturbedBetween, type Moved, movedBetween } from './planned-difference.ts'
import { printCause } from './print-resource.ts'
import { describeTransitionChange } from './words.ts'

export interface FencingReport {
  readonly node: NodeName
  /** True: it must be fenced as things are; false: this is what its loss would bring about. */
  readonly isDue: boolean
  /** It is not there already, so nothing is lost with it. */
  readonly isOffline: boolean
  readonly reasons: readonly string[]
  readonly enabled: boolean
  readonly devices: FenceTopology
  readonly lost: readonly LostResource[]
  /** Resources elsewhere that move or are restarted with it. */
  readonly others: readonly string[]
  readonly text: string
}

export interface LostResource extends ResourceThere {
  readonly recovered?: NodeName
  /** Why it would be nowhere. */
  readonly causes: readonly Cause[]
}

export type FencingAnswer =
  | { readonly kind: 'report'; readonly report: FencingReport }
  | { readonly kind: 'no-such-node' }
  /** A remote or guest node that is not connected has nothing to lose. */
  | { readonly kind: 'not-connected'; readonly node: NodeStatus }

export function explainFencing(input: SchedulerInput, name: string): FencingAnswer {
  const before = schedule({ ...input, explain: true })
  const node = before.status.nodes.find((candidate) => candidate.name === name)
  if (node === undefined) return { kind: 'no-such-node' }
  const due = fencingReasons(before, node)
  if (due.length === 0 && node.kind !== 'member' && connectionLoss(before.status, name) === undefined)
    return { kind: 'not-connected', node }
  const after: Schedule =
    due.length > 0
      ? before
      : schedule({
          ...input,
          explain: true,
          cib: suppose(input.cib, { nodesFailed: [name] }, input).cib,
        })
  return { kind: 'report', report: reportOf(before, after, { node, isDue: due.length > 0 }) }
}

function reportOf(
  before: Explained,
  after: Explained,
  { node, isDue }: { readonly node: NodeStatus; readonly isDue: boolean },
): FencingReport {
  const lostNode = after.status.nodesByName.get(node.name) ?? node
  const lost = activeOn(before, node.name).map(({ resource, role }): LostResource => {
    const assigned = after.assignment.primitives.get(resource)
    const causes = primitivesNamed(after.status.resources, resource).flatMap((part) =>
      decidedCauses({ ...after, lost: node.name }, part),
    )
    return {
      resource,
      role,
      ...(assigned?.node === undefined ? {} : { recovered: assigned.node }),
      causes,
    }
  })
  const facts = {
    node: node.name,
    isDue,
    isOffline: before.assignment.unavailable.get(node.name) === 'offline',
    reasons: fencingReasons(after, lostNode),
    enabled: after.status.options.fencingEnabled,
    devices: fenceTopologyOf(after, lostNode),
    lost,
    others: isDue ? [] : othersOf(before, after, lost),
  }
  return { ...facts, text: printFencing(facts).join('\n') }
}

function othersOf(before: Explained, after: Explained, lost: readonly LostResource[]): readonly string[] {
  const ids = new Set(lost.map(({ resource }) => resource))
  const moved = movedBetween(before, after).filter(({ resource }) => !ids.has(resource))
  const disturbed = disturbedBetween(before, after).filter(
    ({ subject, what }) => !what.startsWith('Fence') && !lost.some(({ resource }) => resource === subject),
  )
  return [
    ...moved.map(
      ({ resource, before: was, after: is }: Moved) => `${resource}: ${describePlace(was)}, then ${describePlace(is)}`,
    ),
    ...disturbed.map((change) => `${change.subject}: ${describeTransitionChange(change)}`),
  ]
}

function printFencing(report: Omit<FencingReport, 'text'>): readonly string[] {
  const { node, reasons, enabled, lost, others } = report
  const title = printTitle(report)
  return [
    title,
    ...reasons.map((reason) => `  - ${reason}`),
    ...(enabled ? ['With:', ...describeDevices(report.devices).map((line) => `  ${line}`)] : []),
    ...(enabled && !canBeFenced(report.devices)
      ? [
          '  Nothing that runs there could be recovered until someone makes sure that it is off and says so:',
          `  > systole stonith confirm ${node}`,
        ]
      : []),
    ...(enabled
      ? []
      : [
          '  Fencing is switched off (fencing-enabled=false): its resources start elsewhere while it may still run them.',
        ]),
    lost.length === 0 ? 'No resources run there.' : 'Resources that run there:',
    ...lost.flatMap(printLost),
    ...(others.length === 0 ? [] : ['Elsewhere:', ...others.map((line) => `  ${line}`)]),
  ]
}

function printTitle({ node, isDue, isOffline, enabled }: Omit<FencingReport, 'text'>): string {
  if (isDue) return `${node} must be fenced:`
  const verdict = enabled ? 'be fenced' : 'not be fenced'
  return isOffline
    ? `${node} is offline. Had it been lost, it would ${verdict}:`
    : `If ${node} were lost now, it would ${verdict}:`
}

function printLost({ resource, role, recovered, causes }: LostResource): readonly string[] {
  const was = role === 'Started' ? resource : `${resource} (${role.toLowerCase()})`
  if (recovered !== undefined) {
    const waits = causes.flatMap((cause) => printCause(cause, 4)).map((line) => `  ${line}`)
    return [`  ${was}: on ${recovered}${causes.length === 0 ? '' : ', but:'}`, ...waits]
  }
  return [`  ${was}: nowhere`, ...causes.flatMap((cause) => printCause(cause, 4)).map((line) => `  ${line}`)]
}
