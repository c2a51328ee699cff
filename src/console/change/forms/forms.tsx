/** Forms for what is changed most often. A form writes the command; what that would do, and why it is refused, stands below as for a typed one. */
import { useState } from 'preact/hooks'
import type { StatusFacts } from '../../../cli/index.ts'
import type { Api } from '../../base/api.ts'
import { CreateForm } from './create-form.tsx'
import { Labelled } from './labelled.tsx'
import { type Field, type Form, isWhole, simpleForms, type Values, valuesAtFirst } from './lines.ts'
import { PropertyForm } from './property-form.tsx'

export function Forms({
  api,
  status,
  onLine,
}: {
  readonly api: Api
  readonly status: StatusFacts
  readonly onLine: (line: string) => void
}) {
  const [chosen, setChosen] = useState('')
  const form = simpleForms[chosen]
  return (
    <div class="forms">
      <label class="line">
        <span>Form</span>
        <select
          value={chosen}
          onChange={(event) => {
            setChosen(event.currentTarget.value)
            onLine('')
          }}
        >
          <option value="">none: type the command</option>
          <option value="create">Create a resource</option>
          {Object.entries(simpleForms).map(([name, { title }]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
          <option value="property">Set a property of the cluster</option>
        </select>
      </label>
      {chosen === 'create' && <CreateForm api={api} status={status} onLine={onLine} />}
      {chosen === 'property' && <PropertyForm api={api} onLine={onLine} />}
      {form !== undefined && <SimpleForm key={chosen} form={form} status={status} onLine={onLine} />}
    </div>
  )
}

function SimpleForm({
  form,
  status,
  onLine,
}: {
  readonly form: Form
  readonly status: StatusFacts
  readonly onLine: (line: string) => void
}) {
  const [values, setValues] = useState<Values>(() => valuesAtFirst(form))
  const set = (name: string, value: string): void => {
    const next = { ...values, [name]: value }
    setValues(next)
    onLine(isWhole(form, next) ? form.line(next) : '')
  }
  return (
    <fieldset class="fields">
      <legend>{form.title}</legend>
      {form.fields.map((field) => (
        <SimpleField
          key={field.name}
          field={field}
          status={status}
          value={values[field.name] ?? ''}
          onValue={(value) => set(field.name, value)}
        />
      ))}
    </fieldset>
  )
}

function SimpleField({
  field: { title, help, of, isOptional },
  status,
  value,
  onValue,
}: {
  readonly field: Field
  readonly status: StatusFacts
  readonly value: string
  readonly onValue: (value: string) => void
}) {
  const choices =
    of === 'resource'
      ? namesOf(status)
      : of === 'node'
        ? status.nodes.map(({ name }) => name)
        : typeof of === 'string'
          ? undefined
          : of.choices
  const required = isOptional !== true
  return (
    <Labelled title={title} required={required} {...(help !== undefined && { help })}>
      {(ties) =>
        choices === undefined ? (
          <input
            {...ties}
            type="text"
            spellcheck={false}
            value={value}
            required={required}
            onInput={(event) => onValue(event.currentTarget.value)}
          />
        ) : (
          <select {...ties} value={value} required={required} onChange={(event) => onValue(event.currentTarget.value)}>
            {typeof of === 'string' && <option value="">{required ? 'choose …' : 'any'}</option>}
            {choices.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        )
      }
    </Labelled>
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
