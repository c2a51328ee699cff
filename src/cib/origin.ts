/** Who made a constraint, when and with which command: kept in a comment inside it, which is data for us and a remark for others. */
import type { ConstraintOrigin } from './configuration.ts'
import type { XmlElement, XmlText } from './document.ts'

/** `<!-- origin: {"author":"root@alpha","time":"2026-11-20T23:31:43Z","command":"resource move web beta"} -->` */
export function originComment(origin: ConstraintOrigin): XmlText {
  // Two hyphens would end the comment.
  return { kind: 'comment', text: ` origin: ${JSON.stringify(origin).replace(/--/g, '-\\u002d')} ` }
}

export function readOrigin(constraint: XmlElement): ConstraintOrigin | undefined {
  for (const child of constraint.children) {
    const text = child.kind === 'comment' ? /^\s*origin:\s*(\{.*\})\s*$/s.exec(child.text)?.[1] : undefined
    const origin = text === undefined ? undefined : parseOrigin(text)
    if (origin) return origin
  }
  return undefined
}

function parseOrigin(text: string): ConstraintOrigin | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // A remark that only looks like ours.
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { author, time, command } = value as Readonly<Record<string, unknown>>
  if (typeof author !== 'string' || typeof time !== 'string') return undefined
  return typeof command === 'string' ? { author, time, command } : { author, time }
}
