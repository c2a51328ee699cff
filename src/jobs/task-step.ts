/**
 * What a node does with one of its tasks, from the record in the store and from what the task's folder shows.
 *
 * A task runs at most once, whatever dies in between. The record names its boot before anything starts, so after another boot it is lost and never
 * begun. Within one boot the runner begins by making a file that only one process can make: of several runners that were started for
 * a task, by daemons that died meanwhile, one runs the command. One result is recorded: the runner writes it whole, and the record
 * changes to it by compare-and-swap.
 *
 * A task that is *assigned* was written with the claim, for one life of the node: that life begins it without a further write, and no other does.
 */
import type { NodeName } from '../base/index.ts'
import { isFinished, type TaskRecord } from './task.ts'

/** As the runner wrote it. */
export interface TaskResult {
  readonly started: string
  readonly ended: string
  readonly exitCode?: number
  readonly signal?: string
  readonly timedOut?: true
  /** It was ended, or not begun, because somebody wanted that. */
  readonly cancelled?: true
  readonly reason?: string
  readonly tail?: string
  /** As in the record of the task. */
  readonly commands?: string
  readonly said?: string
}

export type TaskTrace =
  /** No runner has begun, and none is on its way. */
  | { readonly kind: 'nothing' }
  /** A runner was started, or runs the command. */
  | { readonly kind: 'alive' }
  /** A runner has begun and is gone, without a result. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'ended'; readonly result: TaskResult }

/** This life of the node. */
export interface TaskSelf {
  readonly node: NodeName
  readonly incarnation: number
  readonly bootId?: string
}

export type TaskAction =
  | { readonly kind: 'none' }
  /** By compare-and-swap with the record that it was made from. */
  | { readonly kind: 'record'; readonly record: TaskRecord }
  | { readonly kind: 'start' }
  | { readonly kind: 'stop' }

const none: TaskAction = { kind: 'none' }

/** `now`: ISO 8601. */
export function taskStep(
  task: TaskRecord,
  { self, trace }: { readonly self: TaskSelf; readonly trace: TaskTrace },
  now: string,
): TaskAction {
  if (task.node !== self.node || isFinished(task)) return none
  if (task.state === 'ready') return claimed(task, { self, trace }, now)
  if (trace.kind === 'ended') return recorded(task, trace.result)
  if (!isSameBoot(task, self)) return lost(task, 'the node booted before it had ended', now)
  if (trace.kind === 'gone') return lost(task, 'its runner was killed', now)
  if (trace.kind === 'nothing') return task.assigned ? begunByItsLife(task, self, now) : { kind: 'start' }
  return task.cancel ? { kind: 'stop' } : none
}

function claimed(
  task: TaskRecord,
  { self, trace }: { readonly self: TaskSelf; readonly trace: TaskTrace },
  now: string,
): TaskAction {
  if (task.cancel)
    return { kind: 'record', record: { ...task, state: 'cancelled', ended: now, reason: 'it had not begun' } }
  // An id is used once. What a task of the same id did cannot be told apart from this one's.
  if (trace.kind !== 'nothing') return lost(task, 'a task of this id has begun here before', now)
  const { incarnation, bootId } = self
  const life = { incarnation, ...(bootId !== undefined && { bootId }) }
  return { kind: 'record', record: { ...task, state: 'running', ...life, started: now } }
}

/** Nobody waits any more for one that a life of the node has never heard of. */
function begunByItsLife(task: TaskRecord, self: TaskSelf, now: string): TaskAction {
  if (task.cancel)
    return { kind: 'record', record: { ...task, state: 'cancelled', ended: now, reason: 'it had not begun' } }
  if (task.incarnation === self.incarnation) return { kind: 'start' }
  return { kind: 'record', record: { ...task, state: 'cancelled', ended: now, reason: endedBefore } }
}

const endedBefore = 'the daemon of the node ended before it had begun'

function recorded(task: TaskRecord, { cancelled, ...result }: TaskResult): TaskAction {
  return { kind: 'record', record: { ...task, ...result, state: cancelled ? 'cancelled' : 'done' } }
}

const lost = (task: TaskRecord, reason: string, ended: string): TaskAction => ({
  kind: 'record',
  record: { ...task, state: 'lost', reason, ended },
})

/** Where boots are not known, a life of the daemon is all that is. */
const isSameBoot = (task: TaskRecord, { incarnation, bootId }: TaskSelf): boolean =>
  task.bootId === undefined || bootId === undefined ? task.incarnation === incarnation : task.bootId === bootId
