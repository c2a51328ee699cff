/** A text, with what is there to choose from. */
import { Labelled } from './labelled.tsx'

export function Words({
  title,
  value,
  onValue,
  required = false,
  isHidden = false,
  help = '',
  placeholder = '',
  offers = [],
}: {
  readonly title: string
  readonly value: string
  readonly onValue: (value: string) => void
  readonly required?: boolean
  readonly isHidden?: boolean
  readonly help?: string
  readonly placeholder?: string
  readonly offers?: readonly string[]
}) {
  return (
    <Labelled title={title} required={required} help={help}>
      {(ties) => {
        const common = {
          ...ties,
          autocomplete: 'off',
          required,
          spellcheck: false,
          placeholder,
          value,
          onInput: (event: Event & { readonly currentTarget: HTMLInputElement }) =>
            onValue(event.currentTarget.value.trim()),
        }
        if (isHidden) return <input {...common} type="password" />
        return (
          <>
            <input {...common} type="text" list={`${ties.id}-offers`} />
            <datalist id={`${ties.id}-offers`}>
              {offers.map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </>
        )
      }}
    </Labelled>
  )
}
