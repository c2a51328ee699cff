/** The elements of resources that a bundle or a guest node implies: Pacemaker makes them up, and shows them as if they were written. */
import { type BundleDefinition, element, type OperationDefinition, type XmlElement } from '../../cib/index.ts'
import { type ClusterStatus, type PrimitiveResource, replicaParts } from '../../status/index.ts'

export function impliedElement(status: ClusterStatus, resource: PrimitiveResource): XmlElement {
  const { id, agent, connectionOf } = resource
  const setId = connectionOf === undefined ? setOfReplica(status, resource) : `${id}-instance_attributes`
  const meta =
    connectionOf === undefined
      ? []
      : setOf('meta_attributes', `${id}-meta_attributes`, [
          ['internal_rsc', 'true'],
          ['container', String(resource.container ?? '')],
        ])
  const parameters = [...resource.parametersOn(undefined)]
  return element(
    'primitive',
    {
      id,
      class: agent.class,
      ...(agent.provider === undefined ? {} : { provider: agent.provider }),
      type: agent.type,
    },
    [
      ...meta,
      ...setOf('instance_attributes', setId, parameters),
      element(
        'operations',
        {},
        resource.operations.map((one) => operationElement(id, one)),
      ),
    ],
  )
}

/** Container and address of a replica have one set of parameters by its name. */
function setOfReplica(status: ClusterStatus, resource: PrimitiveResource): string {
  for (const one of status.resources) {
    if (one.kind !== 'bundle') continue
    const replica = one.replicas.find((each) => replicaParts(each).includes(resource))
    if (replica !== undefined) return `${idOf(one.definition)}-attributes-${replica.number}`
  }
  return `${resource.id}-instance_attributes`
}

const idOf = ({ id }: BundleDefinition): string => id

function setOf(kind: string, id: string, pairs: readonly (readonly [string, string])[]): readonly XmlElement[] {
  const held = pairs.map(([name, value]) => element('nvpair', { id: `${id}-${name}`, name, value }))
  return held.length === 0 ? [] : [element(kind, { id }, held)]
}

function operationElement(resource: string, { name, intervalMs, attributes }: OperationDefinition): XmlElement {
  const interval = intervalMs === 0 ? '0' : `${intervalMs / 1000}s`
  const { timeout } = attributes
  return element('op', {
    id: `${resource}-${name}-${interval}`,
    interval,
    name,
    ...(timeout === undefined ? {} : { timeout }),
  })
}
