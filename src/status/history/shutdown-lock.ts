/**
 * Shutdown locks (Pacemaker Explained, option `shutdown-lock`): a resource waits for the node that was shut down cleanly
 * while it ran there, until the node is back or shutdown-lock-limit has passed. Fence devices, connections and clones never wait.
 */
import { isActiveRole, type NodeDraft, type PrimitiveDraft, type World } from '../drafts.ts'

/** A lock that the history holds. */
export function noteShutdownLock(world: World, resource: PrimitiveDraft, node: NodeDraft, since: number): void {
  if (!world.options.shutdownLock || since === 0) return
  const expiresAt = since + Math.ceil(world.options.shutdownLockLimitMs / 1000)
  if (world.options.shutdownLockLimitMs > 0) {
    if (world.zone.now > expiresAt) {
      resource.state.lockExpiredOn = node.name
      return
    }
    world.moments.push(lockEnd(resource, node.name, expiresAt))
  }
  resource.state.shutdownLock = { node: node.name, since }
}

/** Once all histories are read: locks of what is running are void, and a clean shutdown that is under way locks. */
export function decideShutdownLocks(world: World): void {
  if (!world.options.shutdownLock) return
  for (const resource of world.primitives.values()) decideLock(world, resource)
}

function decideLock(world: World, resource: PrimitiveDraft): void {
  const { state } = resource
  const [only, another] = [...state.active.keys()]
  if (!isLockable(resource) || (state.shutdownLock !== undefined && only !== undefined)) {
    // Somebody started it elsewhere: the history that holds the lock goes.
    if (isLockable(resource) && state.shutdownLock !== undefined) state.lockExpiredOn = state.shutdownLock.node
    delete state.shutdownLock
    return
  }
  if (state.shutdownLock !== undefined || only === undefined || another !== undefined) return
  const node = world.nodes.get(only)
  if (node === undefined || !node.shutdown || node.unclean || !isActiveRole(state.role)) return
  const since = Number.parseInt(node.attributes.get('shutdown') ?? '', 10) || world.zone.now
  state.shutdownLock = { node: only, since }
  if (world.options.shutdownLockLimitMs > 0)
    world.moments.push(lockEnd(resource, only, since + Math.ceil(world.options.shutdownLockLimitMs / 1000)))
}

function lockEnd({ id }: PrimitiveDraft, node: string, lastMoment: number): World['moments'][number] {
  return { at: lastMoment + 1, because: `the shutdown lock of ${id} to ${node} ends` }
}

function isLockable({ agent, connectionOf, parent, instance }: PrimitiveDraft): boolean {
  if (agent.class === 'stonith' || connectionOf !== undefined || instance !== undefined) return false
  return parent === undefined || parent.kind === 'group'
}
