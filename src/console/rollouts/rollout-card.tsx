/** A rollout: how far each wave is, what each node or cluster does, and what can be said to it. */
import { linkTo } from '../base/route.ts'
import type { Card, Row } from './cards.ts'

export function RolloutCard({ card, isAsked = false }: { readonly card: Card; readonly isAsked?: boolean }) {
  const { id, title, state, level, sign, begun, until, waves, actions } = card
  return (
    <article class={`rollout ${level}`} aria-label={`Rollout ${id}`}>
      <h3>
        {title} <span class="muted">{id}</span>
      </h3>
      <p class="state">
        <span class={`sign ${level}`}>
          <span aria-hidden="true">{sign}</span> {state}
        </span>
        {until !== undefined && <span>: it is put back at {until} unless it is confirmed</span>}
      </p>
      <p class="muted">{begun}.</p>
      {waves.map((wave) => (
        <section key={wave.title} class="wave">
          <h4>
            {wave.title} <progress value={wave.done} max={Math.max(wave.of, 1)} aria-label={`${wave.title} done`} />{' '}
            <span class="muted">
              {wave.done} of {wave.of}
            </span>
          </h4>
          <ul>
            {wave.rows.map((row) => (
              <Line key={row.name} row={row} />
            ))}
          </ul>
        </section>
      ))}
      {!isAsked && actions.length > 0 && (
        <p class="actions">
          {actions.map((action) => (
            <a key={action.title} href={linkTo('change', action.line)}>
              {action.title} …
            </a>
          ))}
        </p>
      )}
    </article>
  )
}

function Line({ row: { name, doing, why, sign, level, output } }: { readonly row: Row }) {
  return (
    <li>
      <span class={`sign ${level}`} aria-hidden="true">
        {sign}
      </span>{' '}
      <strong>{name}</strong> {doing}
      {why !== '' && <span class="muted">: {why}</span>}
      {output !== undefined && <pre>{output.trimEnd().split('\n').slice(-15).join('\n')}</pre>}
    </li>
  )
}
