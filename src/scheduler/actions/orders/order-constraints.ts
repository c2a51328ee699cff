/**
 * Order constraints as orderings: written pairs, resource sets, tags and templates; Optional, Mandatory and Serialize;
 * symmetrical ones with their way down; and sets or clones of which only some are required ("Specifying the Order in which
 * Resources Should Start/Stop" and "Ordering Sets of Resources" in Pacemaker Explained).
 */
import type { OrderConstraint, OrderKind, ResourceSet } from '../../../cib/index.ts'
import { completeSets, type References } from '../../constraints/references.ts'
import type { Point } from '../draft/order.ts'
import type { OrderList } from '../draft/order-list.ts'
import type { PlannedResource } from '../draft/planned-resource.ts'
import { type Rules, rule } from '../draft/relation.ts'
import { inverseTask } from '../draft/role-tasks.ts'
import type { Setting } from '../draft/setting.ts'

type Symmetry = 'asymmetrical' | 'symmetrical' | 'inverse'

export function orderByConstraints({ status, tree, assignment: { references } }: Setting, orders: OrderList): void {
  for (const constraint of status.configuration.constraints) {
    if (constraint.kind !== 'order') continue
    if (constraint.lifetime && !status.ruleHolds(constraint.lifetime, {})) continue
    const rsc = (id: string): PlannedResource | undefined => {
      const entry = references.resource(id)
      return entry && tree.byId.get(entry.id)
    }
    planConstraint({ orders, constraint, references, rsc })
  }
}

interface Context {
  readonly orders: OrderList
  readonly constraint: OrderConstraint
  readonly references: References
  readonly rsc: (id: string) => PlannedResource | undefined
}

function planConstraint(context: Context): void {
  const { between } = context.constraint
  if (between.by === 'sets') {
    planSets(context, between.sets)
    return
  }
  const firsts = context.references.members(between.first)
  const thens = context.references.members(between.then)
  if (firsts === undefined && thens === undefined) {
    planPair(context, { ...between, follower: between.then })
    return
  }
  // A tag or a template is a set without an order of its own.
  const asSet = (which: 'first' | 'then', members: readonly string[], action: ResourceSet['action']): ResourceSet => ({
    id: `${context.constraint.id}-${which}`,
    members,
    sequential: false,
    sequentialWritten: false,
    requireAll: true,
    ...(action && { action }),
  })
  planSets(context, [
    asSet('first', firsts ?? [between.first], between.firstAction),
    asSet('then', thens ?? [between.then], between.thenAction),
  ])
}

function symmetryOf(kind: OrderKind, written: boolean | undefined): Symmetry {
  if (kind === 'Serialize' || written === false) return 'asymmetrical'
  return 'symmetrical'
}

/** What a constraint of a kind means for the first action of one of its directions. */
function rulesFor(kind: OrderKind, first: string, symmetry: Symmetry): Rules {
  if (kind === 'Optional') return rule.ordered
  if (kind === 'Serialize') return rule.ordered | rule.serialize
  switch (symmetry) {
    case 'asymmetrical':
      return rule.ordered | rule.asymmetric
    case 'symmetrical': {
      const up = first === 'start' || first === 'promote' ? rule.unrunnableFirstBlocks : 0
      return rule.ordered | rule.firstImpliesThen | up
    }
    case 'inverse':
      return rule.ordered | rule.thenImpliesFirst
  }
}

interface Pair {
  readonly first: string
  readonly follower: string
  readonly firstAction?: string
  readonly thenAction?: string
}

function planPair({ orders, constraint, rsc }: Context, pair: Pair): void {
  const first = rsc(pair.first)
  const then = rsc(pair.follower)
  if (!first || !then) return
  const firstTask = pair.firstAction ?? 'start'
  const thenTask = pair.thenAction ?? firstTask
  const kind = constraint.orderKind
  const symmetry = symmetryOf(kind, constraint.symmetrical)
  const rules = rulesFor(kind, firstTask, symmetry)
  const needed = minimumOf(first, constraint)
  if (needed > 0 && first.kind === 'clone') {
    const enough: Point = { kind: 'enough', name: `clone-one-or-more:${constraint.id}`, minRunnable: needed }
    for (const instance of first.instances) {
      orders.add({ rsc: instance, task: firstTask }, { point: enough }, rule.minRunnable | rule.firstShowsThen)
    }
    orders.add({ point: enough }, { rsc: then, task: thenTask }, rules | rule.unrunnableFirstBlocks)
  } else {
    orders.addTasks({ rsc: first, task: firstTask }, { rsc: then, task: thenTask }, rules)
  }
  if (symmetry !== 'symmetrical') return
  const down = { first: inverseTask(thenTask), last: inverseTask(firstTask) }
  orders.addTasks(
    { rsc: then, task: down.first },
    { rsc: first, task: down.last },
    rulesFor(kind, down.last, 'inverse'),
  )
}

/** How many instances of a clone must be up before what follows it: all unless clone-min or require-all says otherwise. */
function minimumOf(first: PlannedResource, constraint: OrderConstraint): number {
  if (first.kind !== 'clone') return 0
  if (first.resource.cloneMin > 0) return first.resource.cloneMin
  return constraint.requireAll ? 0 : 1
}

function planSets(context: Context, sets: readonly ResourceSet[]): void {
  const { constraint } = context
  const kind = constraint.orderKind
  const symmetry = symmetryOf(kind, constraint.symmetrical)
  const expanded = context.references.expandSets(sets)
  const known = expanded.slice(0, completeSets(context.references, expanded))
  known.forEach((set, index) => {
    planWithinSet(context, set)
    const before = known[index - 1]
    if (!before) return
    planBetweenSets(context, before, set, symmetry)
    if (symmetry === 'symmetrical') planBetweenSets(context, set, before, 'inverse')
  })
}

function planWithinSet({ orders, constraint, rsc }: Context, set: ResourceSet): void {
  const kind = set.orderKind ?? constraint.orderKind
  const symmetry = symmetryOf(kind, constraint.symmetrical)
  const task = set.action ?? 'start'
  const resources = set.members.flatMap((id) => rsc(id) ?? [])
  const rules = rulesFor(kind, task, symmetry)
  resources.forEach((then, index) => {
    if (kind === 'Serialize') {
      for (const later of resources.slice(index + 1)) orders.addTasks({ rsc: then, task }, { rsc: later, task }, rules)
    } else if (set.sequential) {
      const first = resources[index - 1]
      if (first) orders.addTasks({ rsc: first, task }, { rsc: then, task }, rules)
    }
  })
  if (symmetry === 'asymmetrical' || !set.sequential) return
  const down = inverseTask(task)
  const downRules = rulesFor(kind, down, 'inverse')
  resources.forEach((first, index) => {
    const then = resources[index - 1]
    if (then) orders.addTasks({ rsc: first, task: down }, { rsc: then, task: down }, downRules)
  })
}

/** On the way up the last of one set that is written as sequential comes before the first of the next; on the way down it is the reverse. */
function planBetweenSets(
  { orders, constraint, rsc }: Context,
  firsts: ResourceSet,
  thens: ResourceSet,
  symmetry: Symmetry,
): void {
  const isInverse = symmetry === 'inverse'
  const task = (set: ResourceSet): string => (isInverse ? inverseTask(set.action ?? 'start') : (set.action ?? 'start'))
  const rules = rulesFor(constraint.orderKind, task(firsts), symmetry)
  const resources = (set: ResourceSet): readonly PlannedResource[] => set.members.flatMap((id) => rsc(id) ?? [])
  // On the way down nothing waits for only some.
  if (!firsts.requireAll && !isInverse) {
    const enough: Point = { kind: 'enough', name: `one-or-more:${firsts.id}`, minRunnable: 1 }
    for (const first of resources(firsts)) {
      orders.add({ rsc: first, task: task(firsts) }, { point: enough }, rule.minRunnable | rule.firstShowsThen)
    }
    for (const then of resources(thens)) {
      orders.add({ point: enough }, { rsc: then, task: task(thens) }, rules | rule.unrunnableFirstBlocks)
    }
    return
  }
  const ends = (set: ResourceSet, end: 'first' | 'last'): readonly PlannedResource[] => {
    const all = resources(set)
    if (!set.sequentialWritten) return all
    return end === 'first' ? all.slice(0, 1) : all.slice(-1)
  }
  for (const first of ends(firsts, isInverse ? 'first' : 'last')) {
    for (const then of ends(thens, isInverse ? 'last' : 'first')) {
      orders.addTasks({ rsc: first, task: task(firsts) }, { rsc: then, task: task(thens) }, rules)
    }
  }
}
