/** The journals as one line of events: what each is about, and which moment is meant. Pure. */
import type { Happening, JournalEvent } from './event.ts'

export const timelineKinds = [
  'membership',
  'quorum',
  'decision',
  'operation',
  'fencing',
  'configuration',
  'call',
] as const
export type TimelineKind = (typeof timelineKinds)[number]

/** Undefined for what is written for readers of the journal alone. */
export function aboutOf(
  what: Happening,
):
  | { readonly kind: TimelineKind; readonly nodes: readonly string[]; readonly resources: readonly string[] }
  | undefined {
  const none: readonly string[] = []
  switch (what.kind) {
    case 'begun':
      return undefined
    case 'node':
    case 'dc':
      return { kind: 'membership', nodes: [what.node], resources: none }
    case 'quorum':
      return { kind: 'quorum', nodes: [what.node], resources: none }
    case 'fencing':
      return { kind: 'fencing', nodes: [what.target], resources: none }
    case 'operation':
      return { kind: 'operation', nodes: [what.node], resources: [what.resource] }
    case 'transition':
      return { kind: 'decision', nodes: none, resources: none }
    case 'configuration':
    case 'decision':
    case 'call':
      return { kind: what.kind, nodes: none, resources: none }
  }
}

/**
 * The events up to a moment: a revision of the store, with all that it wrote, or a time. By a time counts what was written down until then, and what stands
 * before that in the order of the store. Undefined: the word is neither.
 */
export function momentIn(events: readonly JournalEvent[], word: string): readonly JournalEvent[] | undefined {
  if (/^\d+$/.test(word)) {
    const revision = Number(word)
    return events.slice(0, events.findLastIndex((event) => event.revision <= revision) + 1)
  }
  const at = timeIn(word)
  return at === undefined ? undefined : events.slice(0, events.findLastIndex((event) => event.at <= at) + 1)
}

/** As commands print it, or ISO 8601; without a zone it is UTC, as what is printed. */
export function timeIn(word: string): number | undefined {
  const [, date, time = '00:00', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|UTC|[+-]\d\d:\d\d)?)?$/.exec(word) ?? []
  const at = date === undefined ? Number.NaN : Date.parse(`${date}T${time}${zone === 'UTC' ? 'Z' : zone}`)
  return Number.isNaN(at) ? undefined : at
}
