/**
 * Which of two recorded operations is the newer one. On one node the call ids say so; a pending operation has none yet, and
 * is placed by the transition that asked for it; between nodes only the times can be compared.
 */
import type { HistoryEntry } from './cluster-status.ts'

/** Oldest first. Of entries of the same age the one that stands later in the document comes first, as in Pacemaker. */
export function sortByAge(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  if (entries.length < 2) return entries
  return [...entries].reverse().sort((a, b) => compareAge(a, b, areOfOneNode(a, b)))
}

/** By what each says itself: an entry that names no node cannot be placed among others that do, other than by its time. */
const areOfOneNode = (a: HistoryEntry, b: HistoryEntry): boolean =>
  a.attributes.on_node?.toLowerCase() === b.attributes.on_node?.toLowerCase()

/** Negative where `a` is older. */
export function compareAge(a: HistoryEntry, b: HistoryEntry, sameNode: boolean): number {
  if (a.id === b.id && sameNode) return 0
  if (!sameNode) return compareTimes(a, b)
  if (a.callId < 0 && b.callId < 0) return 0
  if (a.callId >= 0 && b.callId >= 0) return a.callId === b.callId ? compareTimes(a, b) : a.callId - b.callId
  return comparePending(a, b)
}

/** Entries without a time cannot be told apart from others. */
function compareTimes(a: HistoryEntry, b: HistoryEntry): number {
  return a.lastChange === undefined || b.lastChange === undefined ? 0 : a.lastChange - b.lastChange
}

/** One of them is pending: it is the newer one, unless the other belongs to a later transition of the same scheduler. */
function comparePending(a: HistoryEntry, b: HistoryEntry): number {
  const [first, second] = [transitionOf(a), transitionOf(b)]
  if (first === undefined || second === undefined) return 0
  if (first.uuid !== second.uuid || first.number === second.number) return a.callId < 0 ? 1 : -1
  // Number -1 is a stop at shutdown, after which there is nothing.
  const place = (number: number): number => (number < 0 ? Number.POSITIVE_INFINITY : number)
  return place(first.number) - place(second.number)
}

interface Transition {
  readonly uuid: string
  readonly number: number
}

/** How old a pending operation is, is told by what came back of it: `STATUS:EXIT CODE;` and the transition key; old ones lack the former. */
function transitionOf({ attributes }: HistoryEntry): Transition | undefined {
  const [, key] = /^-?\d+:-?\d+;(.+)$/.exec(attributes['transition-magic'] ?? '') ?? []
  const parts = key?.split(':') ?? []
  if (parts.length !== 3 && parts.length !== 4) return undefined
  const [action, number] = [parts[0], parts[1]].map((text) => Number.parseInt(text ?? '', 10))
  if (number === undefined || Number.isNaN(action) || Number.isNaN(number)) return undefined
  return { uuid: parts.at(-1) ?? '', number }
}
