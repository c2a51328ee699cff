/** Systole's own view of the cluster from this node, as `systole status` shows it. docs/guides/metrics.md describes each. */
import type { Registry } from 'prom-client'
import { holdsIn } from '../../holds/index.ts'
import type { ClusterState } from '../../rpc/index.ts'
import { type ClusterStatus, type NodeStatus, rolesOf } from '../../status/index.ts'
import type { ClusterKnown } from './exporter-metrics.ts'
import { asNumber, gauge, type Sample } from './gauges.ts'

const memberStates: readonly ClusterState['members'][number]['state'][] = [
  'offline',
  'joining',
  'member',
  'leaving',
  'lost',
]
const transitionStates: readonly ClusterState['transition']['state'][] = ['idle', 'computing', 'running', 'blocked']

export function stateMetrics(registry: Registry, state: ClusterState): void {
  nodeMetrics(registry, state)
  storeMetrics(registry, state)
  decisionMetrics(registry, state)
}

function nodeMetrics(registry: Registry, state: ClusterState): void {
  const { clusterName: cluster, localNode, members } = state
  gauge(
    registry,
    { name: 'systole_started', help: 'Whether this node takes part in the cluster', labels: ['cluster', 'node'] },
    [[asNumber(state.started), { cluster, node: localNode }]],
  )
  gauge(registry, { name: 'systole_is_dc', help: 'Whether this node is the DC' }, [
    [asNumber(state.dc !== undefined && state.dc === localNode)],
  ])
  gauge(
    registry,
    { name: 'systole_dc_term', help: 'The term of the present DC, which grows with every election' },
    state.term === undefined ? [] : [[state.term]],
  )
  gauge(
    registry,
    { name: 'systole_node_version_info', help: 'The version of Systole that a node runs', labels: ['node', 'version'] },
    members.flatMap(({ node, daemonVersion }) =>
      daemonVersion === undefined ? [] : [[1, { node, version: daemonVersion }] as const],
    ),
  )
  gauge(
    registry,
    {
      name: 'systole_member_state',
      help: 'Each node in the membership as this node sees it',
      labels: ['node', 'state'],
    },
    members.flatMap(({ node, state: is }) =>
      memberStates.map((one): Sample => [asNumber(one === is), { node, state: one }]),
    ),
  )
  gauge(
    registry,
    { name: 'systole_link_up', help: 'Each link to a node: 0 where it is down', labels: ['node', 'number', 'address'] },
    members.flatMap(({ node, links }) =>
      links.flatMap(({ number, address, state: is }): readonly Sample[] =>
        is === 'unknown' ? [] : [[asNumber(is === 'up'), { node, number: String(number), address }]],
      ),
    ),
  )
}

function storeMetrics(registry: Registry, state: ClusterState): void {
  const { witness, store } = state
  gauge(
    registry,
    { name: 'systole_witness_up', help: 'Whether the witness is heard', labels: ['name'] },
    witness === undefined ? [] : [[asNumber(witness.state === 'up'), { name: witness.name }]],
  )
  gauge(registry, { name: 'systole_store_healthy', help: 'Whether the store of this node answers', labels: ['kind'] }, [
    [asNumber(store.healthy), { kind: store.kind }],
  ])
  gauge(registry, { name: 'systole_store_revision', help: 'The revision of the store that this node has seen' }, [
    [state.revision],
  ])
  gauge(
    registry,
    { name: 'systole_configuration_version', help: 'The version of the configuration that this node has seen' },
    [[state.configVersion]],
  )
}

function decisionMetrics(registry: Registry, state: ClusterState): void {
  const { transition } = state
  gauge(registry, { name: 'systole_transition_number', help: 'How many transitions this DC has begun' }, [
    [transition.number],
  ])
  gauge(
    registry,
    { name: 'systole_transition_state', help: 'The present state of the DC, with 1', labels: ['state'] },
    transitionStates.map((one) => [asNumber(one === transition.state), { state: one }]),
  )
  gauge(registry, { name: 'systole_transition_pending_actions', help: 'The actions under way or waiting' }, [
    [transition.pending.length],
  ])
  gauge(registry, { name: 'systole_blocked_resources', help: 'How many resources wait for an administrator' }, [
    [transition.blockedResources.length],
  ])
  gauge(
    registry,
    {
      name: 'systole_fencing_actions',
      help: 'The fencing actions in the history, by node and outcome',
      labels: ['target', 'outcome'],
    },
    fencingSamples(state),
  )
  gauge(
    registry,
    { name: 'systole_notes', help: 'How many notes for an administrator `systole status` shows on this node' },
    [[state.notes.length]],
  )
  gauge(
    registry,
    { name: 'systole_token_seconds', help: 'The silence after which a node is suspected' },
    state.tokenMs === undefined ? [] : [[state.tokenMs / 1000]],
  )
}

function fencingSamples({ fencing }: ClusterState): readonly Sample[] {
  const counts = new Map<string, { readonly target: string; readonly outcome: string; count: number }>()
  for (const { target, outcome } of fencing) {
    const key = JSON.stringify([target, outcome])
    const known = counts.get(key) ?? { target, outcome, count: 0 }
    known.count += 1
    counts.set(key, known)
  }
  return [...counts.values()].map(({ count, target, outcome }) => [count, { target, outcome }])
}

export function configurationMetrics(registry: Registry, { cib, status }: ClusterKnown): void {
  gauge(
    registry,
    { name: 'systole_node_role', help: 'The roles of each node', labels: ['node', 'role'] },
    status.nodes.flatMap((node) => rolesOf(node).map((role): Sample => [1, { node: node.name, role }])),
  )
  roleMetrics(registry, status)
  gauge(registry, { name: 'systole_holds', help: 'How many holds are in force' }, [[holdsIn(cib).length]])
  gauge(registry, { name: 'systole_failed_operations', help: 'The failed operations that status lists' }, [
    [status.failures.length],
  ])
}

/** By role what the others have by node, so that a role without a node left can be seen without joining. */
function roleMetrics(registry: Registry, status: ClusterStatus): void {
  const roles = [...new Set(status.nodes.flatMap(rolesOf))].toSorted()
  const nodesOf = (role: string): readonly NodeStatus[] => status.nodes.filter((node) => rolesOf(node).includes(role))
  const isAvailable = ({ online, standby, maintenance, unclean, pending, shutdown }: NodeStatus): boolean =>
    online && !standby && !maintenance && !unclean && !pending && !shutdown
  gauge(
    registry,
    {
      name: 'systole_role_nodes',
      help: 'How many nodes of each role there are, are online, and may run resources (available)',
      labels: ['role', 'status'],
    },
    roles.flatMap((role): readonly Sample[] => {
      const nodes = nodesOf(role)
      return [
        [nodes.length, { role, status: 'all' }],
        [nodes.filter(({ online }) => online).length, { role, status: 'online' }],
        [nodes.filter(isAvailable).length, { role, status: 'available' }],
      ]
    }),
  )
  gauge(
    registry,
    {
      name: 'systole_role_active_resources',
      help: 'On how many nodes of each role a resource is active',
      labels: ['role', 'resource'],
    },
    roles.flatMap((role) => {
      const names = new Set(nodesOf(role).map(({ name }) => String(name)))
      const counts = new Map<string, number>()
      for (const { instance, id, configuredId, state } of status.primitivesById.values()) {
        const resource = instance?.unique === true ? id : configuredId
        const here = state.active.filter(({ node }) => names.has(node)).length
        if (here > 0) counts.set(resource, (counts.get(resource) ?? 0) + here)
      }
      return [...counts].map(([resource, count]): Sample => [count, { role, resource }])
    }),
  )
}
