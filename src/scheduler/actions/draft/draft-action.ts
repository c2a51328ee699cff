/** An action as it comes into the draft: needed or not, possible until something speaks against it, related to nothing. */
import type { NodeStatus } from '../../../status/index.ts'
import type { ActionCause, ActionState, PlannedAction } from './action.ts'
import type { PlannedResource } from './planned-resource.ts'
import type { Related, Relation } from './relation.ts'

/** An action while it is drafted. */
export interface DraftAction extends ActionState, Related<DraftAction> {
  readonly id: number
  readonly rsc: PlannedResource | undefined
  readonly key: string
  task: string
  cancels: string | undefined
  readonly intervalMs: number
  node: NodeStatus | undefined
  /** What must be given before: quorum, fencing of every node that may still run the resource, nothing. */
  needs: 'nothing' | 'quorum' | 'fencing'
  /** The operation's parameters changed: it must be set up again. */
  reschedule: boolean
  abortsMigration: boolean
  readonly onDc: boolean
  readonly minRunnable: number | undefined
  priority: number
  expectedRc: number | undefined
  migration: PlannedAction['migration']
  readonly meta: Map<string, string>
}

type Given = Pick<
  DraftAction,
  'id' | 'rsc' | 'key' | 'task' | 'intervalMs' | 'node' | 'needs' | 'optional' | 'minRunnable'
> & { readonly metaOf: () => Map<string, string> }

export class DraftedAction implements DraftAction {
  readonly id: number
  readonly rsc: PlannedResource | undefined
  readonly key: string
  readonly intervalMs: number
  readonly onDc: boolean
  readonly minRunnable: number | undefined
  readonly before: Relation<DraftAction>[] = []
  readonly after: Relation<DraftAction>[] = []
  task: string
  cancels: string | undefined = undefined
  node: NodeStatus | undefined
  needs: DraftAction['needs']
  optional: boolean
  runnable = true
  pseudo = false
  migratable = false
  alwaysInGraph = false
  reschedule = false
  abortsMigration = false
  priority = 0
  expectedRc: number | undefined = undefined
  migration: DraftAction['migration'] = undefined
  reason: string | undefined = undefined
  cause: ActionCause | undefined = undefined
  #meta: Map<string, string> | undefined
  readonly #metaOf: () => Map<string, string>

  constructor({ id, rsc, key, task, intervalMs, node, needs, optional, minRunnable, metaOf }: Given) {
    this.id = id
    this.rsc = rsc
    this.key = key
    this.task = task
    this.intervalMs = intervalMs
    this.node = node
    this.needs = needs
    this.optional = optional
    this.minRunnable = minRunnable
    this.onDc = task === 'lrm_delete'
    this.#metaOf = metaOf
  }

  /** Made when it is first looked at: where nothing changes, most actions never are. */
  get meta(): Map<string, string> {
    this.#meta ??= this.#metaOf()
    return this.#meta
  }
}
