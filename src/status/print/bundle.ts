/** A bundle: its title with the image, and for each replica its member, or the container where it has none. */
import type { BundleResource, PrimitiveResource } from '../cluster-status.ts'
import { indent } from './group.ts'
import { printPrimitiveAs } from './primitive.ts'
import { managementFlag } from './resource-state.ts'
import type { Told } from './told.ts'

export function printBundle(status: Told, bundle: BundleResource): readonly string[] {
  const flags = managementFlag(bundle, status.options.maintenanceMode)
  const suffix = flags.length === 0 ? '' : ` (${flags.join(', ')})`
  const kind = bundle.replicas.length > 1 ? 'Container bundle set' : 'Container bundle'
  const image = bundle.definition.container.attributes.image ?? ''
  return [
    `* ${kind}: ${bundle.id} [${image}]${suffix}:`,
    ...indent(bundle.replicas.map((replica) => `* ${printReplica(status, replica)}`)),
  ]
}

/** The member is shown where its container runs: the guest node says nothing to anyone. */
function printReplica(status: Told, replica: BundleResource['replicas'][number]): string {
  const { container, child, remote, ipAddress } = replica
  const shown: PrimitiveResource = child ?? container
  const name = (remote ?? container).id
  return printPrimitiveAs(status, shown, {
    name: ipAddress === undefined ? name : `${name} (${ipAddress})`,
    node: container.state.active[0]?.node,
  })
}
