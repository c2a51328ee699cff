/** The next moment at which the same CIB will say something else: a rule by date, an expiry, a lock, a pending node. */
import type { Configuration, NvSet, ResourceDefinition, Rule } from '../cib/index.ts'
import { nextRuleChange, type TimeZone } from './rules/index.ts'

export function recheckMoment(
  configuration: Configuration,
  zone: TimeZone,
  moments: readonly number[],
): number | undefined {
  const changes = rulesOf(configuration).flatMap((rule) => nextRuleChange(rule, zone) ?? [])
  const later = [...changes, ...moments].filter((moment) => moment > zone.now)
  return later.length === 0 ? undefined : Math.min(...later)
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
