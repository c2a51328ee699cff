/** The actions that stand for points of the cluster in an order. */
import type { Drafting } from '../draft/draft.ts'
import type { DraftAction } from '../draft/draft-action.ts'
import { fenceAction, point } from '../draft/find-or-create-action.ts'
import type { Order, Point } from '../draft/order.ts'
import { nodeNamed } from '../draft/setting.ts'

/** So that points are numbered in the order in which the configuration comes upon them. */
export function draftPoints(draft: Drafting, orders: readonly Order[]): void {
  for (const { first, follower } of orders) {
    for (const side of [first, follower]) if (side.point) pointAction(draft, side.point)
  }
}

export function pointAction(draft: Drafting, named: Point): DraftAction {
  switch (named.kind) {
    case 'enough':
      return point(draft, named.name, named.minRunnable)
    case 'load-stopped': {
      const action = point(draft, `load_stopped_${named.node}`)
      action.node ??= nodeNamed(draft, named.node)
      action.optional = false
      return action
    }
    case 'unfencing':
      return fenceAction(draft, nodeNamed(draft, named.node), { action: 'on', optional: true })
  }
}
