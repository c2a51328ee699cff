/**
 * Orders with `kind=Serialize`: the actions that one names are never carried out at the same time for the resources that it names
 * ("Specifying the Order in which Resources Should Start/Stop" in Pacemaker Explained). Within a transition its graph sees to that;
 * between transitions that are walked beside each other, nobody else would.
 */
import { type Configuration, type OrderConstraint, type ResourceSet, resourcesNamedBy } from '../cib/index.ts'
import type { GraphAction } from '../transition/index.ts'
import type { OutermostOf } from './outermost.ts'

/** An action of one resource, which is named as it is written: also a template or a tag. */
interface Task {
  readonly resource: string
  readonly operation: string
}

/** Whether an action is kept apart from one of those that are under way. */
export function serializedWith(
  busy: readonly GraphAction[],
  {
    configuration,
    outermostOf,
  }: { readonly configuration: Configuration | undefined; readonly outermostOf: OutermostOf },
): (action: GraphAction) => boolean {
  const taskOf: (action: GraphAction) => string = ({ resource = '', operation }) =>
    // A live migration begins in the place of a start.
    textOf({ resource: outermostOf(resource), operation: operation === 'migrate_to' ? 'start' : operation })
  const orders = configuration?.constraints.filter((constraint) => constraint.kind === 'order') ?? []
  const exclusive = orders
    .flatMap(serializedTasks)
    .map((tasks) =>
      tasks.flatMap(({ resource, operation }) =>
        resourcesNamedBy(resource, configuration).map((id) => textOf({ resource: outermostOf(id), operation })),
      ),
    )
  const busyTasks = new Set(busy.map(taskOf))
  const held = new Set(exclusive.filter((tasks) => tasks.some((task) => busyTasks.has(task))).flat())
  return (action) => held.has(taskOf(action))
}

/** Of which no two may be under way at once. */
function serializedTasks({ between, orderKind }: OrderConstraint): readonly (readonly Task[])[] {
  if (between.by === 'sets') {
    const tasksOf = ({ members, action = 'start' }: ResourceSet): readonly Task[] =>
      members.map((resource) => ({ resource, operation: action }))
    if (orderKind === 'Serialize') return [between.sets.flatMap(tasksOf)]
    return between.sets.filter((set) => set.orderKind === 'Serialize').map(tasksOf)
  }
  if (orderKind !== 'Serialize') return []
  const { first, firstAction = 'start', then, thenAction = firstAction } = between
  return [
    [
      { resource: first, operation: firstAction },
      { resource: then, operation: thenAction },
    ],
  ]
}

const textOf = ({ resource, operation }: Task): string => `${operation} ${resource}`
