/** A property of the cluster: which there are and what they mean is what `property describe` says. */
import { useState } from 'preact/hooks'
import type { Api } from '../../base/api.ts'
import { useAsked } from '../../base/asked.ts'
import { Labelled } from './labelled.tsx'
import { propertyLine } from './lines.ts'

interface Property {
  readonly name: string
  readonly type: { readonly kind: string; readonly values?: readonly string[] }
  readonly default?: string
  readonly description: string
}

export function PropertyForm({ api, onLine }: { readonly api: Api; readonly onLine: (line: string) => void }) {
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const { answer, refusal } = useAsked<readonly Property[]>(api, { path: '/property/describe' })
  const property = answer?.find((one) => one.name === name)
  const set = (of: string, to: string): void => {
    setName(of)
    setValue(to)
    onLine(of === '' ? '' : propertyLine(of, to))
  }
  const choices = property?.type.kind === 'boolean' ? ['true', 'false'] : property?.type.values
  if (refusal !== undefined) return <p class="refusal">{refusal}</p>
  return (
    <fieldset class="fields">
      <legend>Set a property of the cluster</legend>
      <Labelled title="Property" help={property?.description ?? ''}>
        {(ties) => (
          <select {...ties} value={name} onChange={(event) => set(event.currentTarget.value, '')}>
            <option value="">choose …</option>
            {(answer ?? []).map((one) => (
              <option key={one.name} value={one.name}>
                {one.name}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      {property !== undefined && (
        <Labelled title="Value" help="Empty: the property is removed, and its default counts.">
          {(ties) =>
            choices === undefined ? (
              <input
                {...ties}
                type="text"
                spellcheck={false}
                placeholder={property.default === undefined ? '' : `default: ${property.default}`}
                value={value}
                onInput={(event) => set(name, event.currentTarget.value)}
              />
            ) : (
              <select {...ties} value={value} onChange={(event) => set(name, event.currentTarget.value)}>
                <option value="">{property.default === undefined ? 'not set' : `default: ${property.default}`}</option>
                {choices.map((one) => (
                  <option key={one} value={one}>
                    {one}
                  </option>
                ))}
              </select>
            )
          }
        </Labelled>
      )}
    </fieldset>
  )
}
