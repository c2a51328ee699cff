/** `pcs status` in the layout that scripts look into: cluster name, summary, nodes, resources, daemons. */
import type { ClusterState } from '../../../rpc/index.ts'
import type { ClusterStatus } from '../../../status/index.ts'
import type { Call } from '../../command.ts'
import { nodeLines, resourceLines } from '../../status-view.ts'
import { isUnitEnabled } from '../../unit-enabled.ts'

export function pcsLayout(call: Call, status: ClusterStatus, state: ClusterState | undefined): readonly string[] {
  const old = call.speech.dialect === '0.9'
  const summary = pcsSummary(call, status, state)
  const resources = resourceLines(status, call.speech)
  const name = state === undefined ? [] : [`Cluster name: ${state.clusterName}`]
  const notes = state && !state.started ? ['The cluster is not started on this node.'] : []
  const listed = resources.length === 0 ? [old ? ' No resources' : '  * No resources'] : resources
  if (old)
    return [
      ...name,
      ...notes,
      ...summary,
      '',
      ...nodeLines(status, call.speech),
      '',
      'Full list of resources:',
      '',
      ...listed,
    ]
  return [
    ...name,
    ...notes,
    'Cluster Summary:',
    ...summary.map((line) => `  * ${line}`),
    '',
    'Node List:',
    ...nodeLines(status, call.speech),
    '',
    'Full List of Resources:',
    ...listed,
  ]
}

/** The lines of the cluster's summary, without their bullets. */
export function pcsSummary(call: Call, status: ClusterStatus, state: ClusterState | undefined): readonly string[] {
  const dc = state?.dc ?? status.nodes.find(({ isDc }) => isDc)?.name
  const partition = (state?.quorate ?? status.haveQuorum) ? 'with quorum' : 'WITHOUT quorum'
  const members = status.nodes.filter(({ isBundleNode }) => !isBundleNode).length
  return [
    'Stack: systole',
    dc === undefined
      ? 'Current DC: NONE'
      : `Current DC: ${dc} (version ${versionOf(state, dc)}) - partition ${partition}`,
    `Last updated: ${call.terminal.now().toUTCString()}`,
    `${members} ${members === 1 ? 'node' : 'nodes'} configured`,
    `${status.primitivesById.size} resource instances configured`,
  ]
}

function versionOf(state: ClusterState | undefined, dc: string): string {
  return state?.members.find(({ node }) => node === dc)?.daemonVersion ?? 'unknown'
}

/** Nothing but the daemon itself: what runs beside it is its own. */
export async function daemonStatus(state: ClusterState | undefined): Promise<readonly string[]> {
  if (state === undefined) return []
  const enabled = state.enabled && (await isUnitEnabled('systoled.service')) !== false
  return ['Daemon Status:', `  systoled: active/${enabled ? 'enabled' : 'disabled'}`, '']
}
