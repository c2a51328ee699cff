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
import type { InstalledAgent } from './agents.ts'

/** A sentence for each group of unique parameters all of whose values another resource has. Each can be forced. */
export function sharedUniqueValues(
  cib: XmlElement,
  { agent, metadata }: InstalledAgent,
  asked: { readonly id: string; readonly parameters: ReadonlyMap<string, string> },
): readonly string[] {
  const groups = new Map<string, readonly string[]>()
  for (const { name, unique, uniqueGroup } of metadata.parameters)
    if (unique) groups.set(uniqueGroup ?? name, [...(groups.get(uniqueGroup ?? name) ?? []), name])
  const others = readConfiguration(cib)
    .resources.flatMap(primitiveDefinitions)
    .filter((other) => other.id !== asked.id && isSame(other.agent, agent))
  return [...groups.values()].flatMap((names) => {
    const given = names.filter((name) => asked.parameters.has(name))
    if (given.length === 0) return []
    const holders = others.filter((other) =>
      names.every((name) => parameterValue(other, name) === asked.parameters.get(name)),
    )
    if (holders.length === 0) return []
    const values = given.map((name) => `${name}=${asked.parameters.get(name) ?? ''}`).join(' ')
    const have = holders.length === 1 ? 'has' : 'have'
    const these = given.length === 1 ? 'this value' : 'these values'
    return [
      `${values} must be unique among resources of ${agentName(agent)}, but ${holders.map(({ id }) => `'${id}'`).join(', ')} already ${have} ${these}. Add --force to use it anyway.`,
    ]
  })
}

function isSame(a: Agent, b: Agent): boolean {
  return a.class === b.class && a.provider === b.provider && a.type === b.type
}

function parameterValue({ parameters }: PrimitiveDefinition, name: string): string | undefined {
  return parameters.flatMap(({ pairs }) => pairs).find((pair) => pair.name === name)?.value
}
