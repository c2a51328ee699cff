/**
 * Which records an operation's result leaves (Pacemaker Explained, "Resource Operations History"). For one resource on
 * one node: `<rsc>_last_0` is the last operation that was not a recurring one, `<rsc>_monitor_<ms>` the last result of each
 * recurring one, `<rsc>_last_failure_0` the last failure. A failure of a recurring operation leaves its own record as it
 * was, for the operation goes on. The halves of a live migration, failed or not, have records of their own: once the source has
 * stopped, only that of `migrate_to` says that the resource may run on a target that was told nothing yet.
 */

import type { NodeName, ResourceId } from '../../base/index.ts'
import type { Agent } from '../configuration.ts'
import { present } from '../values/attribute-text.ts'
import { featureSet } from './feature-set.ts'
import type { OperationRecord } from './records.ts'

/** What became of an operation, as `op-status` numbers it. */
export const operationStatuses = {
  pending: -1,
  done: 0,
  cancelled: 1,
  timeout: 2,
  'not-supported': 3,
  error: 4,
  'hard-error': 5,
  'fatal-error': 6,
  'not-installed': 7,
  'not-connected': 8,
  invalid: 9,
  'no-fence-device': 10,
  'no-secrets': 11,
} as const

export type OperationStatus = keyof typeof operationStatuses

/** Pacemaker 3's words for them. */
export const operationStatusWords: Readonly<Record<OperationStatus, string>> = {
  pending: 'Pending',
  done: 'Done',
  cancelled: 'Cancelled',
  timeout: 'Timed out',
  'not-supported': 'Unsupported',
  error: 'Error',
  'hard-error': 'Hard error',
  'fatal-error': 'Fatal error',
  'not-installed': 'Not installed',
  'not-connected': 'Internal communication failure',
  invalid: 'Cannot execute now',
  'no-fence-device': 'No fence device',
  'no-secrets': 'CIB secrets unavailable',
}

const wordsByNumber: ReadonlyMap<string, string> = new Map(
  Object.entries(operationStatuses).map(([status, number]) => [
    String(number),
    operationStatusWords[status as OperationStatus],
  ]),
)

/** The word for an `op-status` as it is written; undefined: Pacemaker has none. */
export const describeOperationStatus = (status: string | undefined): string | undefined =>
  wordsByNumber.get(status ?? '')

/** Names the action that asked for an operation: `7:12:0:<uuid>` is action 7 of transition 12, which expects exit code 0. */
export interface TransitionKey {
  readonly action: number
  readonly transition: number
  readonly expectedExitCode: number
  readonly uuid: string
}

export interface OperationResult {
  readonly node: NodeName
  readonly resource: ResourceId
  readonly agent: Agent
  readonly operation: string
  readonly intervalMs: number
  readonly key: TransitionKey
  /** Grows with each operation of the node: later ones have higher ids. */
  readonly callId: number
  readonly status: OperationStatus
  /** 193 while it is pending. */
  readonly exitCode: number
  readonly exitReason?: string
  /** What the administrator should hear of although the operation did well. */
  readonly remark?: string
  /** Seconds since the epoch at which the result, if recurring its last change, came about. */
  readonly lastChange: number
  readonly execTimeMs: number
  readonly queueTimeMs: number
  readonly digests?: OperationDigests
  /** Both ends of a live migration. */
  readonly migration?: { readonly source: NodeName; readonly target: NodeName }
  /** For notifications: of which operation, and whether before or after it. */
  readonly notification?: { readonly type: 'pre' | 'post'; readonly operation: string }
  readonly container?: ResourceId
}

/** Digests of the parameters that an operation ran with; `operation-digest.ts` makes them. */
export interface OperationDigests {
  readonly all: string
  /** Of the parameters whose change needs a restart, with their names. */
  readonly restart?: { readonly names: readonly string[]; readonly digest: string }
  /** Of the parameters that are no secrets, with the names of those that are. */
  readonly secure?: { readonly names: readonly string[]; readonly digest: string }
}

/** The records that replace those of the same `recordId`. */
export function recordsOfResult(result: OperationResult): readonly OperationRecord[] {
  const attributes = attributesOf(result)
  return recordNames(result).map((name) => ({
    node: result.node,
    resource: result.resource,
    agent: result.agent,
    recordId: `${result.resource}_${name}`,
    attributes,
    ...present({ container: result.container }),
  }))
}

/** Whether the operation failed: not while it runs or when it was cancelled, else when its result is not the expected one. */
export function isFailure(result: Pick<OperationResult, 'status' | 'exitCode' | 'key'>): boolean {
  if (result.status === 'pending' || result.status === 'cancelled') return false
  return result.status !== 'done' || result.exitCode !== result.key.expectedExitCode
}

function recordNames(result: OperationResult): readonly string[] {
  if (result.notification)
    return [`${result.notification.type}_notify_${result.notification.operation}_${result.intervalMs}`]
  if (result.migration) return [`${result.operation}_0`]
  const recurring = result.intervalMs > 0
  if (isFailure(result)) return recurring ? ['last_failure_0'] : ['last_failure_0', 'last_0']
  return recurring ? [`${result.operation}_${result.intervalMs}`] : ['last_0']
}

/** Not one of Pacemaker's, whose tools pass over it. */
export const remarkAttribute = 'systole-remark'

function attributesOf(result: OperationResult): Readonly<Record<string, string>> {
  const key = formatTransitionKey(result.key)
  const operation = recordedOperation(result)
  const status = operationStatuses[result.status]
  return {
    operation_key: operationKey(result.resource, operation, result.intervalMs),
    operation,
    crm_feature_set: featureSet,
    'transition-key': key,
    'transition-magic': `${status}:${result.exitCode};${key}`,
    'exit-reason': result.exitReason ?? '',
    on_node: result.node,
    'call-id': String(result.callId),
    'rc-code': String(result.exitCode),
    'op-status': String(status),
    interval: String(result.intervalMs),
    'last-rc-change': String(result.lastChange),
    'exec-time': String(result.execTimeMs),
    'queue-time': String(result.queueTimeMs),
    ...present({
      migrate_source: result.migration?.source,
      migrate_target: result.migration?.target,
      [remarkAttribute]: result.remark,
      ...digestAttributes(result.digests),
    }),
  }
}

/** A reload that worked leaves the resource as if it had been started with the new parameters. */
function recordedOperation(result: OperationResult): string {
  const reload = result.operation === 'reload' || result.operation === 'reload-agent'
  return reload && !isFailure(result) && result.status === 'done' ? 'start' : result.operation
}

function digestAttributes(digests: OperationDigests | undefined): Readonly<Record<string, string | undefined>> {
  const { restart, secure } = digests ?? {}
  return {
    'op-digest': digests?.all,
    'op-force-restart': restart && listOfNames(restart.names),
    'op-restart-digest': restart?.digest,
    'op-secure-params': secure && listOfNames(secure.names),
    'op-secure-digest': secure?.digest,
  }
}

/** ` envfile  state `: blanks around every name, so that ` state ` is found whole. */
function listOfNames(names: readonly string[]): string {
  return [...names]
    .sort()
    .map((name) => ` ${name} `)
    .join('')
}

/** `web_monitor_10000`. */
export function operationKey(resource: string, operation: string, intervalMs: number): string {
  return `${resource}_${operation}_${intervalMs}`
}

export function formatTransitionKey(key: TransitionKey): string {
  return `${key.action}:${key.transition}:${key.expectedExitCode}:${key.uuid}`
}

export function parseTransitionKey(text: string): TransitionKey | undefined {
  const match = /^(-?\d+):(-?\d+):(-?\d+):(.+)$/.exec(text)
  if (!match) return undefined
  return {
    action: Number(match[1]),
    transition: Number(match[2]),
    expectedExitCode: Number(match[3]),
    uuid: match[4] ?? '',
  }
}
