/** Which failures of fencing crm_mon still tells of in text. */
import type { FencingEvent } from '../world.ts'

/**
 * Of `events`, the newest first: the last of those that nobody can tell apart, and none that the same action on the same target
 * has succeeded after.
 */
export function failedFencing(events: readonly FencingEvent[]): readonly FencingEvent[] {
  return events.filter(
    (event, at) => event.outcome === 'failed' && !events.slice(0, at).some((later) => overtakes(later, event)),
  )
}

function overtakes(later: FencingEvent, event: FencingEvent): boolean {
  if (later.target !== event.target || later.action !== event.action) return false
  const isAlike = later.outcome === 'failed' && later.client === event.client && later.node === event.node
  return later.outcome === 'success' || isAlike
}
