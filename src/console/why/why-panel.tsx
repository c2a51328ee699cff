/** Why something is as it is: the words of `systole why`, the scores, what was done last and what it is tied to. Asked again after each change. */
import { useEffect, useRef } from 'preact/hooks'
import type { ResourceExplanation, StatusFacts } from '../../cli/index.ts'
import type { Api } from '../base/api.ts'
import { useAsked } from '../base/asked.ts'
import { Command } from '../base/command.tsx'
import { Fold } from '../base/fold.tsx'
import { linkTo } from '../base/route.ts'
import { withAges } from '../base/time.ts'
import { useTurn } from '../base/turn.ts'
import { actionsFor } from '../change/actions.ts'
import { Past } from './past.tsx'
import { Printed } from './printed.tsx'
import { Relations } from './relations.tsx'
import { Scores } from './scores.tsx'

export function WhyPanel({
  api,
  name,
  status,
}: {
  readonly api: Api
  readonly name: string
  readonly status: StatusFacts
}) {
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [name])
  const { answer, refusal, isAsking } = useAsked<{ readonly text: string } & Partial<ResourceExplanation>>(
    api,
    { path: '/why', query: [['word', name]] },
    status,
  )
  return (
    <aside class="panel" aria-labelledby="why-title" onKeyDown={leaveByEscape}>
      <div class="section-head">
        <h2 id="why-title" tabindex={-1} ref={title}>
          Why {name}
        </h2>
        <span class="push" />
        <a class="close" href={linkTo('now')} aria-label={`Close: why ${name}`}>
          close
        </a>
      </div>
      <nav class="actions" aria-label={`Change ${name}`}>
        {actionsFor(name, status).map(({ title: word, line }) => (
          <a key={word} href={linkTo('change', line)}>
            {word} …
          </a>
        ))}
      </nav>
      {refusal !== undefined && (
        <p class="refusal" role="alert">
          {refusal}
        </p>
      )}
      {answer === undefined && isAsking && <p class="muted">Asking the scheduler …</p>}
      {answer !== undefined && <Explanation text={withoutScores(answer.text, answer.instances)} />}
      {answer?.instances !== undefined && <Scores instances={answer.instances} />}
      <Fold key={`past ${name}`} title="Recent events">
        {() => <Past api={api} name={name} />}
      </Fold>
      {answer?.instances !== undefined && (
        <Fold key={`printed ${name}`} title="Operations and output of the agent">
          {() => <Printed api={api} name={name} />}
        </Fold>
      )}
      {answer?.instances !== undefined && (
        <Fold key={`ties ${name}`} title="Ties to other resources">
          {() => <Relations api={api} name={name} after={status.version} />}
        </Fold>
      )}
    </aside>
  )
}

/** They stand in a table below it. */
function withoutScores(text: string, instances: ResourceExplanation['instances'] | undefined): string {
  if (instances === undefined) return text
  let isScores = false
  return text
    .split('\n')
    .filter((line) => {
      const indent = line.length - line.trimStart().length
      if (line === '  Nodes:') isScores = true
      else if (indent <= 2) isScores = false
      return !isScores
    })
    .join('\n')
}

/** So that ages are not older than they say. */
const againMs = 5000

/** Lines that begin with > are commands. */
function Explanation({ text }: { readonly text: string }) {
  useTurn(againMs)
  const lines = text.trimEnd().split('\n')
  return (
    <div class="explanation">
      {lines.map((line, at) => {
        const indent = Math.min(4, Math.floor((line.length - line.trimStart().length) / 2))
        const [, toDo = '', command] = /^\s*> (?:(.*): )?(systole .*)$/.exec(line) ?? []
        return (
          <p key={at} class={`indent-${indent} ${at === 0 ? 'lead' : ''}`}>
            {command === undefined ? withAges(line.trim(), Date.now()) : `${toDo}${toDo === '' ? '' : ': '}`}
            {command !== undefined && <Command text={command} />}
          </p>
        )
      })}
    </div>
  )
}

function leaveByEscape(event: KeyboardEvent): void {
  if (event.key === 'Escape') location.hash = linkTo('now')
}
