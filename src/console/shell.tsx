/** What stands around every page: which cluster this is, how it is, and whether what is shown is as it is now. */
import { useState } from 'preact/hooks'
import type { StatusFacts } from '../cli/index.ts'
import type { Api } from './base/api.ts'
import { type Live, useLive } from './base/live.ts'
import { linkTo, type Route, useRoute } from './base/route.ts'
import { keptTheme, type Theme, wearTheme } from './base/session.ts'
import { Change } from './change/change.tsx'
import { Fleet } from './fleet/fleet.tsx'
import { Now } from './now/now.tsx'
import { Rollouts } from './rollouts/rollouts.tsx'
import { Then } from './then/then.tsx'
import { WhatIf } from './what-if/what-if.tsx'

const themes: readonly Theme[] = ['system', 'dark', 'light']

export function Shell({ api, onLeave }: { readonly api: Api; readonly onLeave: () => void }) {
  const live = useLive(api)
  const route = useRoute()
  const { status, trouble } = live
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        Skip to the picture
      </button>
      <header class="bar">
        <h1>
          <a class="brand" href={linkTo('now')}>
            <img src={iconAddress()} alt="" width="22" height="22" />
            <span>{(status?.configured === true && status.cluster) || 'Systole'}</span>
          </a>
        </h1>
        {status?.configured === true && <Pages page={route.page} />}
        {status?.configured === true && <Summary status={status} />}
        <span class="push" />
        <Heard live={live} />
        <ThemeChoice />
        <button type="button" class="quiet" onClick={onLeave}>
          Sign out
        </button>
      </header>
      {trouble !== undefined && status !== undefined && (
        <p class="banner critical" role="alert">
          {trouble} What follows is from {live.heard?.toLocaleTimeString() ?? 'before'}; trying again.
        </p>
      )}
      <main id="main" tabindex={-1}>
        {status === undefined ? (
          <p class="loading" role="status">
            {trouble ?? 'Asking the cluster …'}
          </p>
        ) : status.configured ? (
          <Page api={api} status={status} route={route} />
        ) : (
          <p class="loading">
            This host does not belong to a cluster yet. Run <code>systole cluster setup</code> on it.
          </p>
        )}
      </main>
    </>
  )
}

const pages = [
  ['now', 'Now'],
  ['then', 'Then'],
  ['what-if', 'What if'],
  ['change', 'Change'],
  ['rollouts', 'Rollouts'],
  ['fleet', 'Fleet'],
] as const

function Pages({ page }: { readonly page: string }) {
  return (
    <nav class="pages" aria-label="Pages">
      {pages.map(([name, title]) => (
        <a key={name} href={linkTo(name)} aria-current={page === name ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  )
}

function Page({
  api,
  status,
  route: { page, name },
}: {
  readonly api: Api
  readonly status: StatusFacts
  readonly route: Route
}) {
  if (page === 'what-if') return <WhatIf api={api} status={status} />
  if (page === 'then') return <Then api={api} status={status} revision={name} />
  if (page === 'rollouts') return <Rollouts api={api} status={status} />
  if (page === 'fleet') return <Fleet api={api} status={status} />
  if (page === 'change') return <Change key={name ?? ''} api={api} status={status} line={name ?? ''} />
  return <Now api={api} status={status} selected={page === 'now' ? name : undefined} />
}

/** The hash of the address is the route here. */
function skip(): void {
  document.getElementById('main')?.focus()
}

const iconAddress = (): string => document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href ?? ''

function Summary({ status }: { readonly status: StatusFacts }) {
  const { quorum, dc, transition, answeredBy } = status
  const { votes } = quorum
  return (
    <dl class="summary" aria-label="Cluster">
      <div class={quorum.quorate ? 'good' : 'critical'}>
        <dt>Quorum</dt>
        <dd>
          {quorum.quorate ? 'yes' : 'NO'}
          {votes !== null && `, ${votes.present} of ${votes.expected} votes`}
        </dd>
      </div>
      <div class={dc === null ? 'warning' : ''}>
        <dt>DC</dt>
        <dd>{dc ?? 'none'}</dd>
      </div>
      <div class={`self-evident ${transition?.state === 'blocked' ? 'critical' : ''}`}>
        <dt>Activity</dt>
        <dd title={transition?.pending.join(', ')}>{activityOf(transition, quorum.quorate)}</dd>
      </div>
      <div class="seen-from">
        <dt>Seen from</dt>
        <dd>{answeredBy ?? location.hostname}</dd>
      </div>
    </dl>
  )
}

function activityOf(transition: StatusFacts['transition'], quorate: boolean): string {
  if (!quorate || transition === null) return 'unknown'
  if (transition.state === 'idle') return 'settled'
  if (transition.state === 'computing') return 'computing'
  if (transition.state === 'blocked') return 'blocked'
  const [first, ...others] = transition.pending
  return first === undefined ? 'working' : `${first}${others.length > 0 ? ` and ${others.length} more` : ''}`
}

function Heard({ live: { trouble, heard } }: { readonly live: Live }) {
  if (heard === undefined) return null
  return (
    <span
      class={`heard ${trouble === undefined ? '' : 'critical'}`}
      title={`Heard last: ${heard.toLocaleTimeString()}`}
    >
      {trouble === undefined ? '● live' : '○ not live'}
      <span class="muted"> {heard.toLocaleTimeString()}</span>
    </span>
  )
}

function ThemeChoice() {
  const [theme, setTheme] = useState(keptTheme)
  return (
    <label class="theme">
      <span class="sr">Colours</span>
      <select
        value={theme}
        onChange={(event) => {
          const chosen = themes.find((one) => one === event.currentTarget.value) ?? 'system'
          setTheme(chosen)
          wearTheme(chosen)
        }}
      >
        {themes.map((one) => (
          <option key={one} value={one}>
            {one === 'system' ? 'as system' : one}
          </option>
        ))}
      </select>
    </label>
  )
}
