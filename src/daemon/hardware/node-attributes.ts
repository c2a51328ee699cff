/** The transient attributes of a node by name. Many keepers ask after every change of the store, so that they are sorted by node once for each change of attributes. */
import type { NodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'

type Values = ReadonlyMap<string, string>

const sorted = new WeakMap<ClusterView['attributes'], ReadonlyMap<string, Values>>()
const none: Values = new Map()

export function attributesOfNode({ attributes }: Pick<ClusterView, 'attributes'>, node: NodeName): Values {
  const known = sorted.get(attributes) ?? byNode(attributes)
  sorted.set(attributes, known)
  return known.get(node) ?? none
}

function byNode(attributes: ClusterView['attributes']): ReadonlyMap<string, Values> {
  const nodes = new Map<string, Map<string, string>>()
  for (const { node, name, value } of attributes.values()) {
    const values = nodes.get(node) ?? new Map<string, string>()
    nodes.set(node, values.set(name, value))
  }
  return nodes
}
