/** What a watch sees of its services: the healthy instances, in an order that does not change by itself. */
import { compareText } from '../../base/index.ts'
import { type Catalogue, healthyOf } from '../../services/index.ts'

export interface SeenService {
  readonly name: string
  readonly expected: number
  readonly tags: readonly string[]
  readonly weight: number
  readonly instances: readonly {
    readonly resource: string
    readonly node: string
    readonly address: string
    readonly port: number
  }[]
}

/** One that is not declared has no instances. */
export function membersOf(catalogue: Pick<Catalogue, 'services'>, names: readonly string[]): readonly SeenService[] {
  return names.map((name): SeenService => {
    const service = catalogue.services.find(({ definition }) => definition.name === name)
    if (service === undefined) return { name, expected: 0, tags: [], weight: 1, instances: [] }
    const { tags, weight } = service.definition
    const instances = healthyOf(service).flatMap(({ resource, node, address, port }) =>
      node === undefined || address === undefined ? [] : [{ resource, node, address, port }],
    )
    const order = ({ node, address, port, resource }: (typeof instances)[number]): string =>
      `${node} ${address} ${port} ${resource}`
    return {
      name,
      expected: service.expected,
      tags,
      weight,
      instances: instances.toSorted((a, b) => compareText(order(a), order(b))),
    }
  })
}
