/**
 * Parameters that an agent's metadata marks as unique (OCF 1.0 `unique`, 1.1 `unique-group`): two resources of the agent with
 * the same values would get in each other's way, as two that hold one address.
 */
import {
  type Agent,
  type PrimitiveDefinition,
  primitiveDefinitions,
  readConfiguration,
  type XmlElement,
} from '../../cib/index.ts'
import { agentName } from '../../resource-agents/index.ts'
import type { Message } from '../call/message.ts'
import type { InstalledAgent } from './agents.ts'

/** A sentence for each group of unique parameters all of whose values another resource has. Each can be forced. */
export function sharedUniqueValues(
  cib: XmlElement,
  { agent, metadata }: InstalledAgent,
  asked: { readonly id: string; readonly parameters: ReadonlyMap<string, string>; readonly isNew: boolean },
): readonly Message[] {
  const groups = new Map<string, readonly string[]>()
  for (const { name, unique, uniqueGroup } of metadata.parameters)
    if (unique) groups.set(uniqueGroup ?? name, [...(groups.get(uniqueGroup ?? name) ?? []), name])
  const others = readConfiguration(cib)
    .resources.flatMap(primitiveDefinitions)
    .filter((other) => other.id !== asked.id && isSame(other.agent, agent))
  return [...groups].flatMap(([group, names]) => {
    const given = names.filter((name) => asked.parameters.has(name))
    if (given.length === 0) return []
    const holders = others.filter((other) =>
      names.every((name) => parameterValue(other, name) === asked.parameters.get(name)),
    )
    if (holders.length === 0) return []
    const values = given.map((name) => `${name}=${asked.parameters.get(name) ?? ''}`).join(' ')
    const have = holders.length === 1 ? 'has' : 'have'
    const these = given.length === 1 ? 'this value' : 'these values'
    const taken = holders.map(({ id }) => `'${id}'`).join(', ')
    const own = `${values} must be unique among resources of ${agentName(agent)}, but ${taken} already ${have} ${these}. Add --force to use it anyway.`
    const pairs = given.map((name) => ({ name, value: asked.parameters.get(name) ?? '' }))
    const isNamed = metadata.parameters.some(({ uniqueGroup }) => uniqueGroup === group)
    const errors = [sentenceOfPcs(pairs, { group: isNamed ? group : undefined, agent: agentName(agent), taken })]
    return [{ own, about: { code: 'said-by-pcs', errors, closes: asked.isNew } }]
  })
}

/** Of parameters that are unique together pcs says the group's name as well. */
function sentenceOfPcs(
  pairs: readonly { readonly name: string; readonly value: string }[],
  { group, agent, taken }: { readonly group: string | undefined; readonly agent: string; readonly taken: string },
): string {
  const sorted = [...pairs].sort((a, b) => (a.name < b.name ? -1 : 1))
  const [names, values] = [sorted.map(({ name }) => `'${name}'`), sorted.map(({ value }) => `'${value}'`)]
  const what =
    group === undefined
      ? `Value ${values.join(', ')} of option ${names.join(', ')}`
      : `Value ${values.join(', ')} of option${names.length > 1 ? 's' : ''} ${names.join(', ')} (group '${group}')`
  const same = group === undefined ? 'value of the instance attribute' : 'values of the instance attributes'
  return `${what} is not unique across '${agent}' resources. Following resources are configured with the same ${same}: ${taken}, use --force to override`
}

function isSame(a: Agent, b: Agent): boolean {
  return a.class === b.class && a.provider === b.provider && a.type === b.type
}

function parameterValue({ parameters }: PrimitiveDefinition, name: string): string | undefined {
  return parameters.flatMap(({ pairs }) => pairs).find((pair) => pair.name === name)?.value
}
