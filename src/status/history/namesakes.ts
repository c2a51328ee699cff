/**
 * A history that was taken for that of another instance may bear this one's name, as where an instance changed its number. By
 * which agent it was made concerns both: of whoever has the name, a history by another agent is deleted.
 */
import type { World } from '../drafts.ts'

export function noteNamesakes({ primitives, recorded }: World): void {
  for (const { id, instance, orphan, state } of primitives.values()) {
    if (instance === undefined || instance.unique || orphan) continue
    for (const [node, { resourcesByName }] of recorded) {
      if (state.history.has(node)) continue
      const namesake = resourcesByName.get(id) ?? resourcesByName.get(state.historyName ?? id)
      if (namesake?.agent !== undefined) state.recordedAgents.set(node, namesake.agent)
    }
  }
}
