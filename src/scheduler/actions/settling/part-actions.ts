/**
 * What the parts of a clone or bundle do, looked up once: each relation of a point asks for it, and a clone with a thousand
 * instances has thousands of those. Which actions there are does not change while they are settled, only their states do.
 */
import type { NodeName } from '../../../base/index.ts'
import type { ActionIndex, PlannedAction } from '../draft/action.ts'
import { type BundleUnit, type CloneUnit, partsDoing, type Unit } from '../draft/unit.ts'

/** The latest action of each part with one task. */
interface TaskOfParts {
  readonly anywhere: readonly PlannedAction[]
  /** The same of those that are primitives, for one node each. */
  readonly byNode: ReadonlyMap<NodeName, readonly PlannedAction[]>
}

const none: readonly PlannedAction[] = []

export class PartActions {
  readonly #index: ActionIndex<PlannedAction>
  readonly #ofParts = new Map<Unit, Map<string, TaskOfParts>>()
  readonly #own = new Map<Unit, Map<string, PlannedAction | undefined>>()

  constructor(index: ActionIndex<PlannedAction>) {
    this.#index = index
  }

  anywhere(unit: CloneUnit | BundleUnit, task: string): readonly PlannedAction[] {
    return this.#parts(unit, task).anywhere
  }

  on(unit: CloneUnit | BundleUnit, task: string, node: NodeName): readonly PlannedAction[] {
    return this.#parts(unit, task).byNode.get(node) ?? none
  }

  /** What a unit does itself: its action without an interval, the latest one. */
  own(unit: Unit, task: string): PlannedAction | undefined {
    const known = entryOf(this.#own, unit)
    if (!known.has(task)) known.set(task, this.#index.withTask(unit, task).at(-1))
    return known.get(task)
  }

  #parts(unit: CloneUnit | BundleUnit, task: string): TaskOfParts {
    const known = entryOf(this.#ofParts, unit)
    const found = known.get(task) ?? tasksOf(this.#index, partsDoing(unit, task), task)
    known.set(task, found)
    return found
  }
}

function entryOf<Value>(map: Map<Unit, Map<string, Value>>, unit: Unit): Map<string, Value> {
  const known = map.get(unit)
  if (known) return known
  const made = new Map<string, Value>()
  map.set(unit, made)
  return made
}

function tasksOf(index: ActionIndex<PlannedAction>, parts: readonly Unit[], task: string): TaskOfParts {
  const byNode = new Map<NodeName, PlannedAction[]>()
  const anywhere = parts.flatMap((part) => {
    const own = index.ofUnit(part).filter((action) => action.task === task)
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
