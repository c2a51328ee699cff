/** Many clusters on one page: this one first, then the others as this cluster hears of them, the worst first. */
import type { FleetClusterFacts, FleetFacts, StatusFacts } from '../../cli/index.ts'
import type { Api } from '../base/api.ts'
import { useAsked } from '../base/asked.ts'
import { Command } from '../base/command.tsx'
import { linkTo } from '../base/route.ts'
import { useTurn } from '../base/turn.ts'
import { type Card, cardOf, ownCard } from './cards.ts'

const againMs = 5000

export function Fleet({ api, status }: { readonly api: Api; readonly status: StatusFacts }) {
  const turn = useTurn(againMs)
  const { answer, refusal } = useAsked<FleetFacts>(api, { path: '/fleet/status' }, turn)
  const others = answer?.clusters ?? []
  return (
    <div class="fleet">
      <div class="section-head">
        <h2>Fleet</h2>
        <span class="muted" role="status">
          {answer === undefined ? (refusal === undefined ? 'Asking …' : '') : countOf(others)}
        </span>
      </div>
      {refusal !== undefined && (
        <p class="banner critical" role="alert">
          {refusal}
        </p>
      )}
      {answer?.current === false && (
        <p class="banner warning" role="alert">
          Nobody asks the other clusters now, as this node has no quorum or no DC. What follows was heard last.
        </p>
      )}
      <ul class="clusters">
        <ClusterCard card={ownCard(status)} />
        {others.map((one) => (
          <ClusterCard key={one.name} card={cardOf(one)} />
        ))}
      </ul>
      {answer !== undefined && others.length === 0 && (
        <p>
          No other cluster was added. <Command text="systole fleet add <name> <address>" />
        </p>
      )}
    </div>
  )
}

function countOf(others: readonly FleetClusterFacts[]): string {
  const unwell = others.filter(({ state }) => state !== 'well').length
  const all = `${others.length + 1} ${others.length === 0 ? 'cluster' : 'clusters'}`
  return unwell === 0 ? all : `${all}, ${unwell} of the others not well`
}

function ClusterCard({ card }: { readonly card: Card }) {
  const { title, called, state, level, sign, since, seen, sentences, links } = card
  return (
    <li class={`cluster ${level}`}>
      <h3>
        {title}
        {called !== undefined && <span class="muted"> {called}</span>}
      </h3>
      <p class="state">
        <span class="sign">
          <span aria-hidden="true">{sign}</span> {state}
        </span>
        {since !== undefined && <span class="muted"> since {since}</span>}
      </p>
      {seen !== undefined && <p>{seen}</p>}
      {sentences.length > 0 && (
        <ul class="news">
          {sentences.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
      )}
      <p class="links">
        {links === undefined ? (
          <a href={linkTo('now')}>Now</a>
        ) : (
          links.map((address) => (
            <a key={address} href={address} target="_blank" rel="noopener noreferrer">
              Console at {new URL(address).host}
            </a>
          ))
        )}
      </p>
    </li>
  )
}
