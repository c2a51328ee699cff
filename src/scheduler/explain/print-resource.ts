/** The explanation of a resource as text: where it is and will be, why not more, what failed, and the score of every node. */
import { momentSeen } from '../../base/index.ts'
import { formatScore, INFINITY_SCORE } from '../../cib/index.ts'
import { describeExitCode, type FailedOperation, type FailuresAlike, failuresAlike } from '../../status/index.ts'
import type { TransitionChange } from '../actions/graph/summary.ts'
import type { Cause } from './causes.ts'
import type { Explained } from './explained.ts'
import type { ColocationLink, FailCountFacts, InstanceExplanation, NodeExplanation } from './resource-explanation.ts'
import { describeTransitionChange } from './words.ts'

export function printResource(explained: Explained, instances: readonly InstanceExplanation[]): string {
  return instances.map((instance) => printInstance(explained, instance)).join('\n\n')
}

function printInstance(explained: Explained, instance: InstanceExplanation): string {
  const { causes, failures, failCounts, remarks, chain } = instance
  const { now } = explained.status
  return [
    `${instance.id}: ${describeNow(instance)}`,
    ...describeNext(instance).map((line) => `  ${line}`),
    ...section(
      causesTitle(instance),
      causes.flatMap((cause) => printCause(cause, 2)),
    ),
    ...section('What failed:', [
      ...describeFailures(failures, now),
      ...failCounts.map((count) => describeFailCount(count, now)),
      ...howToForget(instance, explained),
    ]),
    ...section(
      'Remarks:',
      remarks.map(({ node, text }) => `${node}: ${text}`),
    ),
    ...section('Placed with others:', chain.map(describeLink)),
    ...section(
      'Nodes:',
      instance.nodes.flatMap((node) => printNode(instance, node)),
    ),
  ].join('\n')
}

/** Where a failure stands in the way of something, its cause has the remedy already. */
function howToForget(
  { id, failures, failCounts, causes }: InstanceExplanation,
  { status }: Explained,
): readonly string[] {
  if (failures.length + failCounts.length === 0 || causes.some(hasCleanup)) return []
  return [`> systole resource cleanup ${status.primitivesById.get(id)?.configuredId ?? id}`]
}

const hasCleanup = ({ remedies, because }: Cause): boolean =>
  remedies.some((remedy) => remedy.includes('systole resource cleanup')) || because.some(hasCleanup)

export function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`  ${title}`, ...lines.map((line) => `    ${line}`)]
}

function describeNow({ now, pending, failed, failures, causes, nodes }: InstanceExplanation): string {
  const isUnclean = (name: string): boolean =>
    nodes.some(({ node, unavailable }) => node === name && unavailable === 'unclean')
  const isStarting = pending?.operation === 'start'
  const places = now
    .filter(({ node }) => !(isStarting && node === pending.node))
    .map(({ node, role }) => `${role.toLowerCase()} on ${node}${isUnclean(node) ? ' (unclean)' : ''}`)
  const doing = pending === undefined ? [] : [`${pending.operation} in progress on ${pending.node}`]
  const all = [...places, ...doing, ...(failed && places.length > 0 ? ['failed'] : [])]
  if (all.length > 0) return all.join(', ')
  return failures.length > 0 && causes.length > 0 ? 'not running after a failure' : 'not running'
}

function describeNext(instance: InstanceExplanation): readonly string[] {
  const { now, next, changes, nodes, causes, whyNot } = instance
  if (changes.length > 0) {
    const planned = changes.map((change) => `${describePlan(change, causes.length > 0)}.`)
    return next.node === undefined || isStopped(instance) ? planned : [...planned, ...describeChoice(next.node, nodes)]
  }
  if (whyNot.some(({ kind }) => kind === 'unmanaged' || kind === 'blocked')) return ['It is left as it is.']
  if (next.node === undefined) return [now.length === 0 ? 'It stays stopped.' : 'Nothing is done with it.']
  const stays = now.length === 0 ? [] : ['It stays there.']
  return [...stays, ...describeChoice(next.node, nodes)]
}

/** A reason that the causes tell at length is not told here too. */
function describePlan(change: TransitionChange, isToldBelow: boolean): string {
  const { reason, blocked, ...bare } = change
  const plan = describeTransitionChange(isToldBelow ? { ...bare, blocked: false } : change)
  return blocked ? `The cluster would ${plan}, and cannot` : `The cluster will ${plan}`
}

const isStopped = ({ changes }: InstanceExplanation): boolean => changes.some(({ what }) => what === 'Stop')

/** Why this node and no other: its score beside the next best. Between equal scores `node-order.ts` decides. */
function describeChoice(chosen: string, nodes: readonly NodeExplanation[]): readonly string[] {
  const own = nodes.find(({ node }) => node === chosen)
  const [rival] = nodes.filter(
    ({ node, unavailable, score }) => node !== chosen && unavailable === undefined && score !== undefined && score >= 0,
  )
  if (own?.score === undefined || own.score < 0) return []
  if (rival?.score === undefined) return [`Why ${chosen}: no other node can have it.`]
  if (own.score > rival.score)
    return [
      `Why ${chosen}: it has the highest score, ${formatScore(own.score)}; the next best is ${rival.node} with ${formatScore(rival.score)}.`,
    ]
  if (own.score < rival.score) return []
  return [
    `Why ${chosen}: ${rival.node} has the same score, ${formatScore(own.score)}; of equals the one with fewer resources, then the one where it runs, then by name.`,
  ]
}

function causesTitle(instance: InstanceExplanation): string {
  const { next, now, changes } = instance
  if (next.node === undefined || isStopped(instance))
    return now.length === 0 ? 'Why it does not run:' : 'Why it does not stay:'
  if (changes.some(({ blocked }) => blocked) || now.length === 0) return 'Blocked by:'
  return changes.length > 0 ? 'Waiting for:' : 'Prevented by:'
}

export function printCause({ text, remedies, because }: Cause, indent: number): readonly string[] {
  const pad = ' '.repeat(indent)
  return [
    `${' '.repeat(indent - 2)}- ${text}`,
    ...because.flatMap((cause) => printCause(cause, indent + 2)),
    ...remedies.map((remedy) => `${pad}> ${remedy}`),
  ]
}

/** Without the resource that they are of. */
export function describeFailures(failures: readonly FailedOperation[], now: number): readonly string[] {
  return failuresAlike(failures).map((alike) => describeAlike(alike, now))
}

function describeAlike({ first, nodes, last }: FailuresAlike, now: number): string {
  const why = first.exitReason === '' ? whereToLook(first, nodes) : `: ${first.exitReason}`
  const when = last === undefined ? '' : ` since ${momentSeen(last, now)}`
  const interval = first.intervalMs > 0 ? ` (every ${first.intervalMs / 1000}s)` : ''
  const status = first.status === '2' ? ', timed out' : ''
  return `${first.operation}${interval} on ${nodes.join(', ')}${when}: exit code ${first.exitCode} (${describeExitCode(first.exitCode)}${status})${why}`
}

/** Of an error that the agent gave no reason for; that a service does not run (7), or is promoted (8), says enough. */
function whereToLook({ exitCode, status }: FailedOperation, nodes: FailuresAlike['nodes']): string {
  if (status === '2' || exitCode < 1 || exitCode > 6) return ''
  return `; the agent gave no reason: what it printed is in the daemon's log on ${nodes.join(', ')}`
}

function describeFailCount(facts: FailCountFacts, now: number): string {
  const { node, count, threshold, lastFailure, expiresAt } = facts
  const limit = threshold >= INFINITY_SCORE ? 'no migration-threshold' : `migration-threshold ${formatScore(threshold)}`
  const last = lastFailure === undefined ? '' : `, last failure ${momentSeen(lastFailure, now)}`
  const expiry = count === 0 ? ', expired' : expiresAt === undefined ? '' : `, expires ${momentSeen(expiresAt, now)}`
  return `fail count on ${node}: ${formatScore(count)} (${limit}${last}${expiry})`
}

function describeLink({ dependent, primary, constraint, score, nodes }: ColocationLink): string {
  const where = nodes.length === 0 ? 'runs nowhere' : `planned on ${nodes.join(', ')}`
  return `${dependent} with ${primary} (${constraint}, ${formatScore(score)}): ${primary} ${where}`
}

function printNode({ next }: InstanceExplanation, node: NodeExplanation): readonly string[] {
  const value = node.score === undefined ? 'not allowed' : formatScore(node.score)
  const chosen = node.node === next.node ? ' (chosen)' : ''
  return [
    `${node.node}: ${value}${node.unavailable === undefined ? '' : ` (${node.unavailable})`}${chosen}`,
    ...node.contributions.map(({ text }) => `  ${text}`),
  ]
}
