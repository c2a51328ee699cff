/** Small phrases that every explanation uses. */
import { assertNever } from '../../base/index.ts'
import type { NodeStatus } from '../../status/index.ts'
import type { ActionCause } from '../actions/draft/action.ts'
import type { TransitionChange } from '../actions/graph/summary.ts'

/** What the transition's own reason means: some are consequences of another resource's action, some are plain words already. */
export function describeChangeReason({ reason = '', cause }: Pick<TransitionChange, 'reason' | 'cause'>): string {
  switch (cause?.kind) {
    case undefined:
      return reason
    case 'no-quorum':
      return 'the cluster has no quorum'
    case 'quorum-freeze':
      return 'the cluster has no quorum, and no-quorum-policy is freeze'
    case 'colocation':
      return `${cause.resource}, which it is placed with, cannot do the same`
    case 'action':
      return describeLoss(cause)
    default:
      return assertNever(cause)
  }
}

function describeLoss({ loss, task, resource }: Extract<ActionCause, { readonly kind: 'action' }>): string {
  switch (loss) {
    case 'unrunnable':
      return `it waits for the ${task} of ${resource}, which cannot happen now`
    case 'required':
      return `the ${task} of ${resource} makes it necessary`
    case 'unmigrateable':
      return `the ${task} of ${resource} leaves no live migration`
    default:
      return assertNever(loss)
  }
}

export function describeTransitionChange(change: TransitionChange): string {
  const { what, details, reason, blocked } = change
  const why = reason === undefined ? '' : `: ${describeChangeReason(change)}`
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
