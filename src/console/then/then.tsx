/** What happened, on one line of time from the journals of all nodes; each moment of it with the picture of then. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { StatusFacts, TimelineEvent } from '../../cli/index.ts'
import type { Api } from '../base/api.ts'
import { useAsked } from '../base/asked.ts'
import { linkTo } from '../base/route.ts'
import { clock, dayOf, timeOf } from '../base/time.ts'
import { holds, moved, type View, viewOf, zoomed } from './axis.ts'
import { EventList } from './event-list.tsx'
import { type Incident, IncidentList } from './incident-list.tsx'
import { TimeLine } from './line.tsx'
import { PictureOfThen } from './picture-of-then.tsx'

interface Listed {
  readonly events: readonly TimelineEvent[]
  readonly omitted: number
  readonly incidents: readonly Incident[]
  readonly missing: readonly string[]
}

const ranges = [
  ['1h', 'the last hour'],
  ['24h', 'the last day'],
  ['P7D', 'the last week'],
  ['', 'all that is kept'],
] as const
const mostEvents = 5000

export function Then({
  api,
  status,
  revision,
}: {
  readonly api: Api
  readonly status: StatusFacts
  readonly revision: string | undefined
}) {
  const [range, setRange] = useState('24h')
  const query = [['most', String(mostEvents)] as const, ...(range === '' ? [] : [['since', range] as const])]
  const { answer, refusal } = useAsked<Listed>(api, { path: '/timeline/list', query }, useSometimes(status))
  return (
    <div class="page then">
      <div class="section-head">
        <h2>Then</h2>
        <span class="push" />
        <label>
          Show{' '}
          <select value={range} onChange={(event) => setRange(event.currentTarget.value)}>
            {ranges.map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
      </div>
      {refusal !== undefined && (
        <p class="effects refusal" role="alert">
          {refusal}
        </p>
      )}
      {answer === undefined && refusal === undefined && <p class="muted">Reading the journals of the nodes …</p>}
      {answer !== undefined && answer.events.length === 0 && <p>Nothing has happened in this time.</p>}
      {answer !== undefined && answer.events.length > 0 && (
        <Story key={range} api={api} listed={answer} wanted={revision} />
      )}
    </div>
  )
}

function Story({
  api,
  listed: { events, omitted, incidents, missing },
  wanted,
}: {
  readonly api: Api
  readonly listed: Listed
  readonly wanted: string | undefined
}) {
  const [view, setView] = useState<View>()
  // Undefined: the last one, whatever comes.
  const [picked, setPicked] = useState<number | undefined>(wanted === undefined ? undefined : Number(wanted))
  const found = picked === undefined ? -1 : events.findLastIndex((event) => event.revision <= picked)
  const index = found < 0 ? events.length - 1 : found
  const event = events[index]
  const shown = useMemo(() => view ?? viewOf(events), [view, events])
  const pick = (at: number): void => {
    const one = events[at]
    if (one === undefined) return
    setPicked(at === events.length - 1 ? undefined : one.revision)
    if (!holds(shown, timeOf(one))) setView(zoomed(shown, timeOf(one), 1))
    history.replaceState(null, '', linkTo('then', String(one.revision)))
  }
  const show = (incident: Incident): void => {
    const [from, to] = [Date.parse(incident.began), Date.parse(incident.ended)]
    const room = Math.max(1000, (to - from) / 10)
    setView({ from: from - room, to: to + room })
    setPicked(incident.revision)
    history.replaceState(null, '', linkTo('then', String(incident.revision)))
  }
  if (event === undefined) return null
  const zoom = (factor: number): void => setView(zoomed(shown, timeOf(event), factor))
  return (
    <>
      {missing.length > 0 && <p class="warning">Without the journals of {missing.join(', ')}, which did not answer.</p>}
      {omitted > 0 && (
        <p class="muted">
          {omitted === 1 ? '1 earlier event is not shown.' : `${omitted} earlier events are not shown.`}
        </p>
      )}
      <IncidentList incidents={incidents} onShow={show} />
      <section class="time" aria-labelledby="time-title" onKeyDown={(key) => zoomByKey(key, zoom)}>
        <div class="section-head">
          <h3 id="time-title">Time</h3>
          <span class="muted">
            {dayOf(shown.from)} {clock(shown.from)} to {clock(shown.to)}
          </span>
          <span class="push" />
          <span class="buttons">
            <button type="button" onClick={() => setView(moved(shown, -1))} aria-label="Earlier">
              ←
            </button>
            <button type="button" onClick={() => setView(moved(shown, 1))} aria-label="Later">
              →
            </button>
            <button type="button" onClick={() => zoom(0.5)} aria-label="Zoom in">
              +
            </button>
            <button type="button" onClick={() => zoom(2)} aria-label="Zoom out">
              −
            </button>
            <button type="button" onClick={() => setView(undefined)}>
              All
            </button>
          </span>
        </div>
        <TimeLine
          events={events}
          incidents={incidents}
          view={shown}
          index={index}
          onPick={pick}
          onZoom={(at) => setView(zoomed(shown, at, 0.5))}
        />
        <label class="moment">
          <span>
            Moment <span class="muted">(arrow keys: from event to event; + and − zoom)</span>
          </span>
          <input
            type="range"
            min={0}
            max={Math.max(1, events.length - 1)}
            value={index}
            disabled={events.length < 2}
            aria-valuetext={`${clock(timeOf(event), true)} ${event.text}`}
            onInput={(change) => pick(Number(change.currentTarget.value))}
          />
        </label>
      </section>
      <div class="beside">
        <EventList events={events} index={index} onPick={pick} />
        <PictureOfThen api={api} event={event} />
      </div>
    </>
  )
}

function zoomByKey(event: KeyboardEvent, zoom: (factor: number) => void): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === '+') zoom(0.5)
  else if (event.key === '-') zoom(2)
  else return
  event.preventDefault()
}

const pauseMs = 5000

/** As the value is, but no more often than now and then: the journals of all nodes are read for it. */
function useSometimes<T>(value: T): T {
  const [seen, setSeen] = useState(value)
  const [isWaiting, setIsWaiting] = useState(false)
  useEffect(() => {
    if (!isWaiting && value !== seen) {
      setSeen(value)
      setIsWaiting(true)
    }
  }, [value, seen, isWaiting])
  useEffect(() => {
    if (!isWaiting) return
    const timer = setTimeout(() => setIsWaiting(false), pauseMs)
    return () => clearTimeout(timer)
  }, [isWaiting])
  return seen
}
