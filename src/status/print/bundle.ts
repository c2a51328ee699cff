/**
 * A bundle: its title with the image, and for each replica its member, or the container where it has none. All that a replica
 * consists of is told where instances are asked for, and where only some of it is.
 */
import type { BundleResource, PrimitiveResource } from '../cluster-status.ts'
import { replicaParts } from '../parts.ts'
import { indent } from './group.ts'
import { printPrimitive, printPrimitiveAs } from './primitive.ts'
import { describedAs, type PrintedStatus } from './printed-status.ts'
import { managementFlag } from './resource-state.ts'

export function printBundle(status: PrintedStatus, bundle: BundleResource): readonly string[] {
  const flags = [
    ...(bundle.replicasPerHost > 1 ? ['unique'] : []),
    ...managementFlag(bundle, status.options.maintenanceMode),
  ]
  const suffix = flags.map((flag) => ` (${flag})`).join('')
  const kind = bundle.replicas.length > 1 ? 'Container bundle set' : 'Container bundle'
  const image = bundle.definition.container.attributes.image ?? ''
  return [
    `* ${kind}: ${bundle.id} [${image}]${suffix}${describedAs(status, bundle.id)}:`,
    ...indent(bundle.replicas.flatMap((replica) => printReplica(status, replica, bundle.replicas.length))),
  ]
}

type Replica = BundleResource['replicas'][number]

function printReplica(status: PrintedStatus, replica: Replica, count: number): readonly string[] {
  const { tellsInstances = false, isTold = () => true } = status
  const parts = replicaParts(replica)
  const told = parts.filter(isTold)
  if (told.length === 0) return []
  if (!tellsInstances && told.length === parts.length) return [`* ${shortLine(status, replica)}`]
  const lines = told.map((part) => `* ${printPrimitive(status, part)}`)
  return [...(count > 1 ? [`* Replica[${replica.number}]`] : []), ...indent(lines)]
}

/** The member is shown where its container runs: the guest node says nothing to anyone. */
function shortLine(status: PrintedStatus, replica: Replica): string {
  const { container, child, remote, ipAddress } = replica
  const shown: PrimitiveResource = child ?? container
  const name = (remote ?? container).id
  return printPrimitiveAs(status, shown, {
    name: ipAddress === undefined ? name : `${name} (${ipAddress})`,
    node: container.state.active[0]?.node,
  })
}
