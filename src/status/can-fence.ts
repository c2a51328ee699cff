/**
 * Whether a node can be fenced: fencing is enabled, there is a device, and the partition may act: with quorum, with
 * no-quorum-policy=ignore, or where the node is in our membership. A guest node is fenced through its container, which takes
 * a host that is online or can be fenced.
 */
import type { NodeDraft, World } from './drafts.ts'

export function canFence(world: World, node: NodeDraft): boolean {
  const container = node.connectionResource?.container
  if (node.kind === 'guest' && container !== undefined)
    return [...container.state.active.keys()].every((name) => {
      const host = world.nodes.get(name)
      return host !== undefined && (host.online || canFence(world, host))
    })
  const { options, haveQuorum, haveFenceDevice } = world
  if (!options.fencingEnabled || !haveFenceDevice) return false
  return haveQuorum || options.noQuorumPolicy === 'ignore' || node.online
}
