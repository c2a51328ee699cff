/** Forms for what is changed most often. A form writes the command; what that would do, and why it is refused, stands below as for a typed one. */
import { useState } from 'preact/hooks'
import { AlertForm } from './alert-form.tsx'
import type { Around } from './around.ts'
import { CreateForm } from './create-form.tsx'
import { areas, type Form, isWhole, type Values, valuesAtFirst } from './form.ts'
import { PropertyForm } from './property-form.tsx'
import { RolloutForm } from './rollout-form.tsx'
import { SimpleField } from './simple-field.tsx'
import { simpleForms } from './simple-forms.ts'
import { UpdateForm } from './update-form.tsx'

/** Those whose fields an agent or the cluster's own description decides. */
const ownForms: readonly {
  readonly name: string
  readonly title: string
  readonly area: Form['area']
  readonly draw: (around: Around) => ReturnType<typeof CreateForm>
}[] = [
  {
    name: 'create',
    title: 'Create a resource',
    area: 'Resources',
    draw: (around) => <CreateForm key="resource" of="resource" {...around} />,
  },
  {
    name: 'update',
    title: 'Change parameters of a resource',
    area: 'Resources',
    draw: (around) => <UpdateForm {...around} />,
  },
  {
    name: 'fence-device',
    title: 'Create a fence device',
    area: 'Fencing',
    draw: (around) => <CreateForm key="fence" of="fence device" {...around} />,
  },
  { name: 'alert', title: 'Alert: create', area: 'Alerts', draw: (around) => <AlertForm {...around} /> },
  {
    name: 'property',
    title: 'Set a property of the cluster',
    area: 'Cluster',
    draw: ({ api, onLine }) => <PropertyForm api={api} onLine={onLine} />,
  },
  {
    name: 'rollout-start',
    title: 'Rollout: start',
    area: 'Rollouts',
    draw: ({ onLine }) => <RolloutForm onLine={onLine} />,
  },
]

export function Forms({ first, ...around }: Around & { readonly first: string }) {
  const [chosen, setChosen] = useState(first)
  const form = simpleForms[chosen]
  const all = [...ownForms, ...Object.entries(simpleForms).map(([name, one]) => ({ name, ...one }))]
  return (
    <div class="forms">
      <label class="line">
        <span>Form</span>
        <select
          value={chosen}
          onChange={(event) => {
            setChosen(event.currentTarget.value)
            around.onLine('', {})
          }}
        >
          <option value="">none: type the command</option>
          {areas.map((area) => (
            <optgroup key={area} label={area}>
              {all
                .filter((one) => one.area === area)
                .map(({ name, title }) => (
                  <option key={name} value={name}>
                    {title}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
      </label>
      {ownForms.find(({ name }) => name === chosen)?.draw(around)}
      {form !== undefined && <SimpleForm key={chosen} form={form} {...around} />}
    </div>
  )
}

function SimpleForm({ form, onLine, ...around }: Around & { readonly form: Form }) {
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
          value={values[field.name] ?? ''}
          onValue={(value) => set(field.name, value)}
          {...around}
        />
      ))}
    </fieldset>
  )
}
