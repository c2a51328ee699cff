/**
 * The cluster by the names and labels of ha_cluster_exporter (its doc/metrics.md), so that dashboards and rules that were made for Pacemaker work.
 * As there, INFINITY is infinite, and each node and resource has a line for each status that it may have.
 */
import type { Registry } from 'prom-client'
import {
  childElement,
  childElements,
  configurationElement,
  INFINITY_SCORE,
  type IsSecret,
  secretNames,
  type XmlElement,
} from '../../cib/index.ts'
import type { ClusterState } from '../../rpc/index.ts'
import {
  type ClusterStatus,
  isActive,
  type NodeStatus,
  type PrimitiveResource,
  partsOf,
  type Resource,
  roleOrChange,
} from '../../status/index.ts'
import { publicAttributes } from '../facts/status-facts.ts'
import { asNumber, gauge, type Labels, type Sample, statuses } from './gauges.ts'

export interface ClusterKnown {
  readonly cib: XmlElement
  readonly status: ClusterStatus
}

export function pacemakerMetrics(registry: Registry, known: ClusterKnown, state: ClusterState | undefined): void {
  const { cib, status } = known
  const changed = Date.parse(cib.attributes['cib-last-written'] ?? '')
  const resources = status.resources.flatMap((resource) => resourceSamples(status, resource, { clone: '', group: '' }))
  const name = (metric: string): string => `ha_cluster_pacemaker_${metric}`
  gauge(
    registry,
    {
      name: name('config_last_change'),
      help: 'When the configuration was last changed, in seconds since the epoch',
    },
    Number.isNaN(changed) ? [] : [[changed / 1000]],
  )
  gauge(registry, { name: name('stonith_enabled'), help: 'Whether fencing is enabled' }, [
    [asNumber(status.options.fencingEnabled)],
  ])
  gauge(
    registry,
    {
      name: name('nodes'),
      help: 'The status of each node: 1 where the node has that status, 0 where it has not',
      labels: ['node', 'type', 'status'],
    },
    status.nodes.flatMap((node) => nodeSamples(cib, node, state)),
  )
  gauge(
    registry,
    { name: name('node_attributes'), help: 'The attributes of each node', labels: ['node', 'name', 'value'] },
    attributeSamples(status, secretNames(cib)),
  )
  gauge(
    registry,
    {
      name: name('resources'),
      help: 'The status of each resource: 1 where the resource has that status, 0 where it has not',
      labels: ['node', 'resource', 'role', 'managed', 'status', 'agent', 'group', 'clone'],
    },
    resources,
  )
  const labels = ['node', 'resource']
  gauge(registry, { name: name('fail_count'), help: 'The fail count of each resource on each node', labels }, [
    ...histories(status, (resource, node) => resource.state.failCounts.get(node)?.count ?? 0),
  ])
  gauge(
    registry,
    { name: name('migration_threshold'), help: 'The migration-threshold of each resource on each node', labels },
    [...histories(status, ({ meta }) => meta.migrationThreshold, false)],
  )
  gauge(
    registry,
    {
      name: name('location_constraints'),
      help: 'The score of each location constraint of a resource and a node',
      labels: ['constraint', 'node', 'resource', 'role'],
    },
    locationSamples(cib),
  )
}

function nodeSamples(cib: XmlElement, node: NodeStatus, state: ClusterState | undefined): readonly Sample[] {
  const holds = {
    online: node.online,
    standby: node.standby || node.pending,
    standby_onfail: node.standbyOnFail,
    maintenance: node.maintenance,
    pending: node.pending,
    unclean: node.unclean,
    shutdown: node.shutdown,
    expected_up: isExpected(cib, node),
    dc: state === undefined ? node.isDc : state.dc === node.name,
  }
  return statuses(holds, { node: node.name, type: node.kind === 'member' ? 'member' : 'remote' })
}

/** As its record says, until it begins to shut down. */
function isExpected(cib: XmlElement, node: NodeStatus): boolean {
  const section = childElement(cib, 'status')
  const states = section === undefined ? [] : childElements(section, 'node_state')
  const own = states.find(({ attributes }) => attributes.uname === node.name)
  return node.kind === 'member' && !node.shutdown && own?.attributes.expected === 'member'
}

/** A name that is secret has stars for its value, as everywhere. */
function attributeSamples(status: ClusterStatus, isSecret: IsSecret): readonly Sample[] {
  return status.nodes.flatMap((node) =>
    publicAttributes(node, isSecret)
      // The cluster's own, such as #uname, are for rules.
      .filter(([name]) => !name.startsWith('#'))
      .map(([name, value]): Sample => [1, { node: node.name, name, value }]),
  )
}

interface Around {
  readonly clone: string
  readonly group: string
}

function resourceSamples(status: ClusterStatus, resource: Resource, around: Around): readonly Sample[] {
  if (resource.kind === 'primitive') return primitiveSamples(status, resource, around)
  const inner = {
    clone: resource.kind === 'clone' || resource.kind === 'bundle' ? resource.id : around.clone,
    group: resource.kind === 'group' ? resource.id : around.group,
  }
  return partsOf(resource).flatMap((part) => resourceSamples(status, part, inner))
}

/** Instances of a clone are told apart by their nodes: those that are stopped have one line together. */
function primitiveSamples(status: ClusterStatus, resource: PrimitiveResource, around: Around): readonly Sample[] {
  const { agent, state } = resource
  const nodes: readonly string[] = state.active.length === 0 ? [''] : state.active.map(({ node }) => node)
  const holds = {
    active: isActive(status, resource),
    orphaned: resource.orphan,
    blocked: state.blocked,
    failed: state.failed,
    failure_ignored: state.failureIgnored,
  }
  const labels: Labels = {
    resource: resource.instance?.unique === true ? resource.id : resource.configuredId,
    role: roleOrChange(resource).toLowerCase(),
    managed: String(state.managed),
    agent: [agent.class, ...(agent.provider === undefined ? [] : [agent.provider]), agent.type].join(':'),
    ...around,
  }
  return nodes.flatMap((node) => statuses(holds, { ...labels, node }))
}

/** Each resource on each node where it has a history. */
function histories(
  status: ClusterStatus,
  measure: (resource: PrimitiveResource, node: NodeStatus['name']) => number,
  isInfinite = true,
): readonly Sample[] {
  const byLabels = new Map<string, Sample>()
  for (const resource of status.primitivesById.values())
    for (const node of resource.state.history.keys()) {
      const value = Math.min(measure(resource, node), INFINITY_SCORE)
      const told = isInfinite && value === INFINITY_SCORE ? Number.POSITIVE_INFINITY : value
      const name = resource.instance?.unique === true ? resource.id : resource.configuredId
      byLabels.set(JSON.stringify([node, name]), [told, { node, resource: name }])
    }
  return [...byLabels.values()]
}

function locationSamples(cib: XmlElement): readonly Sample[] {
  const section = childElement(configurationElement(cib), 'constraints')
  const written = section === undefined ? [] : childElements(section, 'rsc_location')
  return written.flatMap(({ attributes }): readonly Sample[] => {
    const { id = '', node, rsc = '', role = 'Started', score } = attributes
    if (node === undefined || score === undefined) return []
    return [[scoreValue(score), { constraint: id, node, resource: rsc, role: role.toLowerCase() }]]
  })
}

function scoreValue(text: string): number {
  const infinite = /^([+-]?)INFINITY$/i.exec(text)
  if (infinite) return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  return Number.parseInt(text, 10) || 0
}

export function corosyncMetrics(registry: Registry, state: ClusterState, idOf: (node: string) => string): void {
  const { votes, members, localNode } = state
  const name = (metric: string): string => `ha_cluster_corosync_${metric}`
  const here = ({ state: is }: ClusterState['members'][number]): boolean => is !== 'offline' && is !== 'lost'
  gauge(registry, { name: name('quorate'), help: 'Whether this node has quorum' }, [[asNumber(state.quorate)]])
  gauge(registry, { name: name('quorum_votes'), help: 'The votes of the cluster, by type', labels: ['type'] }, [
    [votes.expected, { type: 'expected_votes' }],
    [votes.expected, { type: 'highest_expected' }],
    [votes.present, { type: 'total_votes' }],
    [votes.needed, { type: 'quorum' }],
  ])
  gauge(
    registry,
    { name: name('member_votes'), help: 'The vote of each member', labels: ['node_id', 'node', 'local'] },
    members
      .filter(here)
      .map((member) => [
        asNumber(member.votes),
        { node_id: idOf(member.node), node: member.node, local: String(member.node === localNode) },
      ]),
  )
  const own = members.find(({ node }) => node === localNode)
  const rings = own?.links ?? []
  const id = idOf(localNode)
  gauge(
    registry,
    { name: name('ring_errors'), help: 'The number of links of this node that are down' },
    own === undefined ? [] : [[rings.filter(({ state: is }) => is === 'down').length]],
  )
  gauge(
    registry,
    {
      name: name('rings'),
      help: 'Each link of this node: 0 where it is down',
      labels: ['ring_id', 'node_id', 'number', 'address'],
    },
    rings.map(({ number, address, state: is }) => [
      asNumber(is !== 'down'),
      { ring_id: `${id}.1`, node_id: id, number: String(number), address },
    ]),
  )
}

/** `unhealthy`: this node says of the disk that it cannot be read. */
export function sbdMetrics(registry: Registry, { members, localNode, notes }: ClusterState): void {
  const disks = members.find(({ node }) => node === localNode)?.sbdDisks ?? []
  gauge(
    registry,
    { name: 'ha_cluster_sbd_devices', help: 'The shared disks of this node', labels: ['device', 'status'] },
    disks.map((device) => [
      1,
      { device, status: notes.some((note) => note.includes(device)) ? 'unhealthy' : 'healthy' },
    ]),
  )
}
