/** A command to type on a node, and a button that copies it. */
import { useState } from 'preact/hooks'

export function Command({ text }: { readonly text: string }) {
  const [copied, setCopied] = useState(false)
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  }
  return (
    <span class="command">
      <code>{text}</code>
      <button type="button" class="copy" onClick={copy} onBlur={() => setCopied(false)} aria-label={`Copy: ${text}`}>
        {copied ? 'copied' : 'copy'}
      </button>
    </span>
  )
}
