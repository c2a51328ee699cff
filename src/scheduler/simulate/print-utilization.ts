/** What the nodes offer, what each resource takes where it goes, and what is left. */
import type { NodeName } from '../../base/index.ts'
import type { Simulation } from './simulate.ts'

type Amounts = ReadonlyMap<string, number>

export interface Utilization {
  readonly original: ReadonlyMap<NodeName, Amounts>
  readonly assigned: readonly { readonly resource: string; readonly node: NodeName; readonly takes: Amounts }[]
  readonly remaining: ReadonlyMap<NodeName, Amounts>
}

/** Whatever the placement strategy is: with `default` it is shown all the same, and may be less than nothing. */
export function utilizationOf({ status, assignment }: Pick<Simulation, 'status' | 'assignment'>): Utilization {
  const nodes = status.nodes
  const remaining = new Map(nodes.map(({ name, utilization }) => [name, new Map(utilization)] as const))
  const assigned = [...assignment.primitives.values()].flatMap(({ id, node }) => {
    const takes = status.primitivesById.get(id)?.utilization ?? new Map<string, number>()
    return node === undefined ? [] : [{ resource: id, node, takes }]
  })
  for (const { node, takes } of assigned) {
    const left = remaining.get(node)
    for (const [name, amount] of takes) {
      left?.set(name, (left.get(name) ?? 0) - amount)
    }
  }
  return { original: new Map(nodes.map(({ name, utilization }) => [name, utilization])), assigned, remaining }
}

export function printUtilization(simulation: Pick<Simulation, 'status' | 'assignment'>): readonly string[] {
  const { original, assigned, remaining } = utilizationOf(simulation)
  const capacities = (title: string, of: ReadonlyMap<NodeName, Amounts>): readonly string[] =>
    [...of].map(([node, amounts]) => `${title}: ${node} capacity:${list(amounts)}`)
  return [
    ...capacities('Original', original),
    ...assigned.map(
      ({ resource, node, takes }) => `pcmk__assign_resource: ${resource} utilization on ${node}:${list(takes)}`,
    ),
    ...capacities('Remaining', remaining),
  ]
}

const list = (amounts: Amounts): string => [...amounts].map(([name, amount]) => ` ${name}=${amount}`).join('')
