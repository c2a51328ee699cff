/**
 * Marks a node for fencing with a reason. A guest node is fenced by restarting its container, a remote node only while
 * its connection is managed; either must be reset before it is connected again (Pacemaker Remote, "Fencing").
 */
import type { NodeDraft } from './drafts.ts'

export function markForFencing(node: NodeDraft, reason: string): void {
  if (node.kind === 'member') {
    if (!node.unclean) node.fencingReasons.push(reason)
    node.unclean = true
    return
  }
  const connection = node.connectionResource
  if (connection?.container !== undefined) {
    const { state } = connection.container
    if (state.failed || !state.managed) return
    node.requiresReset = true
    node.fencingReasons.push(reason)
    state.failed = true
    state.mustStop = true
    return
  }
  if (node.kind === 'guest') {
    // The container was deleted from the configuration: what is left is to drop the connection.
    if (connection !== undefined) {
      connection.state.failed = true
      connection.state.mustStop = true
    }
    return
  }
  node.unclean = true
  if (connection !== undefined && !connection.state.managed) return
  if (!node.requiresReset) node.fencingReasons.push(reason)
  node.requiresReset = true
}
