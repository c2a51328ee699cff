/** What becomes of the connection to a remote or guest node, as far as actions on that node are concerned. */
import type { NodeStatus } from '../../../status/index.ts'
import { currentNode } from '../draft/current-node.ts'
import { type Drafting, isUnclean } from '../draft/draft.ts'
import type { PlannedPrimitive } from '../draft/planned-resource.ts'
import { migrationUnderWay } from '../draft/under-way.ts'

export type ConnectionState =
  /** It is up and will be. */
  | 'alive'
  /** It is down, or has to be made again, and will be up. */
  | 'resting'
  /** It failed and is down until its node was fenced: nobody can tell. */
  | 'unknown'
  /** It failed and will not be made again. */
  | 'failed'
  /** It is, or goes, down on purpose. */
  | 'stopped'

export function connectionState(draft: Drafting, connection: PlannedPrimitive, node: NodeStatus): ConnectionState {
  const { state, reconnectIntervalMs } = connection.resource
  const { nextRole, node: target } = connection.assigned
  const host = currentNode(draft, connection)
  if (nextRole === 'Stopped' || target === undefined) {
    if (host && isUnclean(draft, host)) return 'failed'
    if (!state.failed) return 'stopped'
    if (nextRole === 'Stopped' && reconnectIntervalMs && node.fenced && !isShuttingDown(draft, node)) return 'unknown'
    return 'failed'
  }
  if (!host) return 'resting'
  if (isUnclean(draft, host) || !host.online) return 'resting'
  if (state.active.length > 1 && migrationUnderWay(draft, connection)) return 'resting'
  return 'alive'
}

/** Asked to, that is; a node that merely loses its connection is not. */
const isShuttingDown = (draft: Drafting, { name }: NodeStatus): boolean =>
  draft.status.nodesByName.get(name)?.shutdown === true
