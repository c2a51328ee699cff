/** Parameters of a resource or fence device that is there: what its agent's metadata say, with the values that it has. */
import { useState } from 'preact/hooks'
import type { Api } from '../../base/api.ts'
import { useAsked } from '../../base/asked.ts'
import type { Around } from './around.ts'
import { Labelled } from './labelled.tsx'
import { mistakeIn, updateLine } from './lines.ts'
import { Parameters } from './parameters.tsx'

interface Configured {
  readonly kind: string
  readonly id: string
  readonly agent?: { readonly class: string; readonly provider?: string; readonly type: string }
  readonly parameters?: readonly {
    readonly rule?: unknown
    readonly pairs: readonly { readonly name: string; readonly value?: string }[]
  }[]
}

export function UpdateForm({ api, status, onLine }: Around) {
  const [chosen, setChosen] = useState('')
  const names = [
    ...new Set(status.resources.map(({ id, inside, configured }) => (inside.length === 0 ? configured : id))),
  ]
    .map((id) => id.replace(/:\d+$/, ''))
    .sort()
  return (
    <fieldset class="fields">
      <legend>Change parameters of a resource</legend>
      <Labelled title="Resource" required>
        {(ties) => (
          <select
            {...ties}
            value={chosen}
            onChange={(event) => {
              setChosen(event.currentTarget.value)
              onLine('')
            }}
          >
            <option value="">choose …</option>
            {[...new Set(names)].map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      {chosen !== '' && <Values key={chosen} api={api} id={chosen} after={status.version} onLine={onLine} />}
    </fieldset>
  )
}

function Values({
  api,
  id,
  after,
  onLine,
}: {
  readonly api: Api
  readonly id: string
  readonly after: unknown
  readonly onLine: (line: string) => void
}) {
  const [edited, setEdited] = useState<Readonly<Record<string, string>>>({})
  const [wrong, setWrong] = useState<ReadonlySet<string>>(new Set())
  const query = [['word', id]] as const
  const { answer, refusal } = useAsked<readonly Configured[]>(api, { path: '/resource/config', query }, after)
  if (refusal !== undefined) return <p class="refusal">{refusal}</p>
  const agent = answer?.[0]?.agent
  if (answer === undefined) return <p class="muted">Reading the configuration …</p>
  if (agent === undefined) return <p class="muted">{id} has no parameters of an agent.</p>
  const isFence = agent.class === 'stonith'
  const name = isFence
    ? agent.type
    : [agent.class, agent.provider, agent.type].filter((part) => part !== undefined).join(':')
  // Values under a rule are for times that the command line knows.
  const pairs = (answer[0]?.parameters ?? []).flatMap((set) => (set.rule === undefined ? set.pairs : []))
  const before = Object.fromEntries(pairs.map((one) => [one.name, one.value ?? '']))
  return (
    <Parameters
      api={api}
      path={isFence ? '/stonith/describe' : '/resource/describe'}
      agent={name}
      values={{ ...before, ...edited }}
      onValue={(parameter, value) => {
        const next = { ...edited, [parameter.name]: value }
        const mistakes = new Set([...wrong].filter((one) => one !== parameter.name))
        if (mistakeIn(parameter.type, value) !== undefined) mistakes.add(parameter.name)
        setEdited(next)
        setWrong(mistakes)
        onLine(mistakes.size === 0 ? updateLine(id, before, next) : '')
      }}
    />
  )
}
