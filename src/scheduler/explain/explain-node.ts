/** Why a node is, or must be, fenced, why nothing is placed on it, what failed there, and what is there now and shall be. */
import type { NodeName, ResourceId } from '../../base/index.ts'
import type { Role } from '../../cib/index.ts'
import type { FailedOperation, NodeStatus } from '../../status/index.ts'
import type { TransitionChange } from '../actions/graph/summary.ts'
import type { NodeUnavailable } from '../assigned/assignment.ts'
import type { Explained } from './explained.ts'
import { describeDevices, type FenceTopology, fenceTopologyOf } from './fence-devices.ts'
import { primitivesOf } from './instances.ts'
import { describeFailures } from './print-resource.ts'
import { remediesForNode } from './remedies.ts'
import { describeHealth } from './words.ts'

export interface NodeReport {
  readonly node: NodeName
  readonly kind: NodeStatus['kind']
  readonly unavailable?: NodeUnavailable
  /** What would make it usable. */
  readonly remedies: readonly string[]
  /** Why it must be fenced; empty where it need not. */
  readonly fencing: readonly string[]
  /** The fencing that the transition holds, with its reason. */
  readonly fencingChange?: TransitionChange
  /** Only where it must be fenced. */
  readonly devices?: FenceTopology
  readonly health: NodeStatus['health']
  readonly now: readonly ResourceThere[]
  readonly next: readonly ResourceThere[]
  readonly failures: readonly FailedOperation[]
  readonly text: string
}

export interface ResourceThere {
  readonly resource: ResourceId
  readonly role: Role
}

/** Undefined where there is no such node. */
export function explainNode(explained: Explained, name: string): NodeReport | undefined {
  const { status, assignment, changes } = explained
  const node = status.nodes.find((candidate) => candidate.name === name)
  if (node === undefined) return undefined
  const unavailable = assignment.unavailable.get(node.name)
  const fencing = fencingReasons(explained, node)
  const fencingChange = changes.find(({ what, subject }) => what.startsWith('Fence') && subject.split(' ')[0] === name)
  const devices = fencing.length > 0 || fencingChange ? fenceTopologyOf(explained, node) : undefined
  const report = {
    node: node.name,
    kind: node.kind,
    ...(unavailable === undefined ? {} : { unavailable }),
    // What an unclean node waits for is told here.
    remedies:
      unavailable === undefined || unavailable === 'unclean' ? [] : remediesForNode(status, node.name, unavailable),
    fencing,
    ...(fencingChange === undefined ? {} : { fencingChange }),
    ...(devices === undefined ? {} : { devices }),
    health: node.health,
    now: activeOn(explained, node.name),
    next: assignedTo(explained, node.name),
    failures: status.failures.filter((failure) => failure.node === node.name),
  }
  return { ...report, text: printNode(explained, node, report).join('\n') }
}

export function fencingReasons({ assignment, changes }: Explained, node: NodeStatus): readonly string[] {
  const planned = changes.flatMap(({ what, subject, reason }) =>
    what.startsWith('Fence') && subject.split(' ')[0] === node.name && reason !== undefined ? [reason] : [],
  )
  const unseen =
    node.unseen && planned.length > 0 ? ['it was not seen since the cluster started (startup-fencing)'] : []
  const known = [...node.fencingReasons, ...(assignment.fencing.get(node.name) ?? []), ...unseen]
  return [...new Set(known.length > 0 ? known : planned)]
}

export function activeOn({ status }: Explained, name: NodeName): readonly ResourceThere[] {
  return status.resources
    .flatMap(primitivesOf)
    .flatMap(({ id, state }) =>
      state.active.filter(({ node }) => node === name).map(({ role }) => ({ resource: id, role })),
    )
}

/** What was assigned to it, but for what ordering or quorum stops all the same. */
function assignedTo({ assignment, changes }: Explained, name: NodeName): readonly ResourceThere[] {
  const held = new Set(changes.flatMap(({ what, subject, blocked }) => (what === 'Stop' || blocked ? [subject] : [])))
  return [...assignment.primitives.values()]
    .filter(({ node, id }) => node === name && !held.has(id))
    .map(({ id, nextRole }) => ({ resource: id, role: nextRole }))
}

function printNode({ status }: Explained, node: NodeStatus, report: Omit<NodeReport, 'text'>): readonly string[] {
  const kind =
    node.kind === 'member' ? '' : ` (${node.kind} node${node.connection ? `, connection ${node.connection}` : ''})`
  const list = (title: string, entries: readonly ResourceThere[]): readonly string[] =>
    entries.length === 0 ? [] : [`  ${title}`, ...entries.map(({ resource, role }) => `    ${resource} (${role})`)]
  return [
    `${node.name}${kind}: ${report.unavailable ?? 'can run resources'}`,
    ...report.remedies.map((remedy) => `  > ${remedy}`),
    ...report.fencing.map((reason) => `  It must be fenced: ${reason}`),
    ...printFencing(status.options.fencingEnabled, report),
    ...(node.health === 'green'
      ? []
      : [`  Its health is ${describeHealth(node)}; node-health-strategy is ${status.options.nodeHealthStrategy}`]),
    ...list('Active there now:', report.now),
    ...list(
      sameResources(report) ? 'No changes are planned there:' : 'Planned to run there:',
      sameResources(report) ? [] : report.next,
    ),
    ...(sameResources(report) && report.now.length > 0 ? ['  All of it stays there.'] : []),
    ...(report.next.length === 0 && report.now.length > 0 ? ['  Nothing is planned to run there.'] : []),
    ...(report.now.length === 0 && report.next.length === 0
      ? ['  Nothing runs there, and nothing is planned to.']
      : []),
    ...(report.failures.length === 0 ? [] : ['  What failed there:']),
    ...report.failures.flatMap((failure) =>
      describeFailures([failure], status.now).map((text) => `    ${failure.resource} ${text}`),
    ),
  ]
}

function sameResources({ now, next }: Omit<NodeReport, 'text'>): boolean {
  const key = ({ resource, role }: ResourceThere): string => `${resource} ${role}`
  return now.length > 0 && now.map(key).sort().join() === next.map(key).sort().join()
}

function printFencing(enabled: boolean, report: Omit<NodeReport, 'text'>): readonly string[] {
  if (report.devices === undefined) return []
  if (!enabled)
    return [
      '  Fencing is switched off (fencing-enabled=false): it is taken for dead without proof, so its resources may run twice.',
    ]
  const { fencingChange } = report
  const doing =
    fencingChange === undefined
      ? ['  No fencing is planned now: without quorum, or while it is not reached, it waits.']
      : fencingChange.blocked
        ? ['  Its fencing cannot be carried out now (blocked).']
        : []
  const confirm = `  > if you have made sure that it is powered off: systole stonith confirm ${report.node}`
  return [...doing, ...describeDevices(report.devices).map((line) => `  ${line}`), confirm]
}
