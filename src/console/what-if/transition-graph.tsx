/** The transition as a graph: what is done, and what each action waits for. */
import { useMemo } from 'preact/hooks'
import type { ActionFacts } from '../../cli/index.ts'
import { Graph } from '../graph/graph.tsx'
import { drawingOf } from './drawing.ts'

/** More of them nobody can look at in one drawing. */
const mostActions = 120

export function TransitionGraph({ actions }: { readonly actions: readonly ActionFacts[] }) {
  const real = actions.filter(({ kind }) => kind !== 'pseudo')
  const drawn = useMemo(() => (real.length > mostActions ? undefined : drawingOf(actions)), [actions, real.length])
  if (real.length === 0) return null
  return (
    <details open>
      <summary>
        The transition, action by action <span class="muted">({real.length})</span>
      </summary>
      {drawn === undefined ? (
        <p class="muted">
          {real.length} actions are too many for one drawing. On a node, <code>systole simulate --save-svg=FILE</code>{' '}
          draws them with the same options.
        </p>
      ) : (
        <>
          <Graph name="The transition" vertices={drawn.vertices} lines={drawn.lines} direction="right" />
          <p class="muted">Each action waits for those whose arrows lead to it.</p>
        </>
      )}
    </details>
  )
}
