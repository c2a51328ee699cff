/** What a command of a DC asks of the executor; a sentence where it is not understood. Pure. */
import { parseTransitionKey } from '../cib/index.ts'
import type { ClusterAction, ResourceAction } from '../transition/index.ts'
import { operationOfAction } from './operation.ts'
import type { ExecutorInput } from './state.ts'

/** From a DC, with its term. */
export interface Command {
  readonly term: number
  /** The revision of the store that its transition was computed from. */
  readonly plannedFrom: number
  readonly transitionKey: string
  readonly timeoutMs: number
  readonly action: ResourceAction | ClusterAction
}

/** `execute` is told by its result; the others are answered once they are done. */
export type CommandInput = Extract<ExecutorInput, { kind: 'execute' | 'cancel' | 'forget' }>

/** `lrm_delete` forgets a history that is in the way, `delete` that of a resource which is configured no more. */
export function inputOfCommand({
  action,
  term,
  plannedFrom,
  transitionKey,
  timeoutMs,
}: Command): CommandInput | string {
  if (action.operation === 'lrm_delete' || action.operation === 'delete')
    return action.resource === undefined
      ? `${action.operation} names no resource.`
      : { kind: 'forget', term, resource: action.resource }
  if (action.kind === 'cluster') return `An executor does not support ${action.operation}.`
  if (action.operation === 'cancel') {
    const operation = action.attributes.CRM_meta_operation ?? 'monitor'
    const intervalMs = Number(action.attributes.CRM_meta_interval ?? action.intervalMs)
    return { kind: 'cancel', term, resource: action.resource, operation, intervalMs }
  }
  const key = parseTransitionKey(transitionKey)
  if (!key) return `${transitionKey} is not a transition key.`
  return { kind: 'execute', operation: operationOfAction(action, { key, term, plannedFrom, timeoutMs }) }
}
