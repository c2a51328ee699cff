import type { ClusterState } from '../../../rpc/index.ts'
import {
  type ClusterStatus,
  describeExitCode,
  type FailedOperation,
  printClusterStatus,
  remarksOn,
} from '../../../status/index.ts'
import { type Call, type Command, done, type Outcome } from '../../command.ts'
import { nodeFacts, resourceFacts } from '../../status-facts.ts'
import { select, statusOf } from '../../status-view.ts'
import { expectWords } from '../../words.ts'
import { describeFencing, unresolved } from '../stonith/history.ts'
import { daemonStatus, pcsLayout } from './pcs-layout.ts'

export const status: Command = {
  path: ['status'],
  aliases: [['status', 'status']],
  usage: '[--full] [--hide-inactive]',
  summary: 'Show nodes, resources, failures, fencing and what the cluster is doing',
  details: 'Of a node without quorum it is what this node last knew; the first lines say so.',
  flags: [
    { name: 'full', summary: 'Also node attributes and fail counts' },
    { name: 'hide-inactive', summary: 'Leave out resources that run nowhere' },
  ],
  run: (call) => showStatus(call),
}

async function showStatus(call: Call): Promise<Outcome> {
  expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'status [--full] [--hide-inactive]' })
  const state = await call.cluster.live?.getState({})
  if (state && !state.configured)
    return done(unconfigured, { configured: false, nodes: [], resources: [], quorum: null, fencing: [] })
  const { cib } = await call.cluster.readCib()
  const all = statusOf(call, cib)
  const read = call.flags.has('hide-inactive') ? select(all, { ids: [], hideInactive: true, keep: () => true }) : all
  const rest = [...problems(read, state), ...(call.flags.has('full') ? details(read) : [])]
  const text =
    call.speech.program === 'pcs'
      ? [...pcsLayout(call, read, state), '', ...rest, ...(await daemonStatus(state))]
      : [...heading(state), printClusterStatus(read), ...rest]
  return done(text.join('\n'), {
    configured: true,
    cluster: state?.clusterName ?? null,
    quorum: { quorate: state?.quorate ?? read.haveQuorum, votes: state?.votes ?? null },
    dc: state?.dc ?? null,
    nodes: read.nodes.map((node) => nodeFacts(node, state)),
    resources: resourceFacts(read.resources),
    failures: read.failures,
    remarks: read.resources.flatMap(remarksOn),
    fencing: state?.fencing ?? [],
    transition: state?.transition ?? null,
    notes: state?.notes ?? [],
  })
}

const unconfigured = `This host belongs to no cluster yet.
Make one with 'systole cluster setup', or join one with the line that setup printed on another node.
`

function heading(state: ClusterState | undefined): readonly string[] {
  if (!state) return []
  const { votes } = state
  const quorum = state.quorate ? 'quorate' : 'WITHOUT QUORUM'
  return [
    `Cluster ${state.clusterName}: ${quorum} (${votes.present} of ${votes.expected} votes), DC ${state.dc ?? 'none'}, configuration ${state.configVersion}`,
    ...(state.started ? [] : ['The cluster is not started on this node: systole cluster start']),
    ...(state.quorate ? [] : ['What follows is what this node last knew.']),
    ...(state.store.healthy ? [] : [`The store is not healthy: ${state.store.message ?? 'no reason given'}`]),
    doing(state),
    '',
  ]
}

function doing({ transition }: ClusterState): string {
  switch (transition.state) {
    case 'idle':
      return 'Nothing is left to do.'
    case 'computing':
      return 'Deciding what to do.'
    case 'running':
      return `Doing: ${transition.pending.join(', ')}`
    case 'blocked':
      return `Blocked: ${transition.blockedBy.join('; ')}`
  }
}

function problems(read: ClusterStatus, state: ClusterState | undefined): readonly string[] {
  const failures = read.failures.map((failure) => `  * ${describeFailure(failure)}`)
  const remarks = read.resources
    .flatMap(remarksOn)
    .map(({ resource, node, text }) => `  * ${resource} on ${node}: ${text}`)
  const fencing = unresolved(state?.fencing ?? []).map((record) => `  * ${describeFencing(record)}`)
  return [
    ...(failures.length > 0 ? ['Failed Resource Actions:', ...failures, ''] : []),
    ...(remarks.length > 0 ? ['Remarks on Resources:', ...remarks, ''] : []),
    ...(fencing.length > 0 ? ['Failed or Pending Fencing:', ...fencing, ''] : []),
    ...(state?.notes ?? []).map((note) => `Note: ${note}`),
  ]
}

export function describeFailure(failure: FailedOperation): string {
  const when = failure.lastChange === undefined ? '' : ` at ${new Date(failure.lastChange * 1000).toISOString()}`
  const why = failure.exitReason === '' ? '' : `: ${failure.exitReason}`
  const interval = failure.intervalMs > 0 ? ` every ${failure.intervalMs / 1000} s` : ''
  const timedOut = failure.status === '2' ? 'timed out' : `${describeExitCode(failure.exitCode)} (${failure.exitCode})`
  return `${failure.resource} ${failure.operation}${interval} on ${failure.node}${when}: ${timedOut}${why}`
}

function details(read: ClusterStatus): readonly string[] {
  const attributes = read.nodes.flatMap(({ name, attributes: pairs }) => {
    const own = [...pairs].filter(([attribute]) => !attribute.startsWith('#'))
    return own.length === 0
      ? []
      : [`  * ${name}: ${own.map(([attribute, value]) => `${attribute}=${value}`).join(' ')}`]
  })
  const counts = resourceFacts(read.resources).flatMap(({ id, failCounts }) =>
    Object.entries(failCounts).map(([node, count]) => `  * ${id} on ${node}: ${count}`),
  )
  return [
    ...(attributes.length > 0 ? ['Node Attributes:', ...attributes, ''] : []),
    ...(counts.length > 0 ? ['Fail Counts:', ...counts, ''] : []),
  ]
}
