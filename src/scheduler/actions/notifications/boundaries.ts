/**
 * Clones with `notify=true` tell every instance before (`pre`) and after (`post`) one of them starts, stops, is promoted or
 * demoted ("Clone Resource Agent Requirements" in Pacemaker Explained). The boundaries are ordering points around the
 * clone's own: announce, confirmed, the change, done, tell, confirmed.
 */
import { notifyKey } from '../draft/action.ts'
import type { Change, NotificationBoundaries, NotificationBoundary } from '../draft/boundary.ts'
import { type Drafting, isUnclean } from '../draft/draft.ts'
import type { DraftAction } from '../draft/draft-action.ts'
import { findOrCreateAction } from '../draft/find-or-create-action.ts'
import {
  type PlannedClone,
  type PlannedPrimitive,
  type PlannedResource,
  primitivesOf,
  topOf,
} from '../draft/planned-resource.ts'
import { relate, rule } from '../draft/relation.ts'
import { notifiedInstances } from './notified-instances.ts'

/** A change of a clone as two points: it begins, it is done. */
export interface Course {
  readonly action?: DraftAction
  readonly done?: DraftAction
}

export type Changing = Partial<Readonly<Record<Change, Course>>>

const INFINITY = 1_000_000

/** One kind of change is confirmed to all before the next is announced. */
const sequence: readonly (readonly [Change, Change])[] = [
  ['stop', 'start'],
  ['start', 'promote'],
  ['stop', 'promote'],
  ['demote', 'promote'],
  ['demote', 'start'],
  ['demote', 'stop'],
]

export function bindNotifications(draft: Drafting, clone: PlannedClone, changing: Changing): void {
  const bound = (change: Change): NotificationBoundaries<DraftAction> => {
    const course = changing[change]
    return course ? { [change]: boundary(draft, clone, change, course) } : {}
  }
  const known = draft.boundaries.get(clone)
  const all = { ...known, ...bound('start'), ...bound('stop'), ...bound('promote'), ...bound('demote') }
  for (const [first, follower] of sequence) relate(all[first]?.postDone, all[follower]?.pre, rule.ordered)
  draft.boundaries.set(clone, all)
}

function boundary(
  draft: Drafting,
  rsc: PlannedResource,
  change: Change,
  { action, done }: Course,
): NotificationBoundary<DraftAction> {
  const pre = action && notifyPoint(draft, rsc, { action, change, when: 'pre', name: 'notify' })
  const preDone = action && notifyPoint(draft, rsc, { action, change, when: 'confirmed-pre', name: 'notified' })
  if (pre && preDone) {
    relate(pre, preDone, rule.ordered)
    relate(preDone, action, rule.ordered)
  }
  const post = done && notifyPoint(draft, rsc, { action: done, change, when: 'post', name: 'notify' })
  const postDone = done && notifyPoint(draft, rsc, { action: done, change, when: 'confirmed-post', name: 'notified' })
  if (post && postDone) {
    for (const point of [post, postDone]) {
      point.priority = INFINITY
      point.runnable = done.runnable
    }
    relate(done, post, rule.firstImpliesThen)
    relate(post, postDone, rule.firstImpliesThen)
    relate(preDone, post, rule.ordered)
  }
  return {
    change,
    ...(pre && { pre }),
    ...(preDone && { preDone }),
    ...(post && { post }),
    ...(postDone && { postDone }),
  }
}

interface NotifyPoint {
  readonly action: DraftAction
  readonly change: Change
  readonly when: string
  readonly name: string
}

function notifyPoint(draft: Drafting, rsc: PlannedResource, { action, change, when, name }: NotifyPoint): DraftAction {
  const key = notifyKey(rsc.id, when, action.task)
  const point = findOrCreateAction(draft, { rsc, key, task: name, optional: action.optional })
  point.pseudo = true
  point.runnable = true
  point.meta.set('notify_key_type', when)
  point.meta.set('notify_key_operation', action.task)
  point.meta.set('notify_type', when.replace('confirmed-', ''))
  point.meta.set('notify_operation', change)
  return point
}

const itself = (action: DraftAction): DraftAction => action

/** Instances elsewhere are told of a stop that fencing implies, once the fencing is done. */
export function bindAfterFencing(draft: Drafting, rsc: PlannedPrimitive, fencing: DraftAction): void {
  const after = boundary(draft, rsc, 'stop', { done: fencing })
  const told = primitivesOf(topOf(rsc)).flatMap((instance) =>
    notifiedInstances(draft, instance, {
      change: 'stop',
      isUnclean: (node) => isUnclean(draft, node),
      stateOf: itself,
    }).flatMap(({ node, hears }) => (hears.post ? [{ rsc: instance, node }] : [])),
  )
  draft.afterFencing.push({ boundary: after, rsc, told })
}
