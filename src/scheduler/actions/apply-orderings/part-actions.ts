/**
 * What the parts of a clone or bundle do, looked up once: each relation of a point asks for it, and a clone with a thousand
 * instances has thousands of those. Which actions there are does not change while orderings are applied, only their states do.
 */
import type { NodeName } from '../../../base/index.ts'
import type { ActionIndex, PlannedAction } from '../draft/action.ts'
import { type PlannedBundle, type PlannedClone, type PlannedResource, partsDoing } from '../draft/planned-resource.ts'

/** The latest action of each part with one task. */
interface TaskOfParts {
  readonly anywhere: readonly PlannedAction[]
  /** The same of those that are primitives, for one node each. */
  readonly byNode: ReadonlyMap<NodeName, readonly PlannedAction[]>
}

const none: readonly PlannedAction[] = []

export class PartActions {
  readonly #index: ActionIndex<PlannedAction>
  readonly #ofParts = new Map<PlannedResource, Map<string, TaskOfParts>>()
  readonly #own = new Map<PlannedResource, Map<string, PlannedAction | undefined>>()

  constructor(index: ActionIndex<PlannedAction>) {
    this.#index = index
  }

  anywhere(rsc: PlannedClone | PlannedBundle, task: string): readonly PlannedAction[] {
    return this.#parts(rsc, task).anywhere
  }

  on(rsc: PlannedClone | PlannedBundle, task: string, node: NodeName): readonly PlannedAction[] {
    return this.#parts(rsc, task).byNode.get(node) ?? none
  }

  /** What a resource does itself: its action without an interval, the latest one. */
  own(rsc: PlannedResource, task: string): PlannedAction | undefined {
    const known = entryOf(this.#own, rsc)
    if (!known.has(task)) known.set(task, this.#index.withTask(rsc, task).at(-1))
    return known.get(task)
  }

  #parts(rsc: PlannedClone | PlannedBundle, task: string): TaskOfParts {
    const known = entryOf(this.#ofParts, rsc)
    const found = known.get(task) ?? tasksOf(this.#index, partsDoing(rsc, task), task)
    known.set(task, found)
    return found
  }
}

function entryOf<Value>(map: Map<PlannedResource, Map<string, Value>>, rsc: PlannedResource): Map<string, Value> {
  const known = map.get(rsc)
  if (known) return known
  const made = new Map<string, Value>()
  map.set(rsc, made)
  return made
}

function tasksOf(index: ActionIndex<PlannedAction>, parts: readonly PlannedResource[], task: string): TaskOfParts {
  const byNode = new Map<NodeName, PlannedAction[]>()
  const anywhere = parts.flatMap((part) => {
    const own = index.ofResource(part).filter((action) => action.task === task)
    const latest = new Map(own.map((action) => [action.node?.name, action] as const))
    if (part.kind === 'primitive')
      for (const [node, action] of latest) {
        if (node === undefined) continue
        const known = byNode.get(node)
        if (known) known.push(action)
        else byNode.set(node, [action])
      }
    return own.slice(-1)
  })
  return { anywhere, byNode }
}
