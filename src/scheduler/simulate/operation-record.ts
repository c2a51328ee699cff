/** One operation's result as the history records it: an `lrm_rsc_op` of its resource's `lrm_resource`. */
import { type Agent, childElements, element, formatTransitionKey, type XmlElement } from '../../cib/index.ts'

export interface RecordedOperation {
  /** The resource as the history calls it. */
  readonly name: string
  readonly operation: string
  readonly intervalMs: number
  readonly node: string
  readonly exitCode: number
  readonly expectedExitCode: number
  /** Of a notification: what about. */
  readonly notification?: { readonly type: string; readonly operation: string }
  readonly exitReason?: string
  /** Of the parameters, so that a later change of them is seen. */
  readonly digest?: string
  readonly migration?: { readonly source: string; readonly target: string }
  /** Seconds since the epoch. */
  readonly now: number
}

export function newHistory(id: string, agent: Agent): XmlElement {
  return element('lrm_resource', {
    id,
    class: agent.class,
    ...(agent.provider !== undefined && { provider: agent.provider }),
    type: agent.type,
  })
}

/**
 * A failure is kept as the last failure and, as every operation without interval, as the last operation; a recurring one that
 * succeeded, each half of a live migration, and a notification, under its own key. What an entry in the same place had and nothing
 * is known of now, such as digests for a reload, stays as it was.
 */
export function withOperation(history: XmlElement, operation: RecordedOperation): XmlElement {
  const { name, intervalMs, exitCode, expectedExitCode } = operation
  const failed = exitCode !== expectedExitCode
  const ids =
    operation.migration || operation.notification
      ? [ownKey(operation)]
      : [
          ...(failed ? [`${name}_last_failure_0`] : []),
          ...(intervalMs === 0 ? [`${name}_last_0`] : failed ? [] : [ownKey(operation)]),
        ]
  const recorded = childElements(history, 'lrm_rsc_op').map(({ attributes }) => attributes)
  const callId = 1 + Math.max(0, ...recorded.map((entry) => Number(entry['call-id'] ?? 0)))
  // Between results that name different nodes, as those of a remote node may, the later one is the newer one.
  const elsewhere = recorded.filter((entry) => entry.on_node !== operation.node)
  const now = Math.max(operation.now, ...elsewhere.map((entry) => Number(entry['last-rc-change'] ?? 0) + 1))
  const before = (id: string) => recorded.find((entry) => entry.id === id)
  const entries = ids.map((id) => operationElement({ ...operation, now }, { id, callId, before: before(id) }))
  const idOf = (child: XmlElement['children'][number]): string | undefined =>
    child.kind === 'element' ? child.attributes.id : undefined
  // In its place, since of entries that nothing else tells apart the place does.
  const replaced = history.children.map(
    (child) => entries.find(({ attributes }) => attributes.id === idOf(child)) ?? child,
  )
  return { ...history, children: [...replaced, ...entries.filter((entry) => !replaced.includes(entry))] }
}

const ownKey = ({ name, operation, intervalMs, notification }: RecordedOperation): string =>
  notification
    ? `${name}_${notification.type}_notify_${notification.operation}_0`
    : `${name}_${operation}_${intervalMs}`

interface Place {
  readonly id: string
  readonly callId: number
  /** The attributes of the entry whose place it takes: what is not known of the new one stays. */
  readonly before: XmlElement['attributes'] | undefined
}

function operationElement(recorded: RecordedOperation, { id, callId, before }: Place): XmlElement {
  const { name, operation, intervalMs, exitCode, expectedExitCode, migration } = recorded
  const key = formatTransitionKey({
    action: callId,
    transition: -1,
    expectedExitCode,
    uuid: 'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx',
  })
  return element('lrm_rsc_op', {
    ...before,
    id,
    operation_key: `${name}_${operation}_${intervalMs}`,
    operation,
    'crm-debug-origin': 'crm_simulate',
    crm_feature_set: '3.20.1',
    'transition-key': key,
    'transition-magic': `0:${exitCode};${key}`,
    'exit-reason': recorded.exitReason ?? '',
    on_node: recorded.node,
    'call-id': String(callId),
    'rc-code': String(exitCode),
    'op-status': '0',
    interval: String(intervalMs),
    'last-rc-change': String(recorded.now),
    'exec-time': '0',
    'queue-time': '0',
    ...(migration && { migrate_source: migration.source, migrate_target: migration.target }),
    ...(recorded.digest !== undefined && { 'op-digest': recorded.digest }),
  })
}
