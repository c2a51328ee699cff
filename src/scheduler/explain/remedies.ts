/**
 * What would take a reason away: the command to type, or what has to happen outside of the cluster. Nothing is proposed that
 * the reason itself does not call for; a reason without remedy has none.
 */
import { assertNever, isoTime, type NodeName, type ResourceId } from '../../base/index.ts'
import { definitionsAround, type NvSet, type ResourceDefinition, topLevelOf } from '../../cib/index.ts'
import { gatesOf } from '../../services/index.ts'
import type { ClusterStatus, PrimitiveResource } from '../../status/index.ts'
import type { Contribution, NodeUnavailable, PlacementReason } from '../assigned/assignment.ts'

interface About {
  readonly status: ClusterStatus
  readonly resource: PrimitiveResource
}

export function remediesForReason(about: About, reason: PlacementReason): readonly string[] {
  const { status, resource } = about
  const id = resource.configuredId
  switch (reason.kind) {
    case 'node-unavailable':
      return remediesForNode(status, reason.node, reason.state)
    case 'banned':
      return unique(reason.by.flatMap((part) => remediesForContribution(about, part, reason.node)))
    case 'not-allowed':
      return status.options.symmetricCluster ? [] : [`systole constraint location ${id} prefers ${reason.node}`]
    case 'target-role':
      return [remedyForTargetRole(status, resource)]
    case 'on-fail':
    case 'blocked':
      return [`fix the cause of the failure, then: systole resource cleanup ${id}`]
    case 'no-quorum':
      return ['bring nodes back until a majority is there: systole quorum status']
    case 'unmanaged':
      return remediesForUnmanaged(about)
    case 'orphan':
      return []
    case 'ticket':
      return [remedyForTicket(status, reason.ticket)]
    case 'stop-all-resources':
      return ['systole property set stop-all-resources=false']
    case 'clone-limit':
      return [
        `to have more: systole resource meta ${topLevelOf(status.configuration, resource.configuredId) ?? resource.configuredId} ${reason.limit}=<number>`,
      ]
    case 'capacity':
      return []
    case 'primary-stopped':
      return [`systole why ${reason.primary}`]
    case 'promotion-score':
      return ['its agent sets the score by crm_attribute --promotion: see why it does not, in the log of the node']
    case 'shutdown-lock':
      return [`start ${reason.node} again, or give the lock up: systole resource refresh ${id} ${reason.node}`]
    default:
      return assertNever(reason)
  }
}

export function remediesForContribution(about: About, { source }: Contribution, node: NodeName): readonly string[] {
  const id = about.resource.configuredId
  switch (source.kind) {
    case 'location': {
      const cli = /^cli-(ban|prefer)-/.test(source.constraint)
      const subject = cliSubject(about.status, source.constraint) ?? id
      return [cli ? `systole resource clear ${subject}` : `systole constraint delete ${source.constraint}`]
    }
    case 'fail-count': {
      const expiresAt = about.resource.state.failCounts.get(node)?.expiresAt
      const wait = expiresAt === undefined ? '' : `, or wait until failure-timeout ends at ${isoTime(expiresAt)}`
      return [`fix the cause of the failure, then: systole resource cleanup ${id}${wait}`]
    }
    case 'failure':
      return [`fix the cause of the failure, then: systole resource cleanup ${id}`]
    case 'colocation':
      return source.as === 'dependent' ? [`systole why ${source.with}`] : []
    case 'health':
      return [`repair ${node}; its health is in the node attributes whose names begin with #health`]
    case 'ticket':
      return [remedyForTicket(about.status, source.ticket)]
    case 'utilization':
      return [remedyForCapacity(about, node)]
    case 'shutdown-lock':
      return [`start ${source.node} again, or give the lock up: systole resource refresh ${id} ${source.node}`]
    case 'gate':
      return [remedyForGate(about, source.service)]
    case 'target-role':
      return about.resource.meta.targetRole === undefined ? [] : [remedyForTargetRole(about.status, about.resource)]
    case 'stickiness':
    case 'unmanaged':
    case 'multiple-active':
    case 'exclusive-discovery':
    case 'node-kind':
    case 'instances':
    case 'promotion':
    case 'replica':
    case 'orphan':
      return []
    default:
      return assertNever(source)
  }
}

function remedyForGate({ status, resource }: About, service: string): string {
  const gate = gatesOf(status).find(
    (one) =>
      one.service === service &&
      definitionsAround(status.configuration, resource.configuredId).some(({ id }) => id === one.resource),
  )
  const remove = `systole service gate remove ${gate?.resource ?? resource.configuredId} ${service}`
  return gate?.definition !== undefined && gate.definition.dns === undefined
    ? `systole service show ${service}, or, to start without it: ${remove}`
    : `to start without it: ${remove}`
}

function remedyForTicket({ tickets }: ClusterStatus, id: string): string {
  const granted = tickets.some((ticket) => ticket.id === id && ticket.granted)
  return granted
    ? `systole ticket unstandby ${id}`
    : `if no other site holds it: systole ticket grant ${id} (with booth: booth ticket grant ${id})`
}

function remedyForCapacity({ status, resource }: About, node: NodeName): string {
  const list = (values: ReadonlyMap<string, number> | undefined): string =>
    [...(values ?? [])].map(([name, value]) => `${name}=${value}`).join(' ') || 'nothing'
  const offers = list(status.nodesByName.get(node)?.utilization)
  return `${resource.id} needs ${list(resource.utilization)}; ${node} has ${offers} in all: free some, or change one of them`
}

export function remediesForNode(status: ClusterStatus, node: NodeName, state: NodeUnavailable): readonly string[] {
  switch (state) {
    case 'offline':
      return [`switch ${node} on, or if it is on, start the cluster there: systole cluster start ${node}`]
    case 'unclean':
      return [`see what its fencing waits for: systole why ${node}`]
    case 'pending':
      return [`wait: ${node} is joining`]
    case 'standby':
      return status.nodesByName.get(node)?.standbyOnFail === true
        ? [`a failure put it in standby (on-fail=standby). Fix the cause, then: systole resource cleanup`]
        : [`systole node unstandby ${node}`]
    case 'shutting down':
      return [`wait: ${node} is leaving; then: systole cluster start ${node}`]
    case 'in maintenance':
      return status.options.maintenanceMode
        ? ['systole property set maintenance-mode=false']
        : [`systole node unmaintenance ${node}`]
    case 'its container is not running':
    case 'its connection is not running': {
      const found = status.nodesByName.get(node)
      const through = state === 'its container is not running' ? found?.container : found?.connection
      return through === undefined ? [] : [`systole why ${through}`]
    }
    default:
      return assertNever(state)
  }
}

function remediesForUnmanaged({ status, resource }: About): readonly string[] {
  if (status.options.maintenanceMode)
    return [
      'systole property set maintenance-mode=false',
      ...(resource.meta.managed ? [] : [`systole resource manage ${resource.configuredId}`]),
    ]
  const node = resource.state.active
    .map(({ node: name }) => status.nodesByName.get(name))
    .find((candidate) => candidate?.maintenance)
  if (node !== undefined) return [`systole node unmaintenance ${node.name}`]
  if (resource.meta.maintenance) return [`systole resource meta ${resource.configuredId} maintenance=`]
  if (resource.meta.managed) return []
  return [`systole resource manage ${resource.configuredId}`]
}

function remedyForTargetRole(status: ClusterStatus, resource: PrimitiveResource): string {
  const written = whereWritten(status.configuration.resources, resource.configuredId, 'target-role')
  if (written !== undefined) return `systole resource enable ${written}`
  return 'target-role stands in the resource defaults: systole resource defaults target-role='
}

/** The innermost resource, from the named one upwards, in whose own meta-attributes a name is written. */
function whereWritten(
  definitions: readonly ResourceDefinition[],
  id: ResourceId,
  name: string,
): ResourceId | undefined {
  const path = definitionsAround({ resources: definitions }, id)
  const writes = (sets: readonly NvSet[]): boolean => sets.some(({ pairs }) => pairs.some((pair) => pair.name === name))
  return path.toReversed().find(({ meta }) => writes(meta))?.id
}

/** Whom a constraint of `resource move` or `ban` was made for. */
function cliSubject({ configuration }: ClusterStatus, id: string): string | undefined {
  const found = configuration.constraints.find((constraint) => constraint.id === id)
  return found?.kind === 'location' && found.resource.by === 'id' ? found.resource.id : undefined
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)]
}
