/**
 * From where resources are and where they shall be to the actions that lead there, and their order: the second half of the
 * scheduler. Each phase takes the values of the phases before and returns its own.
 *
 * | phase    | decides                                                                                   | folders                   |
 * | -------- | ----------------------------------------------------------------------------------------- | ------------------------- |
 * | setting  | nothing: what is given                                                                    | `draft/`                  |
 * | awake    | which resources have to be looked at, all the others being at rest                        | `rest/`                   |
 * | orders   | what comes before what, by configuration and by kind of resource                          | `orders/`, `migration/`   |
 * | draft    | which actions may take place, each by itself, and how they are related                    | `roles/ probes/ fencing/` |
 * | settled  | which of them are needed and possible, all together (the table is `settling/rules.ts`)    | `settling/`               |
 * | notices  | who is told of it, where clones have `notify`                                             | `notifications/`          |
 * | graph    | how it is handed on, and how it is told to people                                         | `graph/`                  |
 */
import { onDemand } from '../../base/index.ts'
import type { TransitionGraph } from '../../transition/index.ts'
import { type Setting, type SettingInput, settingOf } from './draft/setting.ts'
import { draftActions } from './draft-actions.ts'
import { summarize, type TransitionChange } from './graph/summary.ts'
import { toGraph } from './graph/to-graph.ts'
import { notify } from './notifications/notices.ts'
import { configuredOrders } from './orders/configured-orders.ts'
import { awakeIn } from './rest/awake.ts'
import { settle } from './settling/settle.ts'

export interface PlannedTransition {
  /** Made when it is first asked for: to be told what would change it is not needed. */
  readonly graph: TransitionGraph
  readonly changes: readonly TransitionChange[]
}

export function planTransition(input: SettingInput): PlannedTransition {
  const setting = settingOf(input)
  return planFor({ ...setting, tree: awakeIn(setting) })
}

/** The transition of the resources in the tree of the setting, which must be those that are awake, or more. */
export function planFor(setting: Setting): PlannedTransition {
  const orders = configuredOrders(setting)
  const draft = draftActions(setting, orders)
  const settled = settle(draft)
  const graph = onDemand(() => toGraph({ settled, notices: notify(settled) }))
  return {
    changes: summarize(settled),
    get graph() {
      return graph()
    },
  }
}
