/**
 * From where resources are and where they shall be to the actions that lead there, and their order: the second half of the
 * scheduler. Each phase takes the values of the phases before and returns its own.
 *
 * | phase            | decides                                                                                | folders                   |
 * | ---------------- | -------------------------------------------------------------------------------------- | ------------------------- |
 * | setting          | nothing: what is given                                                                 | `draft/`                  |
 * | affected         | which resources have to be looked at, all the others being unchanged                   | `unchanged/`              |
 * | orders           | what comes before what, by configuration and by kind of resource                       | `orders/`, `migration/`   |
 * | draft            | which actions may take place, each by itself, and how they are related                 | `roles/ probes/ fencing/` |
 * | applied          | which of them are needed and possible, all together (`apply-orderings/rules.ts`)       | `apply-orderings/`        |
 * | notify actions   | which instances are notified, where clones have `notify`                               | `notifications/`          |
 * | graph            | how it is handed on, and how it is shown to people                                     | `graph/`                  |
 */
import { onDemand } from '../../base/index.ts'
import type { TransitionGraph } from '../../transition/index.ts'
import { applyOrderings } from './apply-orderings/apply-orderings.ts'
import { type Setting, type SettingInput, settingOf } from './draft/setting.ts'
import { draftActions } from './draft-actions.ts'
import { summarize, type TransitionChange } from './graph/summary.ts'
import { toGraph } from './graph/to-graph.ts'
import { notify } from './notifications/notify-actions.ts'
import { configuredOrders } from './orders/configured-orders.ts'
import { affectedTree } from './unchanged/affected.ts'

export interface PlannedTransition {
  /** Made when it is first asked for: to be told what would change it is not needed. */
  readonly graph: TransitionGraph
  readonly changes: readonly TransitionChange[]
}

export function planTransition(input: SettingInput): PlannedTransition {
  const setting = settingOf(input)
  return planFor({ ...setting, tree: affectedTree(setting) })
}

/** The transition of the resources in the tree of the setting, which must be those that are affected, or more. */
export function planFor(setting: Setting): PlannedTransition {
  const orders = configuredOrders(setting)
  const draft = draftActions(setting, orders)
  const applied = applyOrderings(draft)
  const graph = onDemand(() => toGraph({ applied, notifyActions: notify(applied) }))
  return {
    changes: summarize(applied),
    get graph() {
      return graph()
    },
  }
}
