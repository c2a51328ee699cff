/** What `service watch` prints: what is otherwise than a moment ago. */
import { describeInstance, type Service, type ServiceInstance } from '../../../services/index.ts'

export interface Line {
  readonly service: string
  /** Instances of a clone have changing numbers: one on a node is the same one as long as there is one on it. */
  readonly node: string | undefined
  readonly instance: ServiceInstance
}

export function linesOf(services: readonly Service[]): ReadonlyMap<string, Line> {
  const lines = new Map<string, Line>()
  for (const { definition, instances } of services)
    for (const instance of instances) {
      const { node, resource } = instance
      const place = node === undefined ? `${definition.name} ${resource}` : `${definition.name} on ${node}`
      const before = [...lines.keys()].filter((key) => key.startsWith(`${place} #`)).length
      lines.set(`${place} #${before}`, { service: definition.name, node, instance })
    }
  return lines
}

export interface Change {
  readonly service: string
  readonly text: string
  readonly facts: object
}

export function changesBetween(before: ReadonlyMap<string, Line>, after: ReadonlyMap<string, Line>): readonly Change[] {
  const services = new Set([...after.values()].map(({ service }) => service))
  // One that ran nowhere and is counted no more is where it is now, unless its service has gone with it.
  const gone = [...before].filter(
    ([key, { service, node }]) => !after.has(key) && (node !== undefined || !services.has(service)),
  )
  const changed = [...after].filter(([key, line]) => {
    const was = before.get(key)
    return was === undefined || stateOf(was.instance) !== stateOf(line.instance)
  })
  return [
    ...gone.map(([, { service, instance }]): Change => {
      const { resource, node, port } = instance
      const where = node === undefined ? resource : `${resource} on ${node}`
      return { service, text: `${where}: gone`, facts: { resource, node, port, state: 'gone' } }
    }),
    ...changed.map(([, { service, instance }]): Change => {
      const { verified: _, ...facts } = instance
      return { service, text: describeInstance(instance), facts }
    }),
  ]
}

const stateOf = ({ state, reason, address, port }: ServiceInstance): string =>
  JSON.stringify([state, reason, address, port])
