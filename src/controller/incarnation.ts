/**
 * Which incarnation of a node the cluster knows: that of its daemon, and the boot of its machine, by the kernel's own id
 * (random(4), `boot_id`). A later incarnation after another boot is the proof that nothing runs there of what ran before. Machines that
 * share a kernel, such as containers, share that id: there it proves nothing.
 */
import type { NodeName } from '../base/index.ts'
import type { ClusterView, MemberRecord } from './view.ts'

export interface NodeIncarnation {
  readonly incarnation: number | undefined
  readonly bootId: string | undefined
}

/** What the store shows of a node since an incarnation of it: nothing, that one, a later one, or one that its machine has booted for. */
export type SinceIncarnation = 'gone' | 'here' | 'came-back' | 'rebooted'

const attribute = 'boot_id'

/** For the node-state of one that is integrated. */
export function bootAttributes({ bootId }: MemberRecord): Readonly<Record<string, string>> {
  return bootId === undefined ? {} : { [attribute]: bootId }
}

/** The incarnation that the cluster knows last: as it was integrated, or as it registered where it never was. */
export function lastIncarnation(view: ClusterView, node: NodeName): NodeIncarnation {
  const attributes = view.nodeStates.get(node)?.attributes
  const integrated = Number(attributes?.incarnation)
  const record = view.members.get(node)
  return Number.isFinite(integrated)
    ? { incarnation: integrated, bootId: attributes?.[attribute] }
    : { incarnation: record?.incarnation, bootId: record?.bootId }
}

export function knownIncarnation(view: ClusterView, node: NodeName): number | undefined {
  return lastIncarnation(view, node).incarnation
}

export function sinceIncarnation(
  view: ClusterView,
  node: NodeName,
  { incarnation, bootId }: NodeIncarnation,
): SinceIncarnation {
  const record = view.members.get(node)
  if (record === undefined) return 'gone'
  if (incarnation === undefined || record.incarnation === incarnation) return 'here'
  const bootsAreKnown = record.bootId !== undefined && bootId !== undefined
  return bootsAreKnown && record.bootId !== bootId ? 'rebooted' : 'came-back'
}
