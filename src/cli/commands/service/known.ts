/** The services as the cluster knows them now. */
import { didYouMean, similarWords } from '../../../base/index.ts'
import { type Catalogue, catalogueOf, type Service } from '../../../services/index.ts'
import type { ClusterStatus } from '../../../status/index.ts'
import { type Call, Refusal } from '../../call/command.ts'
import { addressesOf } from '../../facts/node-addresses.ts'
import { statusOf } from '../../facts/status-view.ts'

export interface KnownServices extends Catalogue {
  readonly status: ClusterStatus
}

export async function knownServices(call: Call): Promise<KnownServices> {
  const { cib } = await call.cluster.readCib()
  const state = await call.cluster.live?.getState({})
  const status = statusOf(call, cib)
  const addressOf = (name: string): string | undefined => {
    const node = status.nodes.find((one) => one.name === name)
    return node && addressesOf(node, { status, state })[0]
  }
  return { ...catalogueOf(status, addressOf), status }
}

export function serviceNamed({ services }: Catalogue, name: string): Service {
  const found = services.find(({ definition }) => definition.name === name)
  if (found) return found
  const names = services.map(({ definition }) => definition.name)
  throw new Refusal(`There is no service '${name}'.${didYouMean(similarWords(name, names))}`)
}
