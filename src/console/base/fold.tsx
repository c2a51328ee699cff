/** What is made when it is opened for the first time, and not before. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

export function Fold({ title, children }: { readonly title: string; readonly children: () => ComponentChildren }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children()}
    </details>
  )
}
