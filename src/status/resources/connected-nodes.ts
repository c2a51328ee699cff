/** Every node that is reached by a connection: remote nodes, guest nodes, and the replicas of bundles that hold a primitive. */
import type { NodeName } from '../../base/index.ts'
import type { Configuration, ResourceDefinition } from '../../cib/index.ts'
import { guestNodes, remoteNodeNames } from '../remote-definitions.ts'
import { bundleNodes } from './bundle.ts'

export function connectedNodeNames(configuration: Configuration): readonly NodeName[] {
  const guests = guestNodes(configuration).map(({ name }) => name)
  const replicas = configuration.resources.flatMap((resource) =>
    resource.kind === 'bundle' ? bundleNodes(resource).map(({ name }) => name) : [],
  )
  return [...remoteNodeNames(configuration), ...guests, ...replicas]
}

/** Whether the connection to that node is still to be made: it is configured, and neither it nor what the node runs in is disabled. */
export function isConnectionWanted(configuration: Configuration, node: NodeName): boolean {
  if (!connectedNodeNames(configuration).includes(node)) return false
  const guest = guestNodes(configuration).find(({ name }) => name === node)?.container
  const bundle = configuration.resources.find(
    (resource) => resource.kind === 'bundle' && bundleNodes(resource).some(({ name }) => name === node),
  )
  const id: string = guest ?? bundle?.id ?? node
  return !configuration.resources.some((resource) => {
    const members = resource.kind === 'group' ? resource.members : []
    const holds = [resource, ...members].some((one) => one.id === id)
    return holds && [resource, ...members.filter((member) => member.id === id)].some(isDisabled)
  })
}

/** As `resource disable` writes it; what a rule says of it the scheduler knows. */
const isDisabled = ({ meta }: ResourceDefinition): boolean =>
  meta.some(
    ({ rule, pairs }) =>
      rule === undefined &&
      pairs.some(({ name, value }) => name === 'target-role' && value.toLowerCase() === 'stopped'),
  )
