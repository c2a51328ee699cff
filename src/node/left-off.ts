/**
 * Nodes that a reboot has switched off and that nobody has switched on again: the DC that was about to do it is gone. The next one finds them
 * in the history of fencing, and goes on where that DC has ended.
 */
import { type NodeName, nodeName } from '../base/index.ts'
import { administratorsWord, type ClusterView, isUnclean } from '../controller/index.ts'

/** As it stands in the store, or on the disk of a survivor of two. */
export interface RecordedFencing {
  readonly id: string
  readonly target: string
  readonly action: string
  readonly outcome: 'pending' | 'succeeded' | 'failed'
  readonly begun: string
  readonly ended?: string | undefined
  readonly message?: string | undefined
  readonly client?: string | undefined
  readonly reason?: string | undefined
  readonly powerOn?: readonly string[] | undefined
}

export interface LeftOff {
  readonly record: RecordedFencing
  readonly target: NodeName
  /** Undefined: it is not known which have switched it off, if any has. */
  readonly devices: readonly string[] | undefined
}

/** A reboot of which nobody knows that the node was switched on again. */
export const isHalfDone = ({ action, outcome, powerOn = [] }: RecordedFencing): boolean =>
  action === 'reboot' && (outcome === 'pending' || (outcome === 'succeeded' && powerOn.length > 0))

/** One that is to be fenced for other reasons is not among them: that fencing switches it on. */
export function leftOffIn(records: readonly RecordedFencing[], view: ClusterView): readonly LeftOff[] {
  const last = new Map<string, RecordedFencing>()
  for (const record of records.toSorted((a, b) => (a.begun < b.begun ? -1 : a.begun > b.begun ? 1 : 0)))
    if (record.action !== 'on' || record.outcome === 'succeeded') last.set(record.target, record)
  return [...last.values()].flatMap((record): readonly LeftOff[] => {
    const target = nodeName(record.target)
    const state = view.nodeStates.get(target)
    if (!isHalfDone(record) || view.members.has(target) || isUnclean(state)) return []
    // It may have been here since, and be off for another reason, which whoever has confirmed it knows.
    if (state?.reason === administratorsWord) return []
    if (record.outcome === 'pending') return [{ record, target, devices: undefined }]
    // It has been here since, or has left in order and was switched off by hand.
    const isSince = state?.expected !== 'down' || state.attributes?.node_fenced === undefined
    return isSince ? [] : [{ record, target, devices: record.powerOn }]
  })
}
