/** What the history forbids: failures that ban, orphans, resources that are active too often; and what holds an unmanaged one. */
import { INFINITY_SCORE } from '../../cib/index.ts'
import type { HistoryBan } from '../../status/index.ts'
import type { ScoreSource } from '../assigned/assignment.ts'
import { type Entry, type PrimitiveEntry, topBelowBundle } from '../resources/tree.ts'
import { addBelow, addTo, banAlone, banEverywhere, type TableWork } from './table-work.ts'

export function applyHistory(work: TableWork, entry: Entry): void {
  if (isUnknownOrphan(entry) && work.status.options.stopOrphanResources) banEverywhere(work, entry, { kind: 'orphan' })
  for (const member of entry.members) applyHistory(work, member)
  if (entry.kind !== 'primitive') return
  const { state } = entry.resource
  for (const ban of state.bans) applyBan(work, entry, ban)
  if (state.multiplyActive && entry.resource.meta.multipleActive === 'stop_only')
    banEverywhere(work, entry, { kind: 'multiple-active' })
  for (const node of state.heldOn) {
    const index = work.tree.nodeIndex.get(node)
    if (index !== undefined) addTo(work, entry, index, { score: INFINITY_SCORE, source: { kind: 'unmanaged' } })
  }
}

/** Of what is configured, an instance too many is stopped by its clone, which counts it as one of its instances where it may not be stopped. */
const isUnknownOrphan = ({ kind, parent, resource }: Entry): boolean =>
  kind === 'primitive' && parent === undefined && resource.orphan

function applyBan(work: TableWork, entry: PrimitiveEntry, ban: HistoryBan): void {
  const { cloneInstances } = ban
  const target = cloneInstances === undefined ? entry : topBelowBundle(entry)
  const operation = ban.operation === undefined ? {} : { operation: ban.operation }
  const source: ScoreSource = { kind: 'failure', because: ban.because, ...operation }
  if (ban.node === undefined) {
    if (ban.because === 'on-fail-stop') banAlone(work, target, source)
    else {
      for (const member of target.members.slice(0, cloneInstances)) banEverywhere(work, member, source)
      banAlone(work, target, source)
    }
    return
  }
  const node = work.tree.nodeIndex.get(ban.node)
  if (node === undefined) return
  const given = { score: -INFINITY_SCORE, source }
  for (const member of target.members.slice(0, cloneInstances)) addBelow(work, member, node, given)
  addTo(work, target, node, given)
}
