/** A field of a form that is a table: a text, one of what the cluster has, or several. */
import type { StatusFacts } from '../../../cli/index.ts'
import type { Api } from '../../base/api.ts'
import { useAsked } from '../../base/asked.ts'
import type { RolloutsAnswer } from '../../rollouts/cards.ts'
import { type Field, listIn, type OfCommand, toggled } from './form.ts'
import { Labelled } from './labelled.tsx'

interface FieldProps {
  readonly api: Api
  readonly status: StatusFacts
  readonly field: Field
  readonly value: string
  readonly onValue: (value: string) => void
}

export function SimpleField(props: FieldProps) {
  const { status, field } = props
  const { of } = field
  if (of === 'text') return <TextField {...props} />
  if (of === 'resource') return <Choice {...props} choices={namesOf(status)} />
  if (of === 'node') return <Choice {...props} choices={status.nodes.map(({ name }) => name)} />
  if (typeof of === 'string') return <ListedField {...props} of={of} />
  return <Choice {...props} choices={of.choices} />
}

function TextField({ field: { title, help = '', isOptional }, value, onValue }: FieldProps) {
  const required = isOptional !== true
  return (
    <Labelled title={title} required={required} help={help}>
      {(ties) => (
        <input
          {...ties}
          type="text"
          autocomplete="off"
          spellcheck={false}
          value={value}
          required={required}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Labelled>
  )
}

interface Identified {
  readonly id: string
}

/** Where each kind is listed, and its names in that answer. */
const lists: Readonly<Record<OfCommand, readonly [path: string, names: (answer: never) => readonly string[]]>> = {
  role: ['/acl/config', ({ roles }: { readonly roles: readonly Identified[] }) => idsOf(roles)],
  user: ['/acl/config', ({ users }: { readonly users: readonly Identified[] }) => idsOf(users)],
  'user or group': [
    '/acl/config',
    ({ users, groups }: { readonly users: readonly Identified[]; readonly groups: readonly Identified[] }) => [
      ...idsOf(users),
      ...idsOf(groups),
    ],
  ],
  alert: ['/alert/config', idsOf],
  recipient: [
    '/alert/config',
    (alerts: readonly { readonly recipients: readonly Identified[] }[]) =>
      alerts.flatMap(({ recipients }) => idsOf(recipients)),
  ],
  tag: ['/tag/config', idsOf],
  device: ['/stonith/config', idsOf],
  service: [
    '/service/list',
    ({ services }: { readonly services: readonly { readonly name: string }[] }) => services.map(({ name }) => name),
  ],
  gate: [
    '/service/gate/list',
    ({ gates }: { readonly gates: readonly { readonly resource: string; readonly service: string }[] }) =>
      gates.map(({ resource, service }) => `${resource} ${service}`),
  ],
  rollout: [
    '/rollout/status',
    ({ rollouts, fleet }: RolloutsAnswer) =>
      [...fleet, ...rollouts].flatMap(({ id, state }) => (state === 'complete' || state === 'aborted' ? [] : [id])),
  ],
}

function idsOf(list: readonly Identified[]): readonly string[] {
  return list.map(({ id }) => id)
}

function ListedField({ of, ...props }: FieldProps & { readonly of: OfCommand }) {
  const [path, names] = lists[of]
  const { answer, refusal } = useAsked<unknown>(props.api, { path }, props.status.version)
  if (refusal !== undefined) return <p class="refusal">{refusal}</p>
  return (
    <Choice {...props} choices={answer === undefined ? [] : names(answer as never)} isRead={answer !== undefined} />
  )
}

interface ChoiceProps extends FieldProps {
  readonly choices: readonly string[]
  /** They are known already. */
  readonly isRead?: boolean
}

function Choice(props: ChoiceProps) {
  const { field, value, onValue, choices, isRead = true } = props
  const { title, help, isOptional, isMany } = field
  const required = isOptional !== true
  if (isMany === true) return <Several {...props} />
  const nothing = isRead && choices.length === 0 ? 'there is none' : required ? 'choose …' : 'any'
  return (
    <Labelled title={title} required={required} {...(help !== undefined && { help })}>
      {(ties) => (
        <select {...ties} value={value} required={required} onChange={(event) => onValue(event.currentTarget.value)}>
          {typeof field.of === 'string' && <option value="">{nothing}</option>}
          {choices.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  )
}

function Several({ field: { title, help }, value, onValue, choices, isRead = true }: ChoiceProps) {
  const chosen = listIn(value)
  return (
    <fieldset class="several">
      <legend>{title}</legend>
      {choices.map((one) => (
        <label key={one}>
          <input type="checkbox" checked={chosen.includes(one)} onChange={() => onValue(toggled(value, one))} />
          {one}
        </label>
      ))}
      {isRead && choices.length === 0 && <span class="muted">There is none.</span>}
      {help !== undefined && <span class="muted">{help}</span>}
    </fieldset>
  )
}

/** Everything that a constraint or a move may name, as it is configured. */
function namesOf({ resources }: StatusFacts): readonly string[] {
  const names = resources.flatMap(({ inside, configured }) => [
    ...inside.map((id) => id.replace(/:\d+$/, '')),
    configured,
  ])
  return [...new Set(names)].sort()
}
