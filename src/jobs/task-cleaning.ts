/** What the DC does with tasks: those of a node that is off are lost, and those that ended long ago go, once their job or rollout is gone. */
import type { NodeName } from '../base/index.ts'
import { isFinished, type TaskRecord } from './task.ts'

export interface TaskWorld {
  /** Of a node that was fenced or removed and is not back: what it ran has ended, and it cannot say how. */
  readonly off: (node: NodeName) => OffNode | undefined
  /** The job or rollout is still listed. */
  readonly isOwned: (task: TaskRecord) => boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface OffNode {
  /** The daemon of that time. Tasks that a later one has claimed run: the node has booted, and is not a member yet. Nothing: all are meant. */
  readonly incarnation?: number
}

export type TaskCleaning =
  | { readonly kind: 'change'; readonly record: TaskRecord }
  | { readonly kind: 'delete'; readonly id: string }

export const keptTaskMs = 7 * 24 * 3_600_000
export const mostKeptTasks = 2000

export function cleanTasks(tasks: readonly TaskRecord[], world: TaskWorld): readonly TaskCleaning[] {
  const oldestFirst = tasks
    .filter((task) => isFinished(task) && !world.isOwned(task))
    .sort((a, b) => endOf(a) - endOf(b))
  const tooMany = oldestFirst.length - mostKeptTasks
  const deleted = oldestFirst.filter((task, at) => at < tooMany || world.now - endOf(task) > keptTaskMs)
  return [
    ...tasks.flatMap((task) => ofNodeThatIsOff(task, world)),
    ...deleted.map(({ id }) => ({ kind: 'delete', id }) as const),
  ]
}

function ofNodeThatIsOff(task: TaskRecord, { off, now }: TaskWorld): readonly TaskCleaning[] {
  const ended = new Date(now).toISOString()
  const changed = (more: Partial<TaskRecord>): readonly TaskCleaning[] => [
    { kind: 'change', record: { ...task, ...more, ended } },
  ]
  const node = off(task.node)
  if (node === undefined) return []
  if (task.state === 'running' && !isOfLaterLife(task, node))
    return changed({ state: 'lost', reason: 'the node was lost before it had ended' })
  if (task.state === 'ready' && task.cancel) return changed({ state: 'cancelled', reason: 'it had not begun' })
  return []
}

const isOfLaterLife = ({ incarnation: claimedBy }: TaskRecord, { incarnation: ended }: OffNode): boolean =>
  claimedBy !== undefined && ended !== undefined && claimedBy > ended

const endOf = ({ ended }: TaskRecord): number => Date.parse(ended ?? '') || 0
