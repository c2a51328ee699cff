/** Where a resource may run on no node for what their machines are, that is said in the words of profiles: no node has 64 GiB. */
import { definitionsAround, readConfiguration } from '../../../cib/index.ts'
import { excludedEverywhere } from '../../../hardware/index.ts'
import type { Call } from '../../call/command.ts'
import { factsByNode } from '../node/facts.ts'

export async function lackingHardware(call: Call, resource: string): Promise<readonly string[]> {
  const { cib } = await call.cluster.readCib()
  const configuration = readConfiguration(cib)
  const names = new Set([resource, ...definitionsAround(configuration, resource).map(({ id }) => String(id))])
  const rules = configuration.constraints.flatMap((constraint) =>
    constraint.kind === 'location' &&
    constraint.resource.by === 'id' &&
    names.has(constraint.resource.id) &&
    constraint.where.by === 'rules'
      ? constraint.where.rules
      : [],
  )
  if (rules.length === 0) return []
  const nodes = await factsByNode(call)
  return [...new Set(rules.flatMap((rule) => excludedEverywhere(rule, nodes)))]
}
