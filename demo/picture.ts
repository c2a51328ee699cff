/** What the live view shows: nodes, resources and what the cluster is doing, from the state and the CIB of one moment. */
import { type Configuration, parseXml, readConfiguration } from '../src/cib/index.ts'
import type { ClusterState, LocalClient } from '../src/rpc/index.ts'
import { type PrimitiveResource, type Resource, readStatus } from '../src/status/index.ts'

export interface Picture {
  readonly seenFrom: string
  readonly state: ClusterState
  readonly nodes: readonly { readonly name: string; readonly what: string; readonly dc: boolean }[]
  readonly resources: readonly { readonly id: string; readonly agent: string; readonly where: string }[]
}

export async function takePicture(local: LocalClient, seenFrom: string, state: ClusterState): Promise<Picture> {
  const { xml } = await local.getCib({})
  const parsed = parseXml(xml)
  if (!parsed.ok) throw new Error(`The daemon of ${seenFrom} sent a CIB that cannot be read.`)
  const configuration: Configuration = readConfiguration(parsed.value)
  const status = readStatus({ cib: parsed.value, configuration, now: Math.floor(Date.now() / 1000) })
  const nodes = status.nodes.map((node) => ({
    name: node.name,
    dc: state.dc === node.name,
    what: [
      node.unclean ? 'UNCLEAN' : node.online ? 'online' : 'offline',
      ...(node.standby ? ['standby'] : []),
      ...(node.maintenance ? ['maintenance'] : []),
    ].join(', '),
  }))
  const resources = status.resources.flatMap(primitivesIn).map((resource) => ({
    id: resource.id,
    agent: [resource.agent.class, resource.agent.provider, resource.agent.type].filter(Boolean).join(':'),
    where: whereIs(resource),
  }))
  return { seenFrom, state, nodes, resources }
}

function primitivesIn(resource: Resource): readonly PrimitiveResource[] {
  if (resource.kind === 'primitive') return [resource]
  if (resource.kind === 'group') return resource.members
  return resource.kind === 'clone' ? resource.instances.flatMap(primitivesIn) : []
}

function whereIs({ state }: PrimitiveResource): string {
  if (state.active.length === 0) return state.blocked ? 'stopped, blocked' : 'stopped'
  return state.active.map(({ node, role }) => `${role.toLowerCase()} on ${node}`).join(', ')
}
