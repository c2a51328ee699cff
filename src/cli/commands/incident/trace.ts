/**
 * An incident as a trace of OpenTelemetry (OTLP, JSON encoding of ExportTraceServiceRequest): one span for the whole, below it those of the detection, of each decision of the DC, of each
 * fencing and of each operation. Ids are made of the cluster and of what a span is about, so that a second export is the same trace. Pure.
 */
import { createHash } from 'node:crypto'
import { describeHappening, describeIncident, type Incident, type JournalEvent } from '../../../journal/index.ts'

type Value = { readonly stringValue: string } | { readonly intValue: string } | { readonly boolValue: boolean }

interface Attribute {
  readonly key: string
  readonly value: Value
}

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly Attribute[]
  readonly status: { readonly code: number; readonly message?: string }
}

export interface Trace {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string; readonly version: string }
      readonly spans: readonly Span[]
    }[]
  }[]
}

/** SPAN_KIND_INTERNAL, STATUS_CODE_OK and STATUS_CODE_ERROR of the protocol. */
const internal = 1
const statusOk = 1
const statusError = 2
const mostSpans = 2000

/** What a span is before it has an id. */
interface Part {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly failed?: string
  readonly about: Readonly<Record<string, string | number>>
}

export function traceOf(incident: Incident, cluster: string, version: string): Trace {
  const traceId = digest(`${cluster} ${incident.id} ${incident.began}`).slice(0, 32)
  const spanId = (of: string): string => digest(`${traceId} ${of}`).slice(0, 16)
  const root = spanId('recovery')
  const summary = describeIncident(incident)
  const parts = partsOf(incident).slice(0, mostSpans)
  const whole: Part = {
    name: `recovery: ${describeHappening(incident.cause.what)}`,
    from: Math.min(incident.began, ...parts.map(({ from }) => from)),
    to: Math.max(incident.ended, ...parts.map(({ to }) => to)),
    about: { 'systole.incident': incident.id, 'systole.summary': summary },
    ...(incident.away.some(({ still }) => still) && { failed: summary }),
  }
  const toSpan = ({ name, from, to, failed, about }: Part, id: string): Span => ({
    traceId,
    spanId: id,
    ...(id !== root && { parentSpanId: root }),
    name: name.slice(0, 200),
    kind: internal,
    startTimeUnixNano: nanoseconds(from),
    endTimeUnixNano: nanoseconds(Math.max(from, to)),
    attributes: attributesOf(about),
    status: failed === undefined ? { code: statusOk } : { code: statusError, message: failed.slice(0, 500) },
  })
  const spans = [toSpan(whole, root), ...parts.map((part, at) => toSpan(part, spanId(`${at} ${part.name}`)))]
  const resource = { 'service.name': 'systole', 'service.namespace': cluster, 'service.version': version }
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'systole', version }, spans }],
      },
    ],
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')
const nanoseconds = (ms: number): string => String(BigInt(Math.round(ms)) * 1_000_000n)

const attributesOf = (about: Part['about']): readonly Attribute[] =>
  Object.entries(about).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(Math.round(value)) },
  }))

/** In the order of the store, as their ids say. */
function partsOf({ events }: Incident): readonly Part[] {
  const begun = new Map<string, JournalEvent>()
  /** The last thing that a decision can be an answer to. */
  let trigger: number | undefined
  return events.flatMap((event): readonly Part[] => {
    const { what, at, by } = event
    const about = { 'systole.node': by, 'systole.revision': event.revision }
    const text = describeHappening(what)
    switch (what.kind) {
      case 'node':
        trigger ??= at
        return [{ name: what.became === 'lost' ? `detection: ${text}` : text, from: at, to: at, about }]
      case 'quorum':
        trigger ??= at
        return [{ name: text, from: at, to: at, about, ...(!what.quorate && { failed: text }) }]
      case 'decision': {
        const from = trigger ?? at
        trigger = undefined
        return [{ name: `decision: ${text}`, from, to: at, about, ...(what.blocked !== undefined && { failed: text }) }]
      }
      case 'fencing': {
        if (what.outcome === 'pending') {
          begun.set(what.id, event)
          return []
        }
        trigger ??= at
        const from = begun.get(what.id)?.at ?? at
        const failed = what.outcome === 'succeeded' ? {} : { failed: text }
        const device = what.runner === undefined ? {} : { 'systole.runner': what.runner }
        return [
          {
            name: `fencing: ${what.target} (${what.action})`,
            from,
            to: at,
            about: { ...about, 'systole.target': what.target, ...device },
            ...failed,
          },
        ]
      }
      case 'operation': {
        const hasFailed = what.status !== 0 || what.rc !== what.expected
        if (hasFailed) trigger ??= at
        const { operation, resource, node, rc } = what
        return [
          {
            name: `${operation}: ${resource} on ${node}`,
            from: at - Math.max(0, what.execMs),
            to: at,
            about: { ...about, 'systole.resource': resource, 'systole.operation': operation, 'systole.rc': rc },
            ...(hasFailed && { failed: text }),
          },
        ]
      }
      default:
        return []
    }
  })
}
