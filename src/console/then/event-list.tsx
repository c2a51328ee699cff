/** The events around the moment that is looked at, as text. */
import type { TimelineEvent } from '../../cli/index.ts'
import { clock, timeOf } from '../base/time.ts'

const around = 12

export function EventList({
  events,
  index,
  onPick,
}: {
  readonly events: readonly TimelineEvent[]
  readonly index: number
  readonly onPick: (index: number) => void
}) {
  const first = Math.max(0, Math.min(index - around, events.length - 2 * around - 1))
  const shown = events.slice(first, first + 2 * around + 1)
  return (
    <section aria-labelledby="events-title">
      <h3 id="events-title">
        Events{' '}
        <span class="muted">
          {first + 1} to {first + shown.length} of {events.length}
        </span>
      </h3>
      <ol class="events" start={first + 1}>
        {shown.map((event, at) => (
          <li key={`${event.revision} ${event.by} ${event.text}`} class={event.failed ? 'failed' : ''}>
            <button
              type="button"
              class="event"
              aria-current={first + at === index ? 'true' : undefined}
              onClick={() => onPick(first + at)}
            >
              <span class="muted">{clock(timeOf(event), true)}</span>{' '}
              <span aria-hidden="true">{event.failed ? '✕' : '·'}</span>{' '}
              <span>
                {event.failed && <span class="sr">failure: </span>}
                {event.text}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  )
}
