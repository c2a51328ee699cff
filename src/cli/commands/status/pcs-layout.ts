/** `pcs status` in the layout that scripts look into: what crm_mon prints of nodes, resources and failures, between the cluster's name and the daemons. */
import type { XmlElement } from '../../../cib/index.ts'
import type { ClusterState } from '../../../rpc/index.ts'
import type { ClusterStatus } from '../../../status/index.ts'
import { crmMonSections, fencingEvent, printText, type TextSection } from '../../../tools/index.ts'
import type { Call } from '../../call/command.ts'
import { nodeLines, resourceLines } from '../../facts/status-view.ts'
import { secondsOf } from '../../host/host-time.ts'
import { isUnitEnabled } from '../../host/unit-enabled.ts'

export async function pcsLayout(
  call: Call,
  {
    cib,
    state,
    warnings,
  }: { readonly cib: XmlElement; readonly state: ClusterState | undefined; readonly warnings: readonly string[] },
): Promise<string> {
  const options = [
    ...(call.flags.has('hide-inactive') ? [] : ['inactive']),
    ...(call.flags.has('full') ? ['show-detail', 'show-node-attributes', 'failcounts', 'tickets'] : []),
  ]
  const head = [
    ...(state === undefined ? [] : [`Cluster name: ${state.clusterName}`]),
    ...(warnings.length === 0 ? [] : ['', 'WARNINGS:', ...warnings, '']),
  ]
  const sections = await monitored(call, { cib, state }, options)
  const daemons = call.flags.has('full') ? await pcsdStatus(call, state) : []
  return [...head, printText(sections), ...daemons, ...(await daemonStatus(state))].join('\n')
}

/** Whether the daemon of each node answers, under the name by which pcs knows it. */
export async function pcsdStatus(call: Call, state: ClusterState | undefined): Promise<readonly string[]> {
  if (state === undefined) return []
  const told = await call.runOn(['status', 'pcsd'], call.cluster)
  return told.kind === 'done' ? [`PCSD Status:\n${told.text}`] : []
}

/** "Cluster Summary" and the sections after it. */
export async function monitored(
  call: Call,
  { cib, state }: { readonly cib: XmlElement; readonly state: ClusterState | undefined },
  options: readonly string[],
): Promise<readonly TextSection[]> {
  const now = secondsOf(call.terminal.now())
  const fencing = (state?.fencing ?? []).map(fencingEvent)
  return await crmMonSections({ cib, isCluster: state !== undefined, now, fencing }, options)
}

/** Of pcs before 0.11. */
export function oldLayout(call: Call, status: ClusterStatus, state: ClusterState | undefined): readonly string[] {
  const resources = resourceLines(status, call.speech)
  return [
    ...(state === undefined ? [] : [`Cluster name: ${state.clusterName}`]),
    ...oldSummary(call, status, state),
    '',
    ...nodeLines(status, call.speech),
    '',
    'Full list of resources:',
    '',
    ...(resources.length === 0 ? [' No resources'] : resources),
  ]
}

/** The lines of the cluster's summary, without their bullets. */
export function oldSummary(call: Call, status: ClusterStatus, state: ClusterState | undefined): readonly string[] {
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
