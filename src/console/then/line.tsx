/** The line of time: a lane for each kind of event, incidents behind them. For the mouse; the keyboard has the slider below it. */
import { useEffect, useRef } from 'preact/hooks'
import type { TimelineEvent } from '../../cli/index.ts'
import { timeOf } from '../base/time.ts'
import { useWidth } from '../base/use-width.ts'
import { lanesOf, type Mark, nearest, placeOf, ticksOf, type View } from './axis.ts'
import type { Incident } from './incident-list.tsx'

const laneHeight = 24
const labels = 88
/** For the numbers above the marks of the first lane. */
const above = 6
/** So near to a mark a click means it. */
const reach = 7

export function TimeLine({
  events,
  incidents,
  view,
  index,
  onPick,
  onZoom,
}: {
  readonly events: readonly TimelineEvent[]
  readonly incidents: readonly Incident[]
  readonly view: View
  readonly index: number
  readonly onPick: (index: number) => void
  readonly onZoom: (at: number) => void
}) {
  const place = useRef<HTMLDivElement>(null)
  const width = Math.max(0, useWidth(place) - labels - 8)
  const lanes = lanesOf(events, view, width)
  const height = lanes.length * laneHeight
  const picked = events[index]
  useEffect(() => {
    const { current } = place
    if (current === null) return
    const spot = (event: MouseEvent) => {
      const { left, top } = current.getBoundingClientRect()
      const x = event.clientX - left - labels
      const time = view.from + (x / Math.max(1, width)) * (view.to - view.from)
      const marks = lanes[Math.floor((event.clientY - top - above) / laneHeight)]?.marks ?? []
      return { time, mark: marks.find((one) => Math.abs(one.x - x) <= reach) }
    }
    const pick = (event: MouseEvent): void => {
      const { time, mark } = spot(event)
      onPick(mark?.index ?? nearest(events, time))
    }
    const zoom = (event: MouseEvent): void => onZoom(spot(event).time)
    current.addEventListener('click', pick)
    current.addEventListener('dblclick', zoom)
    return () => {
      current.removeEventListener('click', pick)
      current.removeEventListener('dblclick', zoom)
    }
  })
  return (
    <div ref={place} class="lanes">
      <svg
        width={width + labels + 8}
        height={height + above + 20}
        viewBox={`0 ${-above} ${width + labels + 8} ${height + above + 20}`}
        role="img"
        aria-label={`${events.length} events, ${events.filter(({ failed }) => failed).length} of them failures`}
      >
        <g transform={`translate(${labels} 0)`}>
          {incidents.map((one) => (
            <Band key={one.id} incident={one} view={view} width={width} height={height} />
          ))}
          {ticksOf(view, width).map(({ x, text }) => (
            <g key={x} class="tick">
              <path d={`M${x} 0V${height}`} />
              <text x={x} y={height + 14} text-anchor="middle">
                {text}
              </text>
            </g>
          ))}
          {picked !== undefined && <path class="picked" d={`M${placeOf(timeOf(picked), view, width)} 0V${height}`} />}
        </g>
        {lanes.map(({ kind, title, marks }, at) => (
          <g key={kind} transform={`translate(0 ${at * laneHeight})`}>
            <text class="lane" x={0} y={16}>
              {title}
            </text>
            <path class="ground" d={`M${labels} ${laneHeight / 2}h${width}`} />
            {marks.map((mark) => (
              <Point key={mark.x} mark={mark} />
            ))}
          </g>
        ))}
      </svg>
    </div>
  )
}

function Band({
  incident: { began, ended, summary },
  view,
  width,
  height,
}: {
  readonly incident: Incident
  readonly view: View
  readonly width: number
  readonly height: number
}) {
  const left = Math.max(0, placeOf(Date.parse(began), view, width))
  const right = Math.min(width, placeOf(Date.parse(ended), view, width))
  if (right < 0 || left > width) return null
  return (
    <rect class="incident" x={left} y={0} width={Math.max(3, right - left)} height={height}>
      <title>{summary}</title>
    </rect>
  )
}

/** What has failed is a cross, everything else a dot; several are larger, with their number. */
function Point({ mark: { x, count, failed, title } }: { readonly mark: Mark }) {
  const size = count > 1 ? 5 : 3.5
  return (
    <g class={failed ? 'point failed' : 'point'} transform={`translate(${labels + x} ${laneHeight / 2})`}>
      <title>{title}</title>
      {failed ? (
        <path d={`M${-size} ${-size}L${size} ${size}M${size} ${-size}L${-size} ${size}`} />
      ) : (
        <circle r={size} />
      )}
      {count > 1 && (
        <text x={0} y={-6} text-anchor="middle">
          {count}
        </text>
      )}
    </g>
  )
}
