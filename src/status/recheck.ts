/** The next moment at which the same CIB will say something else: a rule by date, an expiry, a lock, a pending node. */
import type { Configuration, NvSet, ResourceDefinition, Rule } from '../cib/index.ts'
import { nextRuleChange, type TimeZone } from './rules/index.ts'

export interface TimedChange {
  /** Seconds since the epoch. */
  readonly at: number
  readonly because: string
}

export function nextChangeOf(
  configuration: Configuration,
  zone: TimeZone,
  moments: readonly TimedChange[],
): { readonly at: number; readonly because: readonly string[] } | undefined {
  const changes = rulesOf(configuration).flatMap((rule): readonly TimedChange[] => {
    const at = nextRuleChange(rule, zone)
    return at === undefined ? [] : [{ at, because: `rule ${rule.id} gives another answer` }]
  })
  const later = [...changes, ...moments].filter(({ at }) => at > zone.now)
  if (later.length === 0) return undefined
  const at = Math.min(...later.map((change) => change.at))
  return { at, because: [...new Set(later.flatMap((change) => (change.at === at ? [change.because] : [])))] }
}

function rulesOf(configuration: Configuration): readonly Rule[] {
  const sets: readonly NvSet[] = [
    ...configuration.options,
    ...configuration.resourceDefaults,
    ...configuration.operationDefaults,
    ...configuration.nodes.flatMap(({ attributes, utilization }) => [...attributes, ...utilization]),
    ...configuration.resources.flatMap(nvSetsOf),
  ]
  return [
    ...sets.flatMap(({ rule }) => rule ?? []),
    ...configuration.constraints.flatMap((constraint) => [
      ...(constraint.lifetime === undefined ? [] : [constraint.lifetime]),
      ...(constraint.kind === 'location' && constraint.where.by === 'rules' ? constraint.where.rules : []),
    ]),
  ]
}

function nvSetsOf(resource: ResourceDefinition): readonly NvSet[] {
  switch (resource.kind) {
    case 'primitive':
      return [
        ...resource.meta,
        ...resource.parameters,
        ...resource.utilization,
        ...resource.operations.flatMap(({ meta, parameters }) => [...meta, ...parameters]),
      ]
    case 'group':
      return [...resource.meta, ...(resource.parameters ?? []), ...resource.members.flatMap(nvSetsOf)]
    case 'clone':
      return [...resource.meta, ...(resource.parameters ?? []), ...nvSetsOf(resource.child)]
    case 'bundle':
      return [...resource.meta, ...(resource.child === undefined ? [] : nvSetsOf(resource.child))]
  }
}
