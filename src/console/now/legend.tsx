import { Shape } from '../base/mark.tsx'
import { type Mark, wordOf } from '../base/marks.ts'

const shown: readonly Mark[] = [
  'started',
  'promoted',
  'unpromoted',
  'pending',
  'failed',
  'blocked',
  'unmanaged',
  'stopped',
  'disabled',
]

export function Legend() {
  return (
    <ul class="legend" aria-label="Meaning of the shapes">
      {shown.map((mark) => (
        <li key={mark}>
          <Shape mark={mark} /> {wordOf(mark)}
        </li>
      ))}
    </ul>
  )
}
