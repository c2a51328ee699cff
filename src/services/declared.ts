/** The services that a configuration declares. */
import { compareText } from '../base/index.ts'
import type { Configuration, ResourceDefinition } from '../cib/index.ts'
import { parseService, type ServiceDefinition, serviceAttributePrefix } from './definition.ts'

export interface Declared {
  /** By name. */
  readonly services: readonly ServiceDefinition[]
  /** What cannot be read, and what is declared twice: sentences that name the resource. */
  readonly mistakes: readonly string[]
}

export function declaredServices({ resources }: Pick<Configuration, 'resources'>): Declared {
  const services = new Map<string, ServiceDefinition>()
  const mistakes: string[] = []
  for (const { resource, name, value } of resources.flatMap(declarations)) {
    const parsed = parseService({ name, resource }, value)
    const before = services.get(name)
    if (!parsed.ok) mistakes.push(...parsed.reports.map((report) => `The service ${name} of ${resource}: ${report}`))
    else if (before)
      mistakes.push(`The service ${name} is declared by ${before.resource} and by ${resource}: the first counts.`)
    else services.set(name, parsed.value)
  }
  return { services: [...services.values()].toSorted((a, b) => compareText(a.name, b.name)), mistakes }
}

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

function childrenOf(definition: ResourceDefinition): readonly ResourceDefinition[] {
  switch (definition.kind) {
    case 'primitive':
      return []
    case 'group':
      return definition.members
    case 'clone':
      return [definition.child]
    case 'bundle':
      return definition.child === undefined ? [] : [definition.child]
  }
}
