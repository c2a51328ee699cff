/**
 * Which primitive instance a history entry belongs to (Pacemaker Explained, "Clones", "Orphans").
 *
 * Unique instances and ordinary primitives have their own names in the history. Instances of an anonymous clone share
 * one: on each node it belongs to the instance that is already active there (by another member of the same group), or to the first
 * that is nowhere active, or to an instance made for it, an orphan beyond the wanted number. A bundle's member on a guest
 * node is the one of that replica; on any other node it has no place. What the configuration does not know is an orphan by itself.
 */
import { resourceId } from '../../base/index.ts'
import type { CloneDraft, InstanceDraft, NodeDraft, PrimitiveDraft, World } from '../drafts.ts'
import type { RecordedResource } from '../records.ts'
import { withoutNumber } from './fail-count.ts'
import { addOrphan } from './orphan.ts'

export function findInstance(world: World, node: NodeDraft, recorded: RecordedResource): PrimitiveDraft | undefined {
  const exact = world.primitives.get(resourceId(recorded.id))
  const baseName = withoutNumber(recorded.id)
  const clone = world.cloneByMember.get(baseName)
  // What was once taken for an orphan stays one, unless an instance had been met by that name before.
  const isKnown = exact?.orphan === true && clone !== undefined && isKnownAs(clone, recorded.id)
  if (exact !== undefined && (exact.instance === undefined || exact.instance.unique) && !isKnown) return exact
  const found = clone === undefined || clone.unique ? exact : anonymousInstance(world, clone, baseName, node)
  return found ?? addOrphan(world, node, recorded)
}

const isKnownAs = ({ instances }: CloneDraft, name: string): boolean =>
  instances.flatMap(membersOf).some(({ state }) => state.historyName === name)

function anonymousInstance(
  world: World,
  clone: CloneDraft,
  memberName: string,
  node: NodeDraft,
): PrimitiveDraft | undefined {
  const { parent } = clone
  if (parent?.kind === 'bundle') return parent.replicas.find((replica) => replica.node === node.name)?.child
  return existingInstance(world, clone, memberName, node) ?? orphanInstance(clone, memberName)
}

function existingInstance(
  world: World,
  clone: CloneDraft,
  memberName: string,
  node: NodeDraft,
): PrimitiveDraft | undefined {
  const here = clone.activeOn.get(node.name) ?? []
  if (here.length > 0) {
    // Several histories of one anonymous instance: the later are leftovers of when the clone was unique.
    const idle = here
      .flatMap((instance) => memberOf(instance, memberName) ?? [])
      .find(({ state }) => state.active.size === 0)
    return idle !== undefined && usable(world, clone, idle, node) ? idle : undefined
  }
  const member = freeMember(clone, memberName, node)
  return member !== undefined && usable(world, clone, member, node) ? member : undefined
}

/** The first instance that is active nowhere, not blocked, and not about to start on another node. */
function freeMember(clone: CloneDraft, memberName: string, node: NodeDraft): PrimitiveDraft | undefined {
  const { instances } = clone
  while (clone.firstFree < instances.length && isTaken(instances[clone.firstFree])) clone.firstFree++
  for (let number = clone.firstFree; number < instances.length; number++) {
    const instance = instances[number]
    if (instance === undefined || isTaken(instance)) continue
    const member = memberOf(instance, memberName)
    if (member === undefined || member.state.blocked) continue
    const { pending } = member.state
    if (pending === undefined || pending.node === node.name) return member
  }
  return undefined
}

/** For good: what is found active does not become free again. */
function isTaken(instance: InstanceDraft | undefined): boolean {
  return instance !== undefined && membersOf(instance).some(({ state }) => state.active.size > 0)
}

/**
 * An instance that may start without its old node being fenced is not spent on that node while it is lost, unless there is
 * one for every node anyway: so another can start elsewhere at once.
 */
function usable(world: World, clone: CloneDraft, member: PrimitiveDraft, node: NodeDraft): boolean {
  const { requires } = member.meta
  if (requires === 'fencing' || requires === 'unfencing' || node.kind === 'guest') return true
  return (node.online && !node.unclean) || clone.cloneMax >= world.nodes.size
}

function orphanInstance(clone: CloneDraft, memberName: string): PrimitiveDraft {
  const instance = clone.grow()
  const member = memberOf(instance, memberName)
  if (member === undefined) throw new Error(`A clone of ${memberName} has an instance without it`)
  return member
}

export const membersOf = (instance: InstanceDraft): readonly PrimitiveDraft[] =>
  instance.kind === 'group' ? instance.members : [instance]

function memberOf(instance: InstanceDraft, name: string): PrimitiveDraft | undefined {
  return membersOf(instance).find(({ configuredId }) => configuredId === name)
}
