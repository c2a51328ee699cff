/** Incidents, the last one first, each with its cause and what it meant in one line. */
import { clock, dayOf } from '../base/time.ts'

export interface Incident {
  readonly id: string
  readonly began: string
  readonly ended: string
  readonly ongoing: boolean
  /** Of its first event. */
  readonly revision: number
  readonly summary: string
}

export function IncidentList({
  incidents,
  onShow,
}: {
  readonly incidents: readonly Incident[]
  readonly onShow: (incident: Incident) => void
}) {
  return (
    <section aria-labelledby="incidents-title">
      <h3 id="incidents-title">Incidents</h3>
      {incidents.length === 0 && <p class="muted">No incidents.</p>}
      <ul class="incidents">
        {[...incidents].reverse().map((one) => (
          <li key={one.id}>
            <span class={one.ongoing ? 'critical' : 'muted'}>
              {dayOf(Date.parse(one.began))} {clock(Date.parse(one.began))}
              {one.ongoing && ', not over'}
            </span>
            <span class="sentence">{one.summary}</span>
            <button type="button" onClick={() => onShow(one)} aria-label={`Show ${one.id}: ${one.summary}`}>
              Show
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
