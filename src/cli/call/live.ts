/** For commands that only a running cluster can answer. */
import type { ClusterState, LocalClient } from '../../rpc/index.ts'
import { type Call, Refusal } from './command.ts'

export function liveCluster(call: Call): LocalClient {
  if (call.cluster.live) return call.cluster.live
  throw new Refusal({
    own: `'systole ${call.command.path.join(' ')}' needs a running cluster. Omit -f.`,
    about: { code: 'needs-running-cluster' },
  })
}

/** What this node knows of the cluster now. Where it takes no part it knows nothing that an answer could rest on. */
export async function startedCluster(call: Call): Promise<ClusterState> {
  const state = await liveCluster(call).getState({ askStore: true })
  if (!state.configured) throw new Refusal('This host does not belong to a cluster yet.')
  if (!state.started) throw new Refusal('The cluster is not started on this node: run `systole cluster start`.')
  return state
}
