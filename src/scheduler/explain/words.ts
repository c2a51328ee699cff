/** Small phrases that every explanation uses. */
import type { NodeStatus } from '../../status/index.ts'
import type { TransitionChange } from '../actions/graph/summary.ts'

/** `2026-11-20 12:00:00 UTC`: the same text wherever it is read. */
export function isoTime(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** What the transition's own reason means: `unrunnable db start` is a wait, `required db start` a consequence. */
export function describeChangeReason(reason: string): string {
  const cause = readCause(reason)
  if (reason === 'no quorum') return 'the cluster has no quorum'
  if (reason === 'quorum freeze') return 'the cluster has no quorum, and no-quorum-policy is freeze'
  if (cause === undefined) return reason
  if (cause.loss === 'unrunnable') return `it waits for the ${cause.task} of ${cause.resource}, which cannot happen`
  if (cause.loss === 'required') return `the ${cause.task} of ${cause.resource} makes it necessary`
  return `the ${cause.task} of ${cause.resource} leaves no live migration`
}

export interface ChangeCause {
  readonly loss: 'required' | 'unrunnable' | 'unmigrateable'
  readonly resource: string
  readonly task: string
}

/** The other resource that the reason of a change names, if it names one. */
export function readCause(reason: string): ChangeCause | undefined {
  const match = /^(required|unrunnable|unmigrateable) (\S+) (start|stop|promote|demote|migrate_to|migrate_from)$/.exec(
    reason,
  )
  const [, loss, resource, task] = match ?? []
  if (resource === undefined || task === undefined) return undefined
  if (loss !== 'required' && loss !== 'unrunnable' && loss !== 'unmigrateable') return undefined
  return { loss, resource, task }
}

export function describeTransitionChange({ what, details, reason, blocked }: TransitionChange): string {
  const why = reason === undefined ? '' : `: ${describeChangeReason(reason)}`
  const where = details === undefined ? '' : ` ${describeDetails(details)}`
  return `${what.toLowerCase()}${where}${why}${blocked ? ' (blocked)' : ''}`
}

/** `n1 -> n2` as it is; `Unpromoted -> Promoted n2` as `on n2 (Unpromoted -> Promoted)`. */
function describeDetails(details: string): string {
  const [, roles, node] = /^((?:Stopped|Started|Unpromoted|Promoted) -> \w+) (\S+)$/.exec(details) ?? []
  if (roles !== undefined && node !== undefined) return `on ${node} (${roles})`
  return details.includes('->') ? details : `on ${details}`
}

/** `red (#health-smart=red)`: with the node attributes that say so. */
export function describeHealth({ health, attributes }: NodeStatus): string {
  const from = [...attributes].filter(([name]) => name.startsWith('#health')).map(([name, value]) => `${name}=${value}`)
  return `${health}${from.length === 0 ? '' : ` (${from.join(', ')})`}`
}
