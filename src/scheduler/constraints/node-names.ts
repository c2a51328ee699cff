/**
 * Nodes by name, without regard to case. Most locations name one node, and a cluster may have a thousand of both: looking through all
 * nodes for each location is what this avoids.
 */
import type { Rule, RuleCondition } from '../../cib/index.ts'
import type { NodeStatus } from '../../status/index.ts'

export interface NodeNames {
  /** The first node of this name. */
  readonly named: (name: string) => number | undefined
  /** The nodes for which a rule may hold, in their order: where it names one, no other needs to be asked about. */
  readonly candidates: (rule: Rule) => readonly number[]
}

export function nodeNames(nodes: readonly NodeStatus[]): NodeNames {
  const byName = indexBy(nodes, ({ name }) => name)
  const byAttribute = indexBy(nodes, ({ attributes }) => attributes.get(nameAttribute))
  const all = nodes.map((_, node) => node)
  return {
    named: (name) => byName.get(name.toLowerCase())?.[0],
    candidates: (rule) => {
      const name = requiredName(rule)
      return name === undefined ? all : (byAttribute.get(name.toLowerCase()) ?? [])
    },
  }
}

const nameAttribute = '#uname'

function indexBy(
  nodes: readonly NodeStatus[],
  textOf: (node: NodeStatus) => string | undefined,
): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>()
  for (const [index, node] of nodes.entries()) {
    const text = textOf(node)?.toLowerCase()
    if (text === undefined) continue
    const same = found.get(text)
    if (same) same.push(index)
    else found.set(text, [index])
  }
  return found
}

/** The name that a node must have for the rule to hold, where one of its conditions says so and all of them count. */
function requiredName({ booleanOp, conditions }: Rule): string | undefined {
  if (booleanOp === 'or' && conditions.length !== 1) return undefined
  for (const condition of conditions) if (isName(condition)) return condition.value
  return undefined
}

function isName(
  condition: RuleCondition,
): condition is Extract<RuleCondition, { kind: 'attribute' }> & { readonly value: string } {
  if (condition.kind !== 'attribute' || condition.attribute !== nameAttribute || condition.operation !== 'eq')
    return false
  // Compared as numbers or versions, different texts may be equal.
  const isText = condition.type === undefined || condition.type === 'string'
  return isText && condition.valueSource === 'literal' && condition.value !== undefined
}
