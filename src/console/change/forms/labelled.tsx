/** A field with its name before it and its help after it, tied together for screen readers. */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

export interface Ties {
  readonly id: string
  readonly 'aria-describedby'?: string
  readonly 'aria-invalid'?: true
}

export function Labelled({
  title,
  required = false,
  help = '',
  mistake,
  children,
}: {
  readonly title: ComponentChildren
  readonly required?: boolean
  readonly help?: string
  readonly mistake?: string | undefined
  readonly children: (ties: Ties) => ComponentChildren
}) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>
        {title}
        {required && <span aria-hidden="true"> *</span>}
      </label>
      {children({
        id,
        ...(help !== '' && { 'aria-describedby': `${id}-help` }),
        ...(mistake !== undefined && { 'aria-invalid': true as const }),
      })}
      {mistake !== undefined && (
        <span class="refusal" role="alert">
          {mistake}
        </span>
      )}
      {help !== '' && (
        <span class="muted" id={`${id}-help`}>
          {help}
        </span>
      )}
    </div>
  )
}
