/**
 * Resources in the history that the configuration does not know any more. They are stopped, unless stop-orphan-resources
 * says to leave them alone. The orphaned connection of a remote node brings its node with it.
 */
import { nodeName, resourceId } from '../../base/index.ts'
import type { NodeDraft, PrimitiveDraft, World } from '../drafts.ts'
import { connectedNode } from '../nodes/nodes.ts'
import type { RecordedNode, RecordedResource } from '../records.ts'
import { isConnectionAgent } from '../remote-definitions.ts'
import { resolveMeta } from '../resources/meta.ts'
import { emptyState } from '../resources/primitive.ts'

/** Undefined where the history does not even say which agent it was. */
export function addOrphan(world: World, _node: NodeDraft, recorded: RecordedResource): PrimitiveDraft | undefined {
  const { agent } = recorded
  if (agent === undefined) return undefined
  const isConnection = isConnectionAgent({ agent })
  const isMember = world.nodes.get(nodeName(recorded.id))?.kind === 'member'
  const meta = resolveMeta(
    { sets: [], agent, isConnection },
    { ...world, resourceDefaults: world.configuration.resourceDefaults },
  )
  const state = emptyState(meta, world.options.maintenanceMode)
  if (!world.options.stopOrphanResources) state.managed = false
  const id = resourceId(recorded.id)
  const orphan: PrimitiveDraft = {
    kind: 'primitive',
    id,
    configuredId: id,
    agent,
    meta,
    orphan: true,
    promotable: false,
    parameters: [],
    operations: [],
    utilization: new Map(),
    implicit: false,
    bundled: false,
    state,
    ...(isConnection ? { connectionOf: nodeName(recorded.id) } : {}),
  }
  if (isConnection && !isMember) {
    const node = connectedNode(
      world.nodes,
      nodeName(recorded.id),
      recorded.container === undefined ? 'remote' : 'guest',
    )
    node.connectionResource = orphan
    node.isOrphan = true
    // Nobody knows yet what it runs, nor in which container.
    node.unclean = world.options.startupFencing && world.options.fencingEnabled
    node.unseen = true
  }
  if (agent.class === 'stonith') world.haveFenceDevice = true
  world.primitives.set(id, orphan)
  world.resources.push(orphan)
  return orphan
}

/** The connection of a guest node that is not configured any more: the history knows its container, configured or not. */
export function linkOrphanedContainers(world: World, recorded: RecordedNode): void {
  for (const { id, container } of recorded.resources) {
    if (container === undefined) continue
    const connection = world.primitives.get(resourceId(id))
    const known = world.primitives.get(resourceId(container))
    if (connection?.orphan === true && known !== undefined) connection.container ??= known
  }
}
