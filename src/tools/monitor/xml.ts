/**
 * crm_mon in XML, with nothing besides what `apiVersion` of Pacemaker's API describes: pcs refuses a status with anything more. Agents
 * find their line with grep, so that the order of the attributes and one line an element are part of the contract:
 * `<resource id=… role=… active=… orphaned=… failed=…>`.
 */
import { element, INFINITY_SCORE, type XmlElement } from '../../cib/index.ts'
import {
  type ClusterStatus,
  type FailedOperation,
  type HistoryEntry,
  isActive,
  type NodeStatus,
  type PrimitiveResource,
  primitivesIn,
  type Resource,
  replicaParts,
  roleOrChange,
} from '../../status/index.ts'
import { nodeState } from '../cib/tree.ts'
import { describeExit } from '../exit-codes.ts'
import { agentText, knownTickets, shownId } from '../status-of.ts'
import { bansOf } from './bans.ts'
import {
  attributesOf,
  countedPrimitives,
  dcOf,
  failedEntry,
  failureTime,
  featureSetOf,
  historyOf,
  isDisabled,
  isMixed,
  type MonitorFacts,
  type NodeHistory,
  type ResourceHistory,
  recordingNodes,
  runningOn,
  stackOf,
  taskOf,
  toldFailures,
  versionOf,
} from './facts.ts'
import { narrowed } from './narrowed.ts'
import { statusWord } from './outcome-words.ts'
import type { Shown } from './sections.ts'
import { ctime } from './times.ts'

/** The sections of the result that are shown and that have something in them. */
export function monitorElements(all: MonitorFacts, shown: Shown): readonly XmlElement[] {
  const facts = narrowed(all, shown)
  const { status } = facts
  const { nodes } = status
  const { sections } = shown
  const some = (name: string, children: readonly XmlElement[], attributes = {}): readonly XmlElement[] =>
    children.length === 0 ? [] : [element(name, attributes, children)]
  return [
    ...some('summary', summary(all, shown)),
    ...(sections.has('nodes')
      ? [
          element(
            'nodes',
            {},
            nodes.map((node) => nodeElement(facts, node, shown)),
          ),
        ]
      : []),
    ...(sections.has('resources') ? resourcesSection(facts, shown) : []),
    ...(sections.has('attributes')
      ? some(
          'node_attributes',
          nodes.flatMap((node) => attributeElements(all, node)),
        )
      : []),
    ...((sections.has('operations') || sections.has('failcounts')) && recordingNodes(facts).length > 0
      ? [
          element(
            'node_history',
            {},
            historyOf(facts).map((one) => historyElement(one, shown)),
          ),
        ]
      : []),
    ...(sections.has('failures')
      ? some(
          'failures',
          toldFailures(facts).map((one) => failureElement(facts, one)),
        )
      : []),
    ...(sections.has('fencing') ? some('fence_history', facts.fencing.map(fenceEventElement), { status: '0' }) : []),
    ...(sections.has('tickets') ? some('tickets', knownTickets(status).map(ticketElement)) : []),
    ...(sections.has('bans') ? some('bans', bansOf(all, shown).map(banElement)) : []),
  ]
}

/** Where one was asked for that is not there, it is told that there is none. */
function resourcesSection(facts: MonitorFacts, shown: Shown): readonly XmlElement[] {
  const found = resources(facts, shown)
  return found.length > 0 || shown.resource !== undefined ? [element('resources', {}, found)] : []
}

function resources({ status, isTold }: MonitorFacts, { byNode }: Shown): readonly XmlElement[] {
  return status.resources
    .filter((one) => isTold === undefined || primitivesIn(one).some(isTold))
    .filter((one) => !byNode || primitivesIn(one).some((inner) => !isActive(status, inner)))
    .filter((one) => !(one.kind === 'primitive' && one.orphan && one.state.active.length === 0))
    .map((one) => resourceElement(status, one, isTold))
}

function summary(facts: MonitorFacts, { sections }: Shown): readonly XmlElement[] {
  const { status, cib } = facts
  const counted = countedPrimitives(status)
  const { attributes } = cib
  const changed = attributes['cib-last-written']
  const { options } = status
  return [
    ...(sections.has('stack') ? [element('stack', { type: stackOf(facts) })] : []),
    ...(sections.has('dc') || dcOf(facts) === undefined ? [dcElement(facts)] : []),
    ...(sections.has('times')
      ? [
          element('last_update', { time: ctime(facts.now) }),
          element('last_change', {
            time: changed ?? '',
            user: attributes['update-user'] ?? '',
            client: attributes['update-client'] ?? '',
            origin: attributes['update-origin'] ?? '',
          }),
        ]
      : []),
    ...(sections.has('counts')
      ? [
          element('nodes_configured', { number: String(status.nodes.length) }),
          element('resources_configured', {
            number: String(counted.length),
            disabled: String(counted.filter(isDisabled).length),
            blocked: String(counted.filter(({ state }) => state.blocked).length),
          }),
        ]
      : []),
    ...(sections.has('options')
      ? [
          element('cluster_options', {
            'stonith-enabled': String(options.fencingEnabled),
            'symmetric-cluster': String(options.symmetricCluster),
            'no-quorum-policy': options.noQuorumPolicy === 'ignore' ? 'ignore' : options.noQuorumPolicy,
            'maintenance-mode': String(options.maintenanceMode),
            'stop-all-resources': String(options.stopAllResources),
            'stonith-timeout-ms': String(options.fencingTimeoutMs),
            'priority-fencing-delay-ms': String(options.priorityFencingDelayMs),
          }),
        ]
      : []),
  ]
}

function dcElement(facts: MonitorFacts): XmlElement {
  const dc = dcOf(facts)
  if (dc === undefined) return element('current_dc', { present: 'false' })
  return element('current_dc', {
    present: 'true',
    version: versionOf(facts) ?? '',
    name: dc.name,
    id: dc.id,
    with_quorum: String(facts.status.haveQuorum),
    mixed_version: String(isMixed(facts.status)),
  })
}

/** As its record says, until it begins to shut down. */
function isExpected(cib: XmlElement, node: NodeStatus): boolean {
  return node.kind === 'member' && !node.shutdown && nodeState(cib, node.name)?.attributes.expected === 'member'
}

function nodeElement(facts: MonitorFacts, node: NodeStatus, shown: Shown): XmlElement {
  const { status, cib, isTold = () => true } = facts
  const running = runningOn(status, cib, node)
  const featureSet = featureSetOf(node)
  const attributes = {
    name: node.name,
    id: node.id,
    online: String(node.online),
    standby: String(node.standby || node.pending),
    standby_onfail: String(node.standbyOnFail),
    maintenance: String(node.maintenance),
    pending: String(node.pending),
    unclean: String(node.unclean),
    health: node.health,
    ...(featureSet === undefined ? {} : { feature_set: featureSet }),
    shutdown: String(node.shutdown),
    expected_up: String(isExpected(cib, node)),
    is_dc: String(node.isDc),
    resources_running: String(running.length),
    type: node.kind === 'member' ? 'member' : 'remote',
    ...(node.container === undefined ? {} : { id_as_resource: node.container }),
  }
  return element(
    'node',
    attributes,
    shown.byNode ? running.filter(isTold).map((one) => primitiveElement(status, one)) : [],
  )
}

export function resourceElement(
  status: ClusterStatus,
  resource: Resource,
  isTold: (resource: PrimitiveResource) => boolean = () => true,
): XmlElement {
  const disabled = resource.meta.targetRole === 'Stopped'
  const isInMaintenance = resource.meta.maintenance || status.options.maintenanceMode
  const kept = { managed: String(resource.meta.managed && !isInMaintenance) }
  const { id } = resource
  switch (resource.kind) {
    case 'primitive':
      return primitiveElement(status, resource)
    case 'group': {
      const members = resource.members.filter(isTold)
      return element(
        'group',
        { id, number_resources: String(resource.members.length), ...kept, disabled: String(disabled) },
        members.map((member) => primitiveElement(status, member)),
      )
    }
    case 'clone': {
      const [first] = resource.instances
      // Where it has none itself, that of what it has instances of is told.
      const targetRole = resource.meta.targetRole ?? (first?.kind === 'primitive' ? first.meta.targetRole : undefined)
      const attributes = {
        id,
        multi_state: String(resource.promotable),
        unique: String(resource.unique),
        ...kept,
        disabled: String(disabled),
        // Of itself: what its instances failed is told of them.
        failed: 'false',
        failure_ignored: 'false',
        ...(targetRole === undefined ? {} : { target_role: targetRole }),
      }
      return element(
        'clone',
        attributes,
        resource.instances
          .filter((instance) => primitivesIn(instance).some(isTold))
          .map((instance) => resourceElement(status, instance, isTold)),
      )
    }
    case 'bundle': {
      const { technology, attributes } = resource.definition.container
      const replicas = resource.replicas.flatMap((replica) => {
        const parts = replicaParts(replica).filter(isTold)
        const told = parts.map((part) => primitiveElement(status, part))
        return told.length === 0 ? [] : [element('replica', { id: String(replica.number) }, told)]
      })
      const about = {
        id,
        type: technology,
        image: attributes.image ?? '',
        unique: String(resource.replicasPerHost > 1),
      }
      return element('bundle', { ...about, ...kept, failed: 'false' }, replicas)
    }
  }
}

const pendingWords: Readonly<Record<string, string>> = {
  start: 'Starting',
  stop: 'Stopping',
  migrate_to: 'Migrating',
  migrate_from: 'Migrating',
  promote: 'Promoting',
  demote: 'Demoting',
  monitor: 'Monitoring',
}

function primitiveElement(status: ClusterStatus, resource: PrimitiveResource): XmlElement {
  const { state, meta } = resource
  const pending = state.pending && pendingWords[state.pending.operation]
  const attributes = {
    id: shownId(resource),
    resource_agent: agentText(resource),
    role: roleOrChange(resource),
    ...(meta.targetRole === undefined ? {} : { target_role: meta.targetRole }),
    active: String(isActive(status, resource)),
    orphaned: String(resource.orphan),
    blocked: String(state.blocked),
    managed: String(state.managed),
    failed: String(state.failed),
    failure_ignored: String(state.failureIgnored),
    nodes_running_on: String(state.active.length),
    ...(pending === undefined ? {} : { pending }),
    ...(state.shutdownLock === undefined || state.active.length > 0 ? {} : { locked_to: state.shutdownLock.node }),
  }
  const places = state.active.map(({ node }) => {
    const known = status.nodesByName.get(node)
    return element('node', { name: node, id: known?.id ?? node, cached: String(known?.online ?? false) })
  })
  return element('resource', attributes, places)
}

function attributeElements(facts: MonitorFacts, node: NodeStatus): readonly XmlElement[] {
  const attributes = node.online ? attributesOf(facts, node) : []
  if (attributes.length === 0) return []
  const pairs = attributes.map(({ name, value, expected }) =>
    element('attribute', { name, value, ...(expected === undefined ? {} : { expected: String(expected) }) }),
  )
  return [element('node', { name: node.name }, pairs)]
}

function historyElement({ node, resources: all }: NodeHistory, { sections }: Shown): XmlElement {
  const withOperations = sections.has('operations')
  return element(
    'node',
    { name: node.name },
    all.map((one) => resourceHistoryElement(one, withOperations)),
  )
}

function resourceHistoryElement(history: ResourceHistory, withOperations: boolean): XmlElement {
  const { id, resource, failCount, lastFailure, operations } = history
  const attributes = {
    id,
    // A resource that the configuration has not any more is known from its history all the same.
    orphan: 'false',
    'migration-threshold': String(Math.min(resource.meta.migrationThreshold, INFINITY_SCORE)),
    ...(failCount === 0 ? {} : { 'fail-count': String(failCount) }),
    ...(lastFailure === undefined || failCount === 0 ? {} : { 'last-failure': ctime(lastFailure) }),
  }
  return element('resource_history', attributes, withOperations ? operations.map(operationElement) : [])
}

function operationElement({
  callId,
  operation,
  intervalMs,
  exitCode,
  lastChange,
  attributes,
}: HistoryEntry): XmlElement {
  return element('operation_history', {
    call: String(callId),
    task: taskOf({ operation, intervalMs }),
    rc: String(exitCode),
    rc_text: describeExit(exitCode),
    ...(intervalMs === 0 ? {} : { interval: `${intervalMs}ms` }),
    ...(lastChange === undefined ? {} : { 'last-rc-change': ctime(lastChange) }),
    ...(attributes['exec-time'] === undefined ? {} : { 'exec-time': `${attributes['exec-time']}ms` }),
    ...(attributes['queue-time'] === undefined ? {} : { 'queue-time': `${attributes['queue-time']}ms` }),
  })
}

function failureElement(facts: MonitorFacts, failure: FailedOperation): XmlElement {
  const entry = failedEntry(facts, failure)
  const at = failureTime(failure)
  return element('failure', {
    ...(entry?.attributes.operation_key === undefined ? { id: failure.key } : { op_key: failure.key }),
    node: failure.node,
    exitstatus: describeExit(failure.exitCode),
    exitreason: entry?.attributes['exit-reason'] ?? 'none',
    exitcode: String(failure.exitCode),
    call: String(entry?.callId ?? ''),
    status: statusWord(failure.status),
    ...(at === undefined
      ? {}
      : {
          'last-rc-change': at,
          queued: entry?.attributes['queue-time'] ?? '0',
          exec: entry?.attributes['exec-time'] ?? '0',
          interval: String(failure.intervalMs),
          task: failure.operation,
        }),
  })
}

export function fenceEventElement(event: MonitorFacts['fencing'][number]): XmlElement {
  const { target, action, client, node, outcome, begun, ended } = event
  return element('fence_event', {
    action,
    target,
    client,
    origin: node,
    ...(outcome === 'pending'
      ? { status: 'pending', 'extended-status': 'pending' }
      : { status: outcome, ...(event.device === undefined ? {} : { delegate: node }) }),
    // When a pending one began has no place in the schema.
    ...(outcome === 'pending' ? {} : { completed: ctime(ended ?? begun) }),
  })
}

function ticketElement({ id, granted, standby, lastGranted }: ClusterStatus['tickets'][number]): XmlElement {
  return element('ticket', {
    id,
    status: granted ? 'granted' : 'revoked',
    standby: String(standby),
    ...(lastGranted === undefined ? {} : { 'last-granted': ctime(lastGranted) }),
  })
}

function banElement({ id, resource, node, weight, promotedOnly }: ReturnType<typeof bansOf>[number]): XmlElement {
  return element('ban', {
    id,
    resource,
    node,
    weight: String(weight),
    'promoted-only': String(promotedOnly),
    master_only: String(promotedOnly),
  })
}
