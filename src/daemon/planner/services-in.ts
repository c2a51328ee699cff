/** A CIB to the services that it declares, as they are now. */
import { utcOffsetAt } from '../../base/index.ts'
import type { XmlElement } from '../../cib/index.ts'
import { catalogueOf, checksOf } from '../../services/index.ts'
import { statusOfCib } from '../../status/index.ts'
import { activeOn } from './active-on.ts'
import type { ServiceAnswer, ServiceQuestion } from './messages.ts'

export function servicesIn(cib: XmlElement, { self, now, addresses }: ServiceQuestion): ServiceAnswer {
  const status = statusOfCib({ cib, now, utcOffsetAt })
  const addressOf = (name: string): string | undefined => addresses[name] ?? ofConnection(name)
  const ofConnection = (name: string): string | undefined => {
    const connection = status.nodes.find((node) => node.name === name)?.connection
    const parameters = connection && status.primitivesById.get(connection)?.parametersOn(undefined)
    return parameters?.get('server') ?? parameters?.get('addr')
  }
  const catalogue = catalogueOf(status, addressOf)
  const nodes = status.nodes.flatMap(({ name }) => {
    const address = addressOf(name)
    return address === undefined ? [] : [{ name: String(name), address }]
  })
  return { catalogue, checks: checksOf(self, catalogue, status), nodes, here: activeOn(self, status) }
}
