/** Every node that is reached by a connection: remote nodes, guest nodes, and the replicas of bundles that hold a primitive. */
import type { NodeName } from '../../base/index.ts'
import type { Configuration } from '../../cib/index.ts'
import { guestNodes, remoteNodeNames } from '../remote-definitions.ts'
import { bundleNodes } from './bundle.ts'

export function connectedNodeNames(configuration: Configuration): readonly NodeName[] {
  const guests = guestNodes(configuration).map(({ name }) => name)
  const replicas = configuration.resources.flatMap((resource) =>
    resource.kind === 'bundle' ? bundleNodes(resource).map(({ name }) => name) : [],
  )
  return [...remoteNodeNames(configuration), ...guests, ...replicas]
}
