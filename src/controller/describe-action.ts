/** An action in words, as `status` and the journal have it. */
import type { GraphAction } from '../transition/index.ts'
import { executingNode } from './walk.ts'

export function describeAction(action: GraphAction): string {
  if (action.kind === 'pseudo') return action.key
  if (action.operation === 'stonith') return `fence ${action.node ?? '?'}`
  const resource = action.resource ?? ''
  return `${resource} ${action.operation} on ${executingNode(action) ?? '?'}`.trim()
}
