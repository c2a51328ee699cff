/**
 * A resource's parameters on a node. Without rules they are the same everywhere and resolved once; with rules, once for
 * each node that is asked for.
 */
import type { NodeName } from '../base/index.ts'
import type { PrimitiveResource } from './cluster-status.ts'
import type { PrimitiveDraft, World } from './drafts.ts'
import { addNvSets, hasRules } from './rules/index.ts'

export function parametersOn(
  { parameters, agent }: PrimitiveDraft,
  { zone }: World,
  attributesOf: (node: NodeName) => ReadonlyMap<string, string> | undefined,
): PrimitiveResource['parametersOn'] {
  const byNode = new Map<NodeName | undefined, ReadonlyMap<string, string>>()
  const differs = hasRules(parameters)
  return (node) => {
    const key = differs ? node : undefined
    const known = byNode.get(key)
    if (known !== undefined) return known
    const values = new Map<string, string>()
    const nodeAttributes = key === undefined ? undefined : attributesOf(key)
    addNvSets(values, parameters, { zone, agent, nodeAttributes })
    byNode.set(key, values)
    return values
  }
}
