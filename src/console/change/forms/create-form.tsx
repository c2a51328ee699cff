/** A resource is created: its agent's metadata say which parameters there are and what they mean. */
import { useState } from 'preact/hooks'
import type { StatusFacts } from '../../../cli/index.ts'
import type { Api } from '../../base/api.ts'
import { useAsked } from '../../base/asked.ts'
import { Labelled } from './labelled.tsx'
import { type Created, createLine, mistakeIn } from './lines.ts'
import { type Parameter, ParameterField } from './parameter-field.tsx'

interface Metadata {
  readonly name: string
  readonly shortDescription: string
  readonly longDescription: string
  readonly parameters: readonly Parameter[]
}

const empty: Created = { id: '', agent: '', parameters: {}, monitor: '10s', as: 'one', group: '' }

const kinds: Readonly<Record<Created['as'], string>> = {
  one: 'once in the cluster',
  clone: 'on every node (clone)',
  promotable: 'on every node, promoted on one',
  group: 'at the end of a group',
}

export function CreateForm({
  api,
  status,
  onLine,
}: {
  readonly api: Api
  readonly status: StatusFacts
  readonly onLine: (line: string) => void
}) {
  const [created, setCreated] = useState(empty)
  const [wrong, setWrong] = useState<ReadonlySet<string>>(new Set())
  const { answer: agents } = useAsked<readonly { readonly name: string }[]>(api, {
    path: '/resource/list',
    query: [['nodesc', 'true']],
  })
  const isKnown = agents?.some(({ name }) => name === created.agent) === true
  const groups = [
    ...new Set(
      status.resources.flatMap(({ inside, kinds: around }) => inside.filter((_, at) => around[at] === 'group')),
    ),
  ]
  const set = (more: Partial<Created>, mistakes = wrong): void => {
    const next = { ...created, ...more }
    setCreated(next)
    setWrong(mistakes)
    const isReady =
      mistakes.size === 0 && next.id !== '' && next.agent !== '' && (next.as !== 'group' || next.group !== '')
    onLine(isReady ? createLine(next) : '')
  }
  return (
    <fieldset class="fields">
      <legend>Create a resource</legend>
      <Words title="Name" required value={created.id} onValue={(id) => set({ id })} />
      <Words
        title="Agent"
        required
        value={created.agent}
        placeholder="ocf:heartbeat:IPaddr2"
        offers={(agents ?? []).map(({ name }) => name)}
        onValue={(agent) => set({ agent, parameters: {} }, new Set())}
      />
      {isKnown && (
        <Parameters
          api={api}
          agent={created.agent}
          values={created.parameters}
          onValue={({ name, type }, value) => {
            const others = [...wrong].filter((one) => one !== name)
            const mistakes = new Set(mistakeIn(type, value) === undefined ? others : [...others, name])
            set({ parameters: { ...created.parameters, [name]: value } }, mistakes)
          }}
        />
      )}
      <Words
        title="Look every"
        help="The interval of its monitor; empty: as the agent says."
        value={created.monitor}
        onValue={(monitor) => set({ monitor })}
      />
      <Labelled title="It runs">
        {(ties) => (
          <select
            {...ties}
            value={created.as}
            onChange={(event) => set({ as: event.currentTarget.value as Created['as'] })}
          >
            {Object.entries(kinds).map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      {created.as === 'group' && (
        <Words
          title="Group"
          required
          help="One that is there, or the name of a new one."
          value={created.group}
          offers={groups}
          onValue={(group) => set({ group })}
        />
      )}
    </fieldset>
  )
}

/** A text, with what is there to choose from. */
function Words({
  title,
  value,
  onValue,
  required = false,
  help = '',
  placeholder = '',
  offers = [],
}: {
  readonly title: string
  readonly value: string
  readonly onValue: (value: string) => void
  readonly required?: boolean
  readonly help?: string
  readonly placeholder?: string
  readonly offers?: readonly string[]
}) {
  return (
    <Labelled title={title} required={required} help={help}>
      {(ties) => (
        <>
          <input
            {...ties}
            type="text"
            required={required}
            spellcheck={false}
            list={`${ties.id}-offers`}
            placeholder={placeholder}
            value={value}
            onInput={(event) => onValue(event.currentTarget.value.trim())}
          />
          <datalist id={`${ties.id}-offers`}>
            {offers.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </>
      )}
    </Labelled>
  )
}

function Parameters({
  api,
  agent,
  values,
  onValue,
}: {
  readonly api: Api
  readonly agent: string
  readonly values: Readonly<Record<string, string>>
  readonly onValue: (parameter: Parameter, value: string) => void
}) {
  const { answer, refusal } = useAsked<Metadata>(api, { path: '/resource/describe', query: [['word', agent]] })
  if (refusal !== undefined) return <p class="refusal">{refusal}</p>
  if (answer === undefined) return <p class="muted">Reading what the agent says …</p>
  const usable = answer.parameters.filter(({ deprecated }) => !deprecated)
  const field = (parameter: Parameter) => (
    <ParameterField
      key={parameter.name}
      parameter={parameter}
      value={values[parameter.name] ?? ''}
      onValue={(value) => onValue(parameter, value)}
    />
  )
  const others = usable.filter(({ required }) => !required)
  return (
    <>
      <p class="muted">
        {answer.shortDescription}. {answer.longDescription}
      </p>
      {usable.filter(({ required }) => required).map(field)}
      {others.length > 0 && (
        <details open={others.length <= 4}>
          <summary>
            Parameters that may be omitted <span class="muted">({others.length})</span>
          </summary>
          <div class="fields">{others.map(field)}</div>
        </details>
      )}
    </>
  )
}
