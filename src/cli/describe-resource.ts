/** Resource definitions as text, in the form in which pcs prints them. Secrets are hidden unless they are asked for. */
import type { Agent, NvSet, OperationDefinition, ResourceDefinition } from '../cib/index.ts'
import { describeRule } from './describe-rule.ts'
import { isSecretName } from './secrets.ts'

export interface DescribeOptions {
  readonly showSecrets: boolean
}

export function agentName(agent: Agent): string {
  return [agent.class, ...(agent.provider === undefined ? [] : [agent.provider]), agent.type].join(':')
}

export function describeResource(resource: ResourceDefinition, options: DescribeOptions, indent = ''): string {
  return describeLines(resource, options)
    .map((line) => `${indent}${line}\n`)
    .join('')
}

function describeLines(resource: ResourceDefinition, options: DescribeOptions): readonly string[] {
  switch (resource.kind) {
    case 'primitive': {
      const { agent } = resource
      const provider = agent.provider === undefined ? '' : ` provider=${agent.provider}`
      return [
        `Resource: ${resource.id} (class=${agent.class}${provider} type=${agent.type}${resource.template ? ` template=${resource.template}` : ''})`,
        ...describeSets('Attributes', resource.parameters, options),
        ...describeSets('Utilization', resource.utilization, options),
        ...describeSets('Meta Attributes', resource.meta, options),
        ...describeOperations(resource.operations, options),
      ]
    }
    case 'group':
      return [
        `Group: ${resource.id}`,
        ...describeSets('Meta Attributes', resource.meta, options),
        ...resource.members.flatMap((member) => describeLines(member, options).map(indented)),
      ]
    case 'clone':
      return [
        `Clone: ${resource.id}`,
        ...describeSets('Meta Attributes', resource.meta, options),
        ...describeLines(resource.child, options).map(indented),
      ]
    case 'bundle':
      return [
        `Bundle: ${resource.id}`,
        `  ${capitalized(resource.container.technology)}: ${describePairs(Object.entries(resource.container.attributes))}`,
        ...(resource.network ? [`  Network: ${describePairs(Object.entries(resource.network.attributes))}`] : []),
        ...(resource.network?.portMappings ?? []).map(
          ({ attributes }) => `    port-map: ${describePairs(Object.entries(attributes))}`,
        ),
        ...resource.storage.map(({ attributes }) => `  Storage Mapping: ${describePairs(Object.entries(attributes))}`),
        ...describeSets('Meta Attributes', resource.meta, options),
        ...(resource.child ? describeLines(resource.child, options).map(indented) : []),
      ]
  }
}

const indented = (line: string): string => `  ${line}`
const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

function describePairs(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([name, value]) => `${name}=${quoted(value)}`).join(' ')
}

function quoted(value: string): string {
  return /[\s'"]/.test(value) || value === '' ? JSON.stringify(value) : value
}

export function describeSets(title: string, sets: readonly NvSet[], options: DescribeOptions): readonly string[] {
  return sets.flatMap((set) => {
    const score = set.score === 0 ? '' : ` score=${set.score}`
    const pairs = set.pairs.map(
      ({ name, value }) => `    ${name}=${isSecretName(name) && !options.showSecrets ? '******' : quoted(value)}`,
    )
    const rule = set.rule ? [`    Rule: ${describeRule(set.rule)}`] : []
    return [`  ${title}: ${set.id}${score}`, ...rule, ...pairs]
  })
}

function describeOperations(operations: readonly OperationDefinition[], options: DescribeOptions): readonly string[] {
  if (operations.length === 0) return []
  const lines = operations.flatMap((operation) => {
    const interval = operation.intervalMs % 1000 === 0 ? `${operation.intervalMs / 1000}s` : `${operation.intervalMs}ms`
    const parameters = operation.parameters.flatMap((set) => set.pairs.map(({ name, value }) => [name, value] as const))
    return [
      `    ${operation.name}: ${operation.id}`,
      `      interval=${interval}`,
      ...[...Object.entries(operation.attributes), ...parameters].map(
        ([name, value]) => `      ${name}=${quoted(value)}`,
      ),
      ...describeSets('Meta Attributes', operation.meta, options).map((line) => `    ${line}`),
    ]
  })
  return ['  Operations:', ...lines]
}
