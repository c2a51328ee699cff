/** One parameter of an agent: its field is of its type, its help text is the agent's own. */
import { Labelled } from './labelled.tsx'
import { mistakeIn } from './lines.ts'

export interface Parameter {
  readonly name: string
  /** `string`, `integer`, `boolean`, `time`, `select` … */
  readonly type: string
  readonly default?: string
  readonly choices: readonly string[]
  readonly required: boolean
  readonly private: boolean
  readonly deprecated: boolean
  readonly shortDescription: string
  readonly longDescription: string
}

export function ParameterField({
  parameter,
  value,
  onValue,
}: {
  readonly parameter: Parameter
  readonly value: string
  readonly onValue: (value: string) => void
}) {
  const { name, type, required, shortDescription, longDescription } = parameter
  const choices = parameter.choices.length > 0 ? parameter.choices : type === 'boolean' ? ['true', 'false'] : undefined
  const usual = parameter.default === undefined || parameter.default === '' ? '' : `default: ${parameter.default}`
  const help =
    longDescription === '' || longDescription === shortDescription
      ? shortDescription
      : `${shortDescription}. ${longDescription}`
  return (
    <Labelled title={<code>{name}</code>} required={required} help={help} mistake={mistakeIn(type, value)}>
      {(ties) =>
        choices === undefined ? (
          <input
            {...ties}
            {...(parameter.private ? { type: 'password' as const } : { type: 'text' as const })}
            autocomplete="off"
            inputMode={type === 'integer' ? 'numeric' : 'text'}
            spellcheck={false}
            placeholder={usual}
            required={required}
            value={value}
            onInput={(event) => onValue(event.currentTarget.value)}
          />
        ) : (
          <select {...ties} value={value} required={required} onChange={(event) => onValue(event.currentTarget.value)}>
            <option value="">{usual === '' ? 'choose …' : usual}</option>
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
