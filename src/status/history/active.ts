/**
 * Notes that a resource is active on a node, and what follows from that: a node in maintenance takes it out of the
 * cluster's hands, and `multiple-active=block` blocks it, with the group or bundle around it, once it is active on two nodes.
 */
import type { NodeName } from '../../base/index.ts'
import { type Role, roleRank } from '../../cib/index.ts'
import type { NodeDraft, PrimitiveDraft, StateDraft, World } from '../drafts.ts'

export function addActive(world: World, resource: PrimitiveDraft, node: NodeDraft, role: Role): void {
  const { state } = resource
  const known = state.active.get(node.name)
  if (known !== undefined) {
    if (roleRank(role) > roleRank(known)) state.active.set(node.name, role)
    return
  }
  state.active.set(node.name, role)
  noteInstance(resource, node)
  if (node.maintenance) {
    state.managed = false
    state.maintenance = true
  }
  // What nobody manages is no reason to look at a node that is not there.
  if (resource.parent?.kind === 'group' && (state.managed || node.online)) resource.parent.activeOn.add(node.name)
  if (!state.managed) {
    state.heldOn.push(node.name)
    return
  }
  if (countedNodes(world, resource).length < 2) return
  state.multiplyActive = true
  if (resource.meta.multipleActive !== 'block') return
  block(state)
  const { parent } = resource
  if (parent === undefined || parent.meta.multipleActive !== 'block') return
  if (parent.kind === 'group') for (const member of parent.members) block(member.state)
}

function noteInstance(resource: PrimitiveDraft, node: NodeDraft): void {
  const instance = resource.parent?.kind === 'group' ? resource.parent : resource
  const clone = instance.parent
  if (clone?.kind !== 'clone') return
  const here = clone.activeOn.get(node.name)
  if (here === undefined) clone.activeOn.set(node.name, [instance])
  else if (!here.includes(instance)) here.push(instance)
}

/** What need not be fenced before it starts elsewhere does not count on nodes that are lost. */
function countedNodes(world: World, { meta, state }: PrimitiveDraft): readonly NodeName[] {
  const names = [...state.active.keys()]
  if (meta.requires === 'fencing' || meta.requires === 'unfencing') return names
  return names.filter((name) => {
    const node = world.nodes.get(name)
    return node?.online && !node.unclean
  })
}

export function block(state: StateDraft): void {
  state.managed = false
  state.blocked = true
}
