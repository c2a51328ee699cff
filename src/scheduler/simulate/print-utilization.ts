/** What the nodes offer, what each resource takes where it goes, and what is left. */
import type { NodeName, ResourceId } from '../../base/index.ts'
import type { ScoreLine } from '../assigned/assignment.ts'
import { printScoreLine } from '../print-scores.ts'
import type { Simulation } from './simulate.ts'

type Amounts = ReadonlyMap<string, number>

export interface Utilization {
  readonly original: ReadonlyMap<NodeName, Amounts>
  readonly assigned: readonly { readonly resource: ResourceId; readonly node: NodeName; readonly takes: Amounts }[]
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

/** What is shown of how resources were assigned, in the order in which that was done: scores, and beside each resource what it takes. */
export type AllocationLine =
  | {
      readonly kind: 'capacity'
      readonly title: 'Original' | 'Remaining'
      readonly node: NodeName
      readonly has: Amounts
    }
  | { readonly kind: 'load'; readonly resource: ResourceId; readonly node: NodeName; readonly takes: Amounts }
  | ScoreLine

/** A resource takes its share of a node when its own scores have been looked at for the last time. */
export function allocations(
  simulation: Pick<Simulation, 'status' | 'assignment'>,
  shown: { readonly scores?: boolean; readonly utilization?: boolean },
): readonly AllocationLine[] {
  const { scores } = simulation.assignment
  if (shown.utilization !== true) return shown.scores === true ? scores : []
  const { original, assigned, remaining } = utilizationOf(simulation)
  const loads: ReadonlyMap<string, AllocationLine & { readonly kind: 'load' }> = new Map(
    assigned.map((load) => [load.resource, { kind: 'load', ...load }] as const),
  )
  const lastLine: ReadonlyMap<string, number> = new Map(
    scores.flatMap((line, index) =>
      line.kind === 'scores' && line.by === 'primitive' ? [[line.resource, index] as const] : [],
    ),
  )
  const lines = scores.flatMap((line, index): readonly AllocationLine[] => {
    const load = lastLine.get(line.resource) === index ? loads.get(line.resource) : undefined
    return [...(shown.scores === true ? [line] : []), ...(load === undefined ? [] : [load])]
  })
  const capacities = (title: 'Original' | 'Remaining', of: ReadonlyMap<NodeName, Amounts>): readonly AllocationLine[] =>
    [...of].map(([node, has]) => ({ kind: 'capacity', title, node, has }))
  return [
    ...capacities('Original', original),
    ...[...loads.values()].filter(({ resource }) => !lastLine.has(resource)),
    ...lines,
    ...capacities('Remaining', remaining),
  ]
}

export function printAllocations(
  simulation: Pick<Simulation, 'status' | 'assignment'>,
  shown: { readonly scores?: boolean; readonly utilization?: boolean },
): readonly string[] {
  return allocations(simulation, shown).flatMap((line) => {
    switch (line.kind) {
      case 'capacity':
        return [`${line.title}: ${line.node} capacity:${list(line.has)}`]
      case 'load':
        return [`pcmk__assign_resource: ${line.resource} utilization on ${line.node}:${list(line.takes)}`]
      default:
        return printScoreLine(line, simulation.status.nodes)
    }
  })
}

/** Of the section that shows them. */
export function allocationsTitle({
  scores,
  utilization,
}: {
  readonly scores?: boolean
  readonly utilization?: boolean
}): string {
  if (scores === true && utilization === true) return 'Assignment Scores and Utilization Information:'
  return utilization === true ? 'Utilization Information:' : 'Assignment Scores:'
}

const list = (amounts: Amounts): string => [...amounts].map(([name, amount]) => ` ${name}=${amount}`).join('')
