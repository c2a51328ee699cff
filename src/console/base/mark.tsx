/** One shape for each state: whoever sees no colours reads the shape, whoever sees nothing the word beside it. */
import type { JSX } from 'preact'
import type { Mark } from './marks.ts'

const shapes: Readonly<Record<Mark, JSX.Element>> = {
  started: <circle cx="8" cy="8" r="5" fill="currentColor" />,
  promoted: <path d="M8 1.6 14.4 8 8 14.4 1.6 8Z" fill="currentColor" />,
  unpromoted: <path d="M8 2.6 13.4 8 8 13.4 2.6 8Z" fill="none" stroke="currentColor" stroke-width="1.8" />,
  pending: (
    <>
      <circle cx="8" cy="8" r="5.2" fill="none" stroke="currentColor" stroke-width="1.6" stroke-dasharray="3 2" />
      <path d="M8 4.4a3.6 3.6 0 0 1 0 7.2Z" fill="currentColor" />
    </>
  ),
  failed: <path d="M3.2 3.2l9.6 9.6M12.8 3.2l-9.6 9.6" fill="none" stroke="currentColor" stroke-width="3" />,
  blocked: (
    <>
      <path d="M5.3 1.5h5.4l3.8 3.8v5.4l-3.8 3.8H5.3l-3.8-3.8V5.3Z" fill="currentColor" />
      <path d="M4.4 8h7.2" stroke="var(--surface)" stroke-width="2.2" />
    </>
  ),
  unmanaged: (
    <>
      <circle cx="8" cy="8" r="5.2" fill="none" stroke="currentColor" stroke-width="1.8" />
      <circle cx="8" cy="8" r="1.8" fill="currentColor" />
    </>
  ),
  stopped: <path d="M3.5 3.5h9v9h-9Z" fill="none" stroke="currentColor" stroke-width="2" />,
  disabled: <path d="M3 8h10" stroke="currentColor" stroke-width="2.2" />,
  standby: <path d="M5.6 3v10M10.4 3v10" stroke="currentColor" stroke-width="2.6" />,
  offline: <circle cx="8" cy="8" r="5" fill="none" stroke="currentColor" stroke-width="1.8" />,
}

export function Shape({ mark }: { readonly mark: Mark }) {
  return (
    <svg class={`mark mark-${mark}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      {shapes[mark]}
    </svg>
  )
}
