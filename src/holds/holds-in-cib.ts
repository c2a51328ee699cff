/** Who holds what, as it stands in a CIB: each composed element says it in a comment, so that also a copy in a file tells. */
import { childElement, childElements, configurationElement, type XmlElement, type XmlText } from '../cib/index.ts'
import { type HoldRecord, parseHold } from './hold-record.ts'

/** What a composed element says of its hold: all but the process that renews it. */
export type HoldNote = Omit<HoldRecord, 'holder' | 'renewed'>

/** `<!-- hold: {"id":"drain-n2",…} -->` */
export function noteOf({ holder: _, renewed: __, ...note }: HoldRecord): XmlText {
  // Two hyphens would end the comment.
  return { kind: 'comment', text: ` hold: ${JSON.stringify(note).replace(/--/g, '-\\u002d')} ` }
}

/** The holds that a CIB shows, by their ids. */
export function holdsIn(cib: XmlElement): readonly HoldNote[] {
  const found = new Map<string, HoldNote>()
  const look = (parent: XmlElement): void => {
    for (const child of childElements(parent)) {
      const note = /^(?:instance_attributes|meta_attributes|rsc_location)$/.test(child.name)
        ? readNote(child)
        : undefined
      if (note) found.set(note.id, note)
      else look(child)
    }
  }
  const configuration = configurationElement(cib)
  for (const name of ['nodes', 'resources', 'constraints']) {
    const section = childElement(configuration, name)
    if (section) look(section)
  }
  return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

export function readNote(composed: XmlElement): HoldNote | undefined {
  if (composed.attributes.id?.startsWith('hold-') !== true) return undefined
  for (const child of composed.children) {
    const text = child.kind === 'comment' ? /^\s*hold:\s*(\{.*\})\s*$/s.exec(child.text)?.[1] : undefined
    const note = text === undefined ? undefined : parseHold(parsedJson(text))
    if (note) return note
  }
  return undefined
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A remark that only looks like ours.
    return undefined
  }
}
