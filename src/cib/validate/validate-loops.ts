/**
 * Orders and colocations that form a loop. For orders only what must hold counts: mandatory, symmetrical, start after start.
 * A group orders its members, and stands for its last member when something waits for it, for its first when it waits.
 */
import type { Configuration, ResourceDefinition, ResourceSet } from '../configuration.ts'
import type { XmlElement } from '../document.ts'
import type { AddReport } from './report.ts'

interface Edge {
  readonly from: string
  readonly to: string
  readonly constraint: string
}

/** Reports each loop once, at the constraint that closes it. */
export function validateLoops(
  configuration: Configuration,
  constraintElement: (id: string) => XmlElement | undefined,
  add: AddReport,
): void {
  const ends = endsOf(configuration)
  report(orderEdges(configuration, ends), 'order-loop', 'error')
  report(colocationEdges(configuration), 'colocation-loop', 'warning')

  function report(edges: readonly Edge[], code: 'order-loop' | 'colocation-loop', severity: 'error' | 'warning'): void {
    for (const loop of loopsIn(edges)) {
      const constraints = [...new Set(loop.map(({ constraint }) => constraint))]
      const at = constraints.map(constraintElement).find((element) => element !== undefined)
      const names = [...loop.map(({ from }) => from), loop[0]?.from ?? '']
      if (at) add(severity, at, { code, loop: names, constraints })
    }
  }
}

/** What must be up before others that wait for a resource may start, and what starts first of it. */
interface Ends {
  readonly first: string
  readonly last: string
}

function endsOf(configuration: Configuration): ReadonlyMap<string, Ends> {
  const ends = new Map<string, Ends>()
  const visit = (resource: ResourceDefinition): Ends => {
    const found = endsOfOne(resource, visit)
    ends.set(resource.id, found)
    return found
  }
  configuration.resources.forEach(visit)
  return ends
}

function endsOfOne(resource: ResourceDefinition, visit: (inner: ResourceDefinition) => Ends): Ends {
  switch (resource.kind) {
    case 'primitive':
      return { first: resource.id, last: resource.id }
    case 'group': {
      const members = resource.members.map(visit)
      return { first: members[0]?.first ?? resource.id, last: members.at(-1)?.last ?? resource.id }
    }
    case 'clone':
      return visit(resource.child)
    case 'bundle':
      if (resource.child) visit(resource.child)
      return { first: resource.id, last: resource.id }
  }
}

function orderEdges(configuration: Configuration, ends: ReadonlyMap<string, Ends>): readonly Edge[] {
  const edge = (from: string, to: string, constraint: string): Edge => ({
    from: ends.get(from)?.last ?? from,
    to: ends.get(to)?.first ?? to,
    constraint,
  })
  const inGroups = (resource: ResourceDefinition): readonly Edge[] => {
    if (resource.kind === 'clone') return inGroups(resource.child)
    if (resource.kind !== 'group') return []
    return pairsOf(resource.members.map(({ id }) => id)).map(([a, b]) => edge(a, b, resource.id))
  }
  const constrained = configuration.constraints.flatMap((constraint): readonly Edge[] => {
    if (constraint.kind !== 'order' || constraint.lifetime !== undefined) return []
    if (constraint.orderKind !== 'Mandatory' || constraint.symmetrical === false) return []
    const { between } = constraint
    if (between.by === 'pair') {
      const starts = (between.firstAction ?? 'start') === 'start' && (between.thenAction ?? 'start') === 'start'
      return starts ? [edge(between.first, between.then, constraint.id)] : []
    }
    return setPairs(between.sets).map(([a, b]) => edge(a, b, constraint.id))
  })
  return [...configuration.resources.flatMap(inGroups), ...constrained]
}

/** Members of a sequential set one after the other, and every member of a set after every one of the set before. */
function setPairs(sets: readonly ResourceSet[]): readonly (readonly [string, string])[] {
  const started = sets.filter((set) => (set.action ?? 'start') === 'start')
  const within = started.flatMap((set) => (set.sequential ? pairsOf(set.members) : []))
  const between = pairsOf(started).flatMap(([a, b]) =>
    a.requireAll ? a.members.flatMap((from) => b.members.map((to) => [from, to] as const)) : [],
  )
  return [...within, ...between]
}

/** Dependent to primary, where it is mandatory that they are together. */
function colocationEdges(configuration: Configuration): readonly Edge[] {
  return configuration.constraints.flatMap((constraint): readonly Edge[] => {
    if (constraint.kind !== 'colocation' || constraint.score < 1_000_000 || constraint.lifetime !== undefined) return []
    if (constraint.between.by === 'sets') return []
    const { dependent, primary, dependentRole, primaryRole } = constraint.between
    return dependentRole === undefined && primaryRole === undefined
      ? [{ from: dependent, to: primary, constraint: constraint.id }]
      : []
  })
}

function pairsOf<Item>(items: readonly Item[]): readonly (readonly [Item, Item])[] {
  return items.slice(1).flatMap((item, i) => {
    const before = items[i]
    return before === undefined ? [] : [[before, item] as const]
  })
}

/** One loop through each place that closes one, found depth first without recursion: chains may be long. */
function loopsIn(edges: readonly Edge[]): readonly (readonly Edge[])[] {
  const outgoing = new Map<string, Edge[]>()
  for (const edge of edges) outgoing.set(edge.from, [...(outgoing.get(edge.from) ?? []), edge])
  const finished = new Set<string>()
  const loops: (readonly Edge[])[] = []
  for (const start of outgoing.keys()) {
    if (finished.has(start)) continue
    const path: { readonly at: string; readonly by?: Edge; next: number }[] = [{ at: start, next: 0 }]
    const onPath = new Set([start])
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const edge = outgoing.get(top.at)?.[top.next++]
      if (edge === undefined) {
        finished.add(top.at)
        onPath.delete(top.at)
        path.pop()
      } else if (onPath.has(edge.to)) {
        const from = path.findIndex(({ at }) => at === edge.to)
        loops.push([...path.slice(from + 1).flatMap(({ by }) => by ?? []), edge])
      } else if (!finished.has(edge.to)) {
        onPath.add(edge.to)
        path.push({ at: edge.to, by: edge, next: 0 })
      }
    }
  }
  return loops
}
