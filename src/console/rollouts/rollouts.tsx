/** Upgrades of this cluster and of clusters of the fleet: what is under way, and what was. */
import type { StatusFacts } from '../../cli/index.ts'
import type { Api } from '../base/api.ts'
import { useAsked } from '../base/asked.ts'
import { Command } from '../base/command.tsx'
import { Fold } from '../base/fold.tsx'
import { linkTo } from '../base/route.ts'
import { useTurn } from '../base/turn.ts'
import { cardsOf, type RolloutsAnswer } from './cards.ts'
import { RolloutCard } from './rollout-card.tsx'

const againMs = 2000

export function Rollouts({ api, status }: { readonly api: Api; readonly status: StatusFacts }) {
  const turn = useTurn(againMs)
  const { answer, refusal } = useAsked<RolloutsAnswer>(api, { path: '/rollout/status' }, turn)
  const cards = answer === undefined ? undefined : cardsOf(answer)
  return (
    <div class="page rollouts">
      <div class="section-head">
        <h2>Rollouts</h2>
        <span class="push" />
        <a href={linkTo('change', 'rollout start')}>Start a rollout …</a>
      </div>
      {refusal !== undefined && (
        <p class="banner critical" role="alert">
          {refusal}
        </p>
      )}
      {cards === undefined && refusal === undefined && <p class="muted">Asking …</p>}
      {cards?.map((card) => (
        <RolloutCard key={card.id} card={card} />
      ))}
      {cards?.length === 0 && (
        <p>
          There is no rollout. <Command text="systole rollout plan <rollout file>" />
        </p>
      )}
      <Fold title="All rollouts">{() => <All api={api} after={status.version} />}</Fold>
    </div>
  )
}

function All({ api, after }: { readonly api: Api; readonly after: unknown }) {
  const { answer, refusal } = useAsked<RolloutsAnswer>(api, { path: '/rollout/history' }, after)
  if (refusal !== undefined) return <p class="refusal">{refusal}</p>
  if (answer === undefined) return <p class="muted">Asking …</p>
  return (
    <table class="all-rollouts">
      <thead>
        <tr>
          <th scope="col">Rollout</th>
          <th scope="col">State</th>
          <th scope="col">When</th>
        </tr>
      </thead>
      <tbody>
        {cardsOf(answer).map(({ id, title, state, begun }) => (
          <tr key={id}>
            <th scope="row">
              {title} <span class="muted">{id}</span>
            </th>
            <td>{state}</td>
            <td>{begun}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
