/**
 * Questions of the form "what if": a CIB in, the CIB as it would be out, and what was changed in crm_simulate's words and order. A
 * remote or guest node fails by its connection: the monitor of that fails where it runs.
 */
import { setClusterOptions, type XmlElement } from '../../cib/index.ts'
import { type ClusterStatus, type NodeStatus, type StatusInput, statusOfCib } from '../../status/index.ts'
import type { OperationSpec } from './operation-spec.ts'
import { supposeNewNode, supposeNode } from './suppose-nodes.ts'
import { primitiveMeant, supposeOperation } from './suppose-operation.ts'
import { supposeTicket } from './suppose-tickets.ts'
import type { Supposed } from './supposed.ts'
import { countedUp } from './updates.ts'

export interface WhatIf {
  readonly quorate?: boolean | string
  /** In any words: what is stored, and told. */
  readonly watchdog?: boolean | string
  readonly nodesAdded?: readonly string[]
  /** Online, and new to the configuration: crm_simulate --node-up makes whom it does not know. */
  readonly nodesMade?: readonly string[]
  readonly nodesUp?: readonly string[]
  readonly nodesDown?: readonly string[]
  readonly nodesFailed?: readonly string[]
  readonly nodesPending?: readonly string[]
  readonly ticketsGranted?: readonly string[]
  readonly ticketsRevoked?: readonly string[]
  readonly ticketsOnStandby?: readonly string[]
  readonly ticketsActive?: readonly string[]
  /** Results that the history gets before the cluster looks at it. */
  readonly results?: readonly OperationSpec[]
  /** Texts that were to be results and are none: told as if they were, as crm_simulate does. */
  readonly resultsUnread?: readonly string[]
}

export interface Moment {
  /** Seconds since the epoch. */
  readonly now: number
  readonly utcOffsetAt?: StatusInput['utcOffsetAt'] | undefined
}

type Step = (cib: XmlElement) => Supposed

export function suppose(cib: XmlElement, question: WhatIf, moment: Moment): Supposed {
  return stepsOf(question, moment).reduce<Supposed>(
    (before, step) => {
      const after = step(before.cib)
      return { cib: countedUp(before.cib, after.cib), lines: [...before.lines, ...after.lines] }
    },
    { cib, lines: [] },
  )
}

function stepsOf(question: WhatIf, moment: Moment): readonly Step[] {
  const each =
    (step: (cib: XmlElement, name: string) => Supposed) =>
    (name: string): Step =>
    (cib) =>
      step(cib, name)
  const { quorate, watchdog } = question
  return [
    ...(quorate === undefined ? [] : [(cib: XmlElement) => supposeQuorum(cib, quorate)]),
    ...(watchdog === undefined ? [] : [(cib: XmlElement) => supposeWatchdog(cib, watchdog)]),
    ...(question.nodesAdded ?? []).map(each(supposeNewNode)),
    ...(question.nodesMade ?? []).map(each((cib, node) => withoutWelcome(supposeNewNode(cib, node)))),
    ...(question.nodesUp ?? []).map(each((cib, node) => supposeNode(cib, node, 'up'))),
    ...(question.nodesDown ?? []).map(each((cib, node) => supposeNode(cib, node, 'down'))),
    ...(question.nodesFailed ?? []).map(each((cib, node) => supposeFailedNode(cib, node, moment))),
    ...(question.nodesPending ?? []).map(each((cib, node) => supposeNode(cib, node, 'pending'))),
    ...(question.ticketsGranted ?? []).map(each((cib, ticket) => supposeTicket(cib, ticket, 'granted'))),
    ...(question.ticketsRevoked ?? []).map(each((cib, ticket) => supposeTicket(cib, ticket, 'revoked'))),
    ...(question.ticketsOnStandby ?? []).map(each((cib, ticket) => supposeTicket(cib, ticket, 'standby'))),
    ...(question.ticketsActive ?? []).map(each((cib, ticket) => supposeTicket(cib, ticket, 'active'))),
    ...(question.results ?? []).map(
      (spec): Step =>
        (cib) =>
          supposeOperation(cib, statusOfCib({ cib, now: moment.now, utcOffsetAt: moment.utcOffsetAt }), spec),
    ),
    ...(question.resultsUnread ?? []).map(
      (text): Step =>
        (cib) => ({ cib, lines: [`Injecting ${text} into the configuration`] }),
    ),
  ]
}

function supposeQuorum(cib: XmlElement, quorate: boolean | string): Supposed {
  const attributes = { ...cib.attributes, 'have-quorum': String(quorate) }
  return { cib: { ...cib, attributes }, lines: [`Setting quorum: ${quorate}`] }
}

function supposeWatchdog(cib: XmlElement, watchdog: boolean | string): Supposed {
  const edited = setClusterOptions(cib, { values: { 'have-watchdog': String(watchdog) }, force: true })
  return { cib: edited.ok ? edited.value.cib : cib, lines: [`Setting watchdog: ${watchdog}`] }
}

function supposeFailedNode(cib: XmlElement, name: string, moment: Moment): Supposed {
  const status = statusOfCib({ cib, now: moment.now, utcOffsetAt: moment.utcOffsetAt })
  const lost = connectionLoss(status, name)
  if (lost === undefined) return supposeNode(cib, name, 'failed')
  const { cib: without, lines } = supposeOperation(cib, status, lost)
  return { cib: without, lines: [`Failing node ${name}`, ...lines] }
}

/** The operation whose failure reports the loss of a remote node; undefined for other nodes, and while it is not connected. */
export function connectionLoss(status: ClusterStatus, name: string): OperationSpec | undefined {
  const node = status.nodes.find((candidate) => candidate.name === name)
  const connection = node?.connection === undefined ? undefined : status.primitivesById.get(node.connection)
  const host = connection?.state.active[0]?.node
  if (connection === undefined || host === undefined) return undefined
  const monitor = connection.operations.find((operation) => operation.name === 'monitor' && operation.intervalMs > 0)
  const intervalMs = monitor?.intervalMs ?? 60_000
  return { resource: connection.id, operation: 'monitor', intervalMs, node: host, exitCode: 1 }
}

/** What a question names that is not there, or cannot be asked: a sentence each. */
export function questionMistakes(cib: XmlElement, question: WhatIf, moment: Moment): readonly string[] {
  const { quorate: _quorate, watchdog: _watchdog, resultsUnread: _unread, ...names } = question
  // To read the status takes as long as a fifth of the simulation, so only where a name is to be looked up in it.
  if (Object.values(names).every((named) => named.length === 0)) return []
  const status = statusOfCib({ cib, now: moment.now, utcOffsetAt: moment.utcOffsetAt })
  const added = new Set([...(question.nodesAdded ?? []), ...(question.nodesMade ?? [])])
  const nodeNamed = (name: string): NodeStatus | undefined => status.nodes.find((node) => node.name === name)
  const existing = (name: string): readonly string[] =>
    nodeNamed(name) === undefined && !added.has(name) ? [`There is no node '${name}'.`] : []
  const membersOnly = (name: string): readonly string[] => {
    const node = nodeNamed(name)
    return node === undefined || node.kind === 'member'
      ? existing(name)
      : [`${name} is a ${node.kind} node: it comes and goes with its connection, ${node.connection ?? name}.`]
  }
  return [
    ...[...added].flatMap((name) => (nodeNamed(name) === undefined ? [] : [`There is a node '${name}' already.`])),
    ...[...(question.nodesUp ?? []), ...(question.nodesDown ?? []), ...(question.nodesPending ?? [])].flatMap(
      membersOnly,
    ),
    ...(question.nodesFailed ?? []).flatMap((name) => [...existing(name), ...unconnected(status, nodeNamed(name))]),
    ...(question.results ?? []).flatMap((spec) => [...existing(spec.node), ...specMistakes(status, spec)]),
  ]
}

/** That it comes online says it all. */
const withoutWelcome = ({ cib, lines }: Supposed): Supposed => ({ cib, lines: lines.slice(1) })

function unconnected(status: ClusterStatus, node: NodeStatus | undefined): readonly string[] {
  if (node === undefined || node.kind === 'member' || connectionLoss(status, node.name)) return []
  return [`${node.name} is not connected, so it cannot be lost.`]
}

/** A specification names a primitive; where it names no instance, any will do of an anonymous clone only. */
export function specMistakes(status: ClusterStatus, { resource }: OperationSpec): readonly string[] {
  if (primitiveMeant(status, resource) !== undefined) return []
  const unique = [...status.primitivesById.values()].find(({ configuredId }) => configuredId === resource)
  return unique
    ? [`${resource} has instances that differ: name one of them, such as ${unique.id}.`]
    : [`There is no primitive '${resource}' whose operation could end.`]
}
