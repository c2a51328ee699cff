/** Services as people and programs read them. */
import { isoTime, printable } from '../../../base/index.ts'
import { countOf, describeVerified, healthyOf, printService, type Service } from '../../../services/index.ts'
import { alignColumns } from '../../call/table.ts'

export function serviceFacts({ definition, expected, instances }: Service): unknown {
  return {
    ...definition,
    expected,
    healthy: instances.filter(({ state }) => state === 'healthy').length,
    instances: instances.map(({ verified, ...instance }) => ({
      ...instance,
      ...(verified && {
        verified: {
          by: verified.by,
          ...(verified.everyMs === undefined ? {} : { everyMs: verified.everyMs }),
          ...(verified.since === undefined ? {} : { since: isoTime(verified.since) }),
        },
      }),
    })),
  }
}

export function printServices(services: readonly Service[]): string {
  const rows = services.map((service) => [
    service.definition.name,
    countOf(service),
    `${service.definition.port}/${service.definition.protocol}`,
    service.definition.resource,
    healthyOf(service)
      .flatMap(({ node }) => node ?? [])
      .join(' '),
  ])
  return rows.length === 0 ? 'No services are declared.\n' : alignColumns(rows)
}

export function printOneService(service: Service, now: number): string {
  const { definition, instances } = service
  const rows = instances.map(({ resource, node, state, address, port, reason, verified }) => [
    node ?? '-',
    state,
    address === undefined ? '-' : hostAndPort(address, port),
    resource,
    printable(reason ?? (verified === undefined ? '' : describeVerified(verified, now))),
  ])
  return [
    `${definition.name}: ${countOf(service)}\n`,
    `  resource ${definition.resource}, ${printService(definition)}\n`,
    alignColumns(rows, '  '),
  ].join('')
}

export const hostAndPort = (address: string, port: number): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
