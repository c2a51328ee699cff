/** A transition as boxes and lines: pure. */
import type { ActionFacts } from '../../cli/index.ts'
import { type Line, linesBetweenSteps, type Vertex } from '../graph/layout.ts'

export function drawingOf(actions: readonly ActionFacts[]): {
  readonly vertices: readonly Vertex[]
  readonly lines: readonly Line[]
} {
  const steps = actions.map(({ id, after, kind }) => ({ id, after, isPoint: kind === 'pseudo' }))
  const words = new Map(actions.map((action) => [action.id, wordsOf(action)]))
  return {
    vertices: actions
      .filter(({ kind }) => kind !== 'pseudo')
      .map((action) => ({ id: String(action.id), text: wordsOf(action), kind: kindOf(action) })),
    lines: linesBetweenSteps(steps).map(([from, to]) => ({
      from: String(from),
      to: String(to),
      kind: 'order',
      title: `${words.get(to) ?? ''} waits for: ${words.get(from) ?? ''}`,
    })),
  }
}

function wordsOf({ operation, resource, node, intervalMs, kind }: ActionFacts): string {
  const what = operation === 'stonith' ? 'fence' : operation.replaceAll('_', ' ')
  if (kind === 'cluster' && resource === undefined) return `${what} ${node ?? ''}`.trim()
  const every = intervalMs === undefined ? '' : ` ${intervalMs / 1000} s`
  return `${what}${every} ${resource ?? ''}${node === undefined ? '' : ` on ${node}`}`
}

function kindOf({ operation }: ActionFacts): string {
  if (operation === 'stonith') return 'fence'
  return ['start', 'stop', 'promote'].includes(operation) ? operation : 'action'
}
