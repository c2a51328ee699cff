/**
 * How long each service is interrupted by a transition: from the beginning of its stop (or demotion) to the end of its start (or promotion), with each
 * operation as long as it took when it was last recorded, in the order of the graph.
 */
import { childElement, childElements, type XmlElement } from '../../cib/index.ts'
import type { GraphAction, TransitionGraph } from '../../transition/index.ts'
import { withoutInstance } from '../change/wait.ts'

export interface Interruption {
  readonly resource: string
  readonly ms: number
  /** An operation on its way has never been recorded. */
  readonly isUnknown: boolean
}

/** By `resource operation`: the longest that is recorded on any node. */
export type RecordedTimes = ReadonlyMap<string, number>

export function recordedTimes(cib: XmlElement): RecordedTimes {
  const times = new Map<string, number>()
  const status = childElement(cib, 'status')
  for (const state of status ? childElements(status, 'node_state') : [])
    for (const resource of resourcesOf(state))
      for (const { attributes } of childElements(resource, 'lrm_rsc_op')) {
        const key = keyOf(resource.attributes.id ?? '', attributes.operation ?? '')
        const ms = Number(attributes['exec-time'])
        if (attributes.interval === '0' && Number.isFinite(ms)) times.set(key, Math.max(times.get(key) ?? 0, ms))
      }
  return times
}

function resourcesOf(state: XmlElement): readonly XmlElement[] {
  const lrm = childElement(state, 'lrm')
  const list = lrm && childElement(lrm, 'lrm_resources')
  return list ? childElements(list, 'lrm_resource') : []
}

const keyOf = (resource: string, operation: string): string => `${withoutInstance(resource)} ${operation}`

interface Timed {
  readonly begin: number
  readonly end: number
  readonly isUnknown: boolean
}

export function interruptionsOf(graph: TransitionGraph, times: RecordedTimes): readonly Interruption[] {
  const timed = timesIn(graph, times)
  const resources = new Map<string, { downAt: number; upAt: number; isUnknown: boolean }>()
  for (const action of graph.actions) {
    if (action.kind !== 'resource' || action.intervalMs !== 0) continue
    const at = timed.get(action.id)
    if (at === undefined) continue
    const known = resources.get(action.resource) ?? { downAt: Number.POSITIVE_INFINITY, upAt: 0, isUnknown: false }
    if (action.operation === 'stop' || action.operation === 'demote') known.downAt = Math.min(known.downAt, at.begin)
    else if (action.operation === 'start' || action.operation === 'promote') known.upAt = Math.max(known.upAt, at.end)
    else continue
    known.isUnknown ||= at.isUnknown
    resources.set(action.resource, known)
  }
  return [...resources].flatMap(([resource, { downAt, upAt, isUnknown }]) =>
    upAt > downAt ? [{ resource, ms: upAt - downAt, isUnknown }] : [],
  )
}

/** Each action begins when all that it waits for have ended. */
function timesIn(graph: TransitionGraph, times: RecordedTimes): ReadonlyMap<number, Timed> {
  const byId = new Map(graph.actions.map((action) => [action.id, action]))
  const timed = new Map<number, Timed>()
  const visit = (id: number): Timed => {
    const known = timed.get(id)
    if (known) return known
    const action = byId.get(id)
    // Before its inputs: a circle cannot be, and would not be endless.
    timed.set(id, { begin: 0, end: 0, isUnknown: false })
    const inputs = (action?.inputs ?? []).map(visit)
    const begin = Math.max(0, ...inputs.map(({ end }) => end))
    const takes = action ? durationOf(action, times) : 0
    const made = {
      begin,
      end: begin + (takes ?? 0),
      isUnknown: takes === undefined || inputs.some(({ isUnknown }) => isUnknown),
    }
    timed.set(id, made)
    return made
  }
  for (const { id } of graph.actions) visit(id)
  return timed
}

function durationOf(action: GraphAction, times: RecordedTimes): number | undefined {
  if (action.kind !== 'resource' || action.intervalMs !== 0) return 0
  return times.get(keyOf(action.resource, action.operation))
}
