/** What was done with a thing last, with what the agent said, from the journals of all nodes. */
import { useState } from 'preact/hooks'
import type { TimelineEvent } from '../../cli/index.ts'
import type { Api } from '../base/api.ts'
import { useAsked } from '../base/asked.ts'
import { linkTo } from '../base/route.ts'
import { clock, dayOf, timeOf } from '../base/time.ts'

const mostAtFirst = 12
/** What a browser draws without effort; older ones are in Then. */
const mostInAll = 1000

/** Asked once it is opened: the journals of all nodes are read for it. */
export function Past({ api, name }: { readonly api: Api; readonly name: string }) {
  const [most, setMost] = useState(mostAtFirst)
  const query = [
    ['about', name],
    ['most', String(most)],
  ] as const
  const { answer, refusal, isAsking } = useAsked<{
    readonly events: readonly TimelineEvent[]
    readonly omitted: number
  }>(api, {
    path: '/timeline/list',
    query,
  })
  return (
    <>
      {refusal !== undefined && <p class="refusal">{refusal}</p>}
      {answer === undefined && isAsking && <p class="muted">Reading the journals of the nodes …</p>}
      {answer?.events.length === 0 && <p class="muted">The journals have nothing about {name}.</p>}
      <ul class="past">
        {[...(answer?.events ?? [])].reverse().map((event) => (
          <li key={`${event.revision} ${event.text}`} class={event.failed ? 'critical' : ''}>
            <a href={linkTo('then', String(event.revision))}>
              {dayOf(timeOf(event))} {clock(timeOf(event))}
            </a>{' '}
            {event.failed && <span aria-hidden="true">✕ </span>}
            {event.text}
          </li>
        ))}
      </ul>
      {answer !== undefined && answer.omitted > 0 && most === mostAtFirst && (
        <button type="button" onClick={() => setMost(mostInAll)}>
          Show older events ({answer.omitted})
        </button>
      )}
      {answer !== undefined && answer.omitted > 0 && most === mostInAll && (
        <p class="muted">{answer.omitted} older events are in Then.</p>
      )}
    </>
  )
}
