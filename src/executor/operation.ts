/** What an executor is told to do and what it says about it. */
import { defined, type NodeName, nodeName, type ResourceId } from '../base/index.ts'
import type { Agent, OperationResult, TransitionKey } from '../cib/index.ts'
import { formatTransitionKey, parseTransitionKey } from '../cib/index.ts'
import type { ResourceAction } from '../transition/index.ts'

export interface Operation {
  readonly resource: ResourceId
  readonly agent: Agent
  readonly operation: string
  /** Recurring where it is not 0. */
  readonly intervalMs: number
  readonly startDelayMs: number
  readonly timeoutMs: number
  readonly attributes: Readonly<Record<string, string>>
  readonly key: TransitionKey
  /** Of the DC that asked; absent for what this node does by itself, such as stopping when it has lost quorum. */
  readonly term?: number
  /** With the term: the revision of the store that the DC's transition was computed from. */
  readonly plannedFrom?: number
}

/** A result without what only the machine knows: the calendar's time and the digests of the parameters. */
export type ReportedResult = Omit<OperationResult, 'node' | 'lastChange' | 'digests'> & {
  readonly attributes: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

/** Of a recurring operation. What a failed start or stop counts, the DC decides. */
export interface CountedFailure {
  readonly resource: ResourceId
  readonly operation: string
  readonly intervalMs: number
  /** Seconds since the epoch. */
  readonly at: number
}

/** The failure that a result is, where this node counts it. `at`: seconds since the epoch. */
export function countedFailure(result: ReportedResult, at: number): CountedFailure | undefined {
  const { resource, operation, intervalMs, status, exitCode, key, attributes } = result
  const failed = status !== 'cancelled' && (status !== 'done' || exitCode !== key.expectedExitCode)
  if (intervalMs === 0 || !failed || attributes.CRM_meta_on_fail === 'ignore') return undefined
  return { resource, operation, intervalMs, at }
}

/** The operation that an action of the graph asks for. `timeoutMs` is the operation's own. */
export function operationOfAction(
  action: ResourceAction,
  asked: {
    readonly key: TransitionKey
    readonly timeoutMs: number
    readonly term?: number
    readonly plannedFrom?: number
  },
): Operation {
  return {
    resource: action.resource,
    agent: action.agent,
    operation: action.operation,
    intervalMs: action.intervalMs,
    startDelayMs: Number(action.attributes.CRM_meta_start_delay ?? 0) || 0,
    attributes: action.attributes,
    ...asked,
  }
}

/** Transition -1, as Pacemaker has it for what no graph asked for: the controller knows by it that the node was interrupted. */
const ownKey = defined(parseTransitionKey('0:-1:0:00000000-0000-4000-8000-000000000000'), 'the key of local operations')
const defaultTimeoutMs = 20_000

/** A stop or demotion by the node's own decision: no DC asked for it, so that it has no term. */
export function ownOperationOf(action: ResourceAction): Operation {
  const timeoutMs = Number(action.attributes.CRM_meta_timeout) || defaultTimeoutMs
  return operationOfAction(action, { key: ownKey, timeoutMs })
}

/** The agent's own parameters among an action's attributes. */
export function agentParameters(attributes: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(attributes).filter(([name]) => !name.startsWith('CRM_meta_') && name !== 'crm_feature_set'),
  )
}

/** `monitor/10000`: a resource has one recurring operation of each. */
export function recurringName({ operation, intervalMs }: Pick<Operation, 'operation' | 'intervalMs'>): string {
  return `${operation}/${intervalMs}`
}

/** Whether it may change what the resource does: such an operation ends the monitors that looked at the state before. */
export function changesResource({ operation }: Pick<Operation, 'operation'>): boolean {
  return !['monitor', 'status', 'notify', 'validate-all', 'meta-data'].includes(operation)
}

/**
 * Whether its pending record may stand in the history while it runs. It replaces what is recorded there, and a resource that
 * is being stopped, demoted or reloaded is still active: a DC that takes over in that moment must not think otherwise.
 */
export function showsPending({ operation }: Pick<Operation, 'operation'>): boolean {
  return !['stop', 'demote', 'reload', 'reload-agent'].includes(operation)
}

/** Brings a service nearer to running twice: never without quorum. */
export function needsQuorum({ operation }: Pick<Operation, 'operation'>): boolean {
  return ['start', 'promote', 'migrate_to', 'migrate_from', 'reload', 'reload-agent'].includes(operation)
}

export function keyText(operation: Pick<Operation, 'key'>): string {
  return formatTransitionKey(operation.key)
}

export function reportedResult(
  callId: number,
  operation: Operation,
  outcome: Pick<ReportedResult, 'status' | 'exitCode' | 'execTimeMs' | 'queueTimeMs'> & {
    readonly exitReason?: string
  },
): ReportedResult {
  const { resource, agent, intervalMs, key, attributes, timeoutMs } = operation
  const migration = migrationOf(operation)
  const notification = notificationOf(operation)
  return {
    resource,
    agent,
    operation: operation.operation,
    intervalMs,
    key,
    callId,
    attributes,
    timeoutMs,
    status: outcome.status,
    exitCode: outcome.exitCode,
    execTimeMs: outcome.execTimeMs,
    queueTimeMs: outcome.queueTimeMs,
    ...(outcome.exitReason === undefined ? {} : { exitReason: outcome.exitReason }),
    ...(migration === undefined ? {} : { migration }),
    ...(notification === undefined ? {} : { notification }),
  }
}

function migrationOf(operation: Operation): { readonly source: NodeName; readonly target: NodeName } | undefined {
  const source = operation.attributes.CRM_meta_migrate_source
  const target = operation.attributes.CRM_meta_migrate_target
  if (source === undefined || target === undefined) return undefined
  return { source: nodeName(source), target: nodeName(target) }
}

function notificationOf(
  operation: Operation,
): { readonly type: 'pre' | 'post'; readonly operation: string } | undefined {
  const about = operation.attributes.CRM_meta_notify_operation
  if (operation.operation !== 'notify' || about === undefined) return undefined
  return { type: operation.attributes.CRM_meta_notify_type === 'pre' ? 'pre' : 'post', operation: about }
}
