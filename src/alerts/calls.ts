/** Which programs are called for an event, for whom, and with which environment. */
import { assertNever, parseDurationMs } from '../base/index.ts'
import { type AlertDefinition, type NvSet, parseBoolean } from '../cib/index.ts'
import { addNvSets, type UtcOffsetAt } from '../status/index.ts'
import type { AlertEvent } from './event.ts'
import { formatTimestamp } from './timestamp.ts'

export interface AlertCall {
  readonly alert: string
  /** Calls of one lane follow each other in the order of the events: an alert, or one of its recipients. */
  readonly lane: string
  readonly path: string
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** So long after it was first to be called, a program that asks for it is called again. */
  readonly retryMs: number
  /** The same again within this time is only counted. */
  readonly repeatMs: number
  /** What of the event makes it the same as another; none where each is told. */
  readonly sameness?: string
  /** What it is made from: the call is made again where the configuration has changed since. */
  readonly event: AlertEvent
  readonly sequence: number
}

export interface QueuedCall extends AlertCall {
  readonly id: number
  /** How often the same has happened since it was sent last, this time among them. */
  readonly times?: number
}

export interface AlertSetting {
  /** Told to the program as Pacemaker's. */
  readonly version: string
  /** Grows with each event that this node sends alerts for. */
  readonly sequence: number
  /** Empty where it has none. */
  readonly clusterName: string
  readonly utcOffsetAt: UtcOffsetAt
}

const defaultTimeoutMs = 30_000
const defaultRetryMs = 3_600_000
/** For both: what is a day old is not news. */
const longestPatienceMs = 86_400_000
const defaultTimestamp = '%H:%M:%S.%06N'
/** The kernel takes no variable of more than 128 KiB, and no more than 2 MiB altogether. */
const longestValue = 32_000

export function callsFor(
  event: AlertEvent,
  alerts: readonly AlertDefinition[],
  setting: AlertSetting,
): readonly AlertCall[] {
  return alerts.filter((alert) => isSelected(alert, event)).flatMap((alert) => callsOf(alert, event, setting))
}

/** The lanes that calls of an alert may have. */
export const lanesOf = ({ id, recipients }: AlertDefinition): readonly string[] =>
  recipients.length === 0 ? [id] : recipients.map((recipient) => laneName(id, recipient.id))

const laneName = (alert: string, recipient: string): string => `${alert} ${recipient}`

/** Whether anybody is to be told: without, an event costs nothing. */
function isSelected({ selects }: AlertDefinition, event: AlertEvent): boolean {
  switch (event.kind) {
    case 'node':
      return selects.nodes
    case 'fencing':
      return selects.fencing
    case 'resource':
      return selects.resources
    case 'attribute':
      return selects.attributes === 'all' || selects.attributes.includes(event.name)
    case 'test':
      return true
    default:
      return assertNever(event)
  }
}

function callsOf(alert: AlertDefinition, event: AlertEvent, setting: AlertSetting): readonly AlertCall[] {
  const context = { zone: { now: Math.floor(event.at / 1000), utcOffsetAt: setting.utcOffsetAt } }
  const valuesOf = (sets: readonly NvSet[], outer: readonly NvSet[]): ReadonlyMap<string, string> => {
    const values = new Map<string, string>()
    for (const each of [sets, outer]) addNvSets(values, each, context)
    return values
  }
  const isEnabled = (meta: ReadonlyMap<string, string>): boolean => parseBoolean(meta.get('enabled')) ?? true
  if (!isEnabled(valuesOf(alert.meta, []))) return []
  const callFor = (recipient: AlertDefinition['recipients'][number] | undefined): readonly AlertCall[] => {
    const meta = valuesOf(recipient?.meta ?? [], alert.meta)
    if (!isEnabled(meta)) return []
    const timeoutMs = parseDurationMs(meta.get('timeout') ?? '') || defaultTimeoutMs
    const timestamp = formatTimestamp(meta.get('timestamp-format') ?? defaultTimestamp, event.at, setting.utcOffsetAt)
    const told = { ...variablesOf(event), timestamp, ...(recipient && { recipient: recipient.value }) }
    return [
      {
        alert: alert.id,
        lane: recipient === undefined ? alert.id : laneName(alert.id, recipient.id),
        path: alert.path,
        environment: {
          ...own(valuesOf(recipient?.parameters ?? [], alert.parameters)),
          ...prefixed({ ...told, version: setting.version, node_sequence: String(setting.sequence) }),
          SYSTOLE_ALERT_ID: held(identityOf(event)),
          SYSTOLE_ALERT_CLUSTER: held(setting.clusterName),
          SYSTOLE_ALERT_TIMEOUT_MS: String(timeoutMs),
        },
        timeoutMs,
        retryMs: Math.min(parseDurationMs(meta.get('retry-for') ?? '') ?? defaultRetryMs, longestPatienceMs),
        repeatMs: Math.min(parseDurationMs(meta.get('repeat-interval') ?? '') ?? 0, longestPatienceMs),
        ...samenessOf(event),
        event,
        sequence: setting.sequence,
      },
    ]
  }
  return alert.recipients.length === 0 ? callFor(undefined) : alert.recipients.flatMap(callFor)
}

/** The same for whoever sends it: another DC, or the same node again. */
const identityOf = (event: AlertEvent): string =>
  [event.at, event.kind, event.node, ...Object.values(subjectOf(event))].join('/')

/** Each loss of a node and each fencing is told; an operation or an attribute may end as it did a moment ago. */
function samenessOf(event: AlertEvent): { readonly sameness?: string } {
  if (event.kind === 'node' || event.kind === 'fencing' || event.kind === 'test') return {}
  const outcome = event.kind === 'resource' ? [event.status, event.rc, event.targetRc] : [event.value]
  return { sameness: JSON.stringify([event.kind, event.node, ...Object.values(subjectOf(event)), ...outcome]) }
}

/** What it is about, beside its node. */
function subjectOf(event: AlertEvent): Readonly<Record<string, string | number>> {
  switch (event.kind) {
    case 'node':
      return { desc: event.desc }
    case 'fencing':
    case 'test':
      return { desc: event.desc }
    case 'resource':
      return { resource: event.resource, task: event.task, intervalMs: event.intervalMs }
    case 'attribute':
      return { name: event.name }
    default:
      return assertNever(event)
  }
}

/** A name that an environment cannot hold is left out. */
function own(parameters: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  return Object.fromEntries([...parameters].flatMap(([name, value]) => (isVariable(name) ? [[name, held(value)]] : [])))
}

const isVariable = (name: string): boolean => name !== '' && !name.includes('=') && !name.includes('\0')

const held = (value: string): string => value.replaceAll('\0', '').slice(0, longestValue)

/** Also under the names that programs for ocf:pacemaker:ClusterMon know. */
function prefixed(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      ['CRM_alert_', 'CRM_notify_'].map((prefix) => [`${prefix}${name}`, held(value)]),
    ),
  )
}

function variablesOf(event: AlertEvent): Readonly<Record<string, string>> {
  const { kind, node, at } = event
  const shared = {
    kind,
    node,
    timestamp_epoch: String(Math.floor(at / 1000)),
    timestamp_usec: String((Math.floor(at) % 1000) * 1000),
  }
  switch (event.kind) {
    case 'node':
      return { ...shared, nodeid: event.nodeId, desc: event.desc }
    case 'fencing':
      return { ...shared, task: event.task, rc: String(event.rc), desc: event.desc }
    case 'resource':
      return {
        ...shared,
        rsc: event.resource,
        task: event.task,
        interval: String(event.intervalMs),
        desc: event.desc,
        status: String(event.status),
        rc: String(event.rc),
        target_rc: String(event.targetRc),
        exec_time: String(event.execTimeMs),
      }
    case 'attribute':
      return { ...shared, attribute_name: event.name, attribute_value: event.value }
    case 'test':
      return { ...shared, desc: event.desc }
    default:
      return assertNever(event)
  }
}
