/**
 * The services that a configuration declares. Each may cost every node a check, so that a resource has `mostOfResource` and a cluster `mostServices`:
 * of more, those that stand first in the configuration count.
 */
import { compareText, shortened } from '../base/index.ts'
import { type Configuration, childrenOf, type ResourceDefinition } from '../cib/index.ts'
import { parseService, type ServiceDefinition, serviceAttributePrefix } from './definition.ts'

export const mostOfResource = 20
export const mostServices = 500
/** Each is a sentence for whoever asks; what comes after them is counted. */
const mostMistakes = 20

export interface Declared {
  /** By name. */
  readonly services: readonly ServiceDefinition[]
  /** What cannot be read, is declared twice, or is too much: sentences that name the resource. */
  readonly mistakes: readonly string[]
}

export function declaredServices({ resources }: Pick<Configuration, 'resources'>): Declared {
  const services = new Map<string, ServiceDefinition>()
  const mistakes: string[] = []
  const { counted, tooMany } = withinLimits(resources.flatMap(declarations))
  for (const { resource, name, value } of counted) {
    const parsed = parseService({ name, resource }, value)
    const before = services.get(name)
    if (!parsed.ok)
      mistakes.push(...parsed.reports.map((report) => `The service ${shortened(name)} of ${resource}: ${report}`))
    else if (before)
      mistakes.push(`The service ${name} is declared by ${before.resource} and by ${resource}: the first counts.`)
    else services.set(name, parsed.value)
  }
  return {
    services: [...services.values()].toSorted((a, b) => compareText(a.name, b.name)),
    mistakes: [...tooMany, ...cut(mistakes)],
  }
}

/** Declarations that cannot be read count as well: reading them costs the same. */
function withinLimits(declared: readonly Declaration[]): {
  readonly counted: readonly Declaration[]
  readonly tooMany: readonly string[]
} {
  const counts = new Map<string, number>()
  const within = declared.filter(({ resource }) => {
    const count = (counts.get(resource) ?? 0) + 1
    counts.set(resource, count)
    return count <= mostOfResource
  })
  const overfull = [...counts].flatMap(([resource, count]) =>
    count > mostOfResource
      ? [`${resource} declares ${count} services. The limit is ${mostOfResource}: only the first ones count.`]
      : [],
  )
  const all =
    within.length > mostServices
      ? [
          `The configuration declares ${within.length} services. The limit is ${mostServices}: only the first ones count.`,
        ]
      : []
  return { counted: within.slice(0, mostServices), tooMany: [...all, ...cut(overfull)] }
}

const cut = (sentences: readonly string[]): readonly string[] =>
  sentences.length <= mostMistakes
    ? sentences
    : [
        ...sentences.slice(0, mostMistakes),
        `There are ${sentences.length - mostMistakes} more mistakes in the declarations of services.`,
      ]

interface Declaration {
  readonly resource: string
  readonly name: string
  readonly value: string
}

function declarations(definition: ResourceDefinition): readonly Declaration[] {
  const own = definition.meta.flatMap(({ pairs }) =>
    pairs.flatMap(({ name, value }) =>
      name.startsWith(serviceAttributePrefix)
        ? [{ resource: String(definition.id), name: name.slice(serviceAttributePrefix.length), value }]
        : [],
    ),
  )
  return [...own, ...childrenOf(definition).flatMap(declarations)]
}
